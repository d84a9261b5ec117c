"""When the scheduler expects a job that waits to start, and how that moved."""

import msgspec


class Prediction(msgspec.Struct, frozen=True, kw_only=True):
    """Of a job, or of the next task of an array. Times: s since the epoch.

    Kept while the same row waits, also while the scheduler predicts nothing for it: then `start` is what it
    said last.
    """

    job_id: str  # the row of the queue
    first: float  # the start that was predicted first,
    first_at: float  # and when that was said
    start: float  # the one predicted last,
    at: float  # and since when it is said
