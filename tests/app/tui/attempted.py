"""Attempts of a job array as the screen is handed them: the log's and Slurm's."""

from msgspec.structs import replace

from tests.app.tui.histories import NOW
from tests.app.tui.runs import HEALTHY
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.snapshot import Snapshot
from trainwatch.core.model.status import AttemptStatus

HOUR_S = 3600.0
_ENDS = (
    ("time-limit", None, "TIMEOUT"),
    ("crashed", "cuda: RuntimeError: CUDA error: an illegal memory access", "FAILED"),
    ("time-limit", None, "TIMEOUT"),
    ("node-failure", "node-failure: NCCL: connection to r7i6n4 closed", "NODE_FAIL"),
    ("cancelled", None, "CANCELLED"),
)
_SILENT = Allocation(
    job_id="1809577_4",
    start=NOW - 43 * HOUR_S,
    end=NOW - 43 * HOUR_S + 90,
    nodes="r7i6n[0-7],r9i1n[0-39]",
    state="FAILED",
    exit_code="1:0",
    reason="NonZeroExitCode",
)


def _attempt(index: int) -> AttemptStatus:
    end, cause, _ = (None, None, "") if index == len(_ENDS) else _ENDS[index]
    begin = NOW - (6 - index) * 21 * HOUR_S + HOUR_S
    first, last = index * 650 + 1, (index + 1) * 650 + (45 if index in (1, 3) else 0)
    again = 45 if index in (2, 4) else 0
    return AttemptStatus(
        index=index,
        began_at=begin + 300,
        last_at=begin + 19.5 * HOUR_S if end else NOW - 42,
        first_iteration=first,
        last_iteration=last,
        records=last - first + 1,
        retrained=again,
        gpus=384,
        job_id="1809577",
        end=end,
        cause=cause,
    )


def _given(attempt: AttemptStatus) -> Allocation:
    begin = (attempt.began_at or 0.0) - 300
    task = attempt.index + 1 + (attempt.index >= 3)
    state = "RUNNING" if attempt.end is None else _ENDS[attempt.index][2]
    return Allocation(
        job_id=f"1809577_{task}",
        start=begin,
        end=None if attempt.end is None else begin + 20 * HOUR_S,
        nodes="r7i6n[0-7],r9i1n[0-39]",
        state=state,
        exit_code="1:0" if state == "FAILED" else "0:0",
    )


ATTEMPTS = tuple(_attempt(n) for n in range(6))
GIVEN = tuple(sorted((*map(_given, ATTEMPTS), _SILENT), key=lambda a: a.start))


def attempted(
    attempts: tuple[AttemptStatus, ...] = ATTEMPTS, given: tuple[Allocation, ...] = GIVEN
) -> Snapshot:
    """A healthy run with these attempts."""
    return replace(HEALTHY, status=replace(HEALTHY.status, attempts=attempts, allocations=given))
