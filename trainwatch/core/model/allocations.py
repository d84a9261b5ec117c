"""What the scheduler gave a run: one allocation for each start of a job."""

import msgspec


class Allocation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Nodes for a time. A job that is requeued keeps its id and has another start.

    Times: s since the epoch. `end` is None while it runs; `state` is the scheduler's word, empty while the
    books do not know how it ended.
    """

    job_id: str
    start: float
    end: float | None = None
    name: str = ""
    nodes: str = ""  # folded: r1i[0-3]n0
    state: str = ""
    exit_code: str = ""
    reason: str = ""
