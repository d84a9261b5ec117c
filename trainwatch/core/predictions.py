"""Predicted starts over time: what the scheduler says of jobs that wait -> how far their starts moved.

The trap: once a task of an array starts, the prediction is about the next one, and has not moved at all.
"""

import math
from collections.abc import Iterable

from msgspec.structs import replace

from trainwatch.core.model.observations import Job
from trainwatch.core.model.predictions import Prediction
from trainwatch.core.words import duration

MOST = 100  # jobs and arrays that are remembered, the first to start
_WAITS = frozenset({"PENDING", "REQUEUED"})
_FOR_NODES = frozenset({"priority", "resources", "reqnodenotavail"})
_WORTH_S = 600.0  # a start that moved by less is the same


def predicted(
    known: tuple[Prediction, ...], jobs: Iterable[Job], at: float
) -> tuple[Prediction, ...]:
    """With what an answer at `at` says; what waits no longer is forgotten."""
    before = {prediction.job_id: prediction for prediction in known}
    found = [_of(rows, before, at) for rows in _arrays(jobs)]
    return tuple(
        sorted((each for each in found if each is not None), key=lambda p: (p.start, p.job_id))
    )[:MOST]


def moved(prediction: Prediction | None, now: float) -> str:
    """`2 h later than said 1 d ago`; empty if it did not move, or nobody knows."""
    if prediction is None or abs(prediction.start - prediction.first) < _WORTH_S:
        return ""
    later_s = prediction.start - prediction.first
    how = "later" if later_s > 0 else "sooner"
    return f"{duration(abs(later_s))} {how} than said {duration(now - prediction.first_at)} ago"


def is_missing(job: Job) -> bool:
    """Whether it waits for nothing but nodes, and the scheduler predicts no start all the same."""
    code = job.reason.partition(",")[0].strip().lower()
    return job.state in _WAITS and _start(job) is None and code in _FOR_NODES


def _arrays(jobs: Iterable[Job]) -> Iterable[list[Job]]:
    """The rows that wait, those of an array together."""
    found = dict[str, list[Job]]()
    for job in jobs:
        if job.state in _WAITS:
            found.setdefault(job.array_job_id or job.job_id.partition("_")[0], []).append(job)
    return found.values()


def _of(rows: list[Job], before: dict[str, Prediction], at: float) -> Prediction | None:
    """Of the row that is known, else of the one that starts first."""
    starts = {job.job_id: _start(job) for job in rows}
    known = next((before[job_id] for job_id in starts if job_id in before), None)
    if known is not None:
        start = starts[known.job_id]
        return known if start in (None, known.start) else replace(known, start=start, at=at)
    told = {job_id: start for job_id, start in starts.items() if start is not None}
    if not told:
        return None
    job_id = min(told, key=lambda each: (told[each], each))
    return Prediction(job_id=job_id, first=told[job_id], first_at=at, start=told[job_id], at=at)


def _start(job: Job) -> float | None:
    return job.start if job.start is not None and math.isfinite(job.start) else None
