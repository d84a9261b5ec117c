"""What squeue says of a simulated run: a job array of which one task runs and the others wait."""

from collections.abc import Iterator

import msgspec

from trainwatch.core.model.observations import Job as QueuedJob
from trainwatch.core.model.observations import QueueReading
from trainwatch.simulate.job import Job

INTERVAL_S = 300.0  # between answers that say nothing new


class Standing(msgspec.Struct, frozen=True, kw_only=True):
    """Where an attempt is in the queue."""

    running: bool = False
    reason: str = "Priority"  # while it waits; while it runs there is none, but `Prolog`
    starts_in_s: float | None = None  # as the scheduler reckons
    successor: bool = True  # something waits behind it


def nothing(at: float) -> QueueReading:
    """An empty queue, which is an answer."""
    return QueueReading(at=at, state="ok")


def unknown(at: float, why: str) -> QueueReading:
    """No answer."""
    return QueueReading(at=at, state="unknown", why=why)


def reading(job: Job, at: float, standing: Standing) -> QueueReading:
    """The rows of the array."""
    return QueueReading(at=at, state="ok", jobs=(_own(job, at, standing), *_behind(job, standing)))


def _own(job: Job, at: float, standing: Standing) -> QueuedJob:
    away_s, running = standing.starts_in_s, standing.running
    start = None if away_s is None else at + away_s / job.timeline.pace
    return QueuedJob(
        job_id=f"{job.array_id}_{job.task}",
        name=job.scenario.name,
        state="RUNNING" if running else "PENDING",
        reason=standing.reason,
        nodes=job.nodes if running else (),
        time_limit_s=job.scenario.time_limit_s,
        start=job.timeline.at(job.began) if running else start,
    )


def _behind(job: Job, standing: Standing) -> Iterator[QueuedJob]:
    """The tasks that wait behind it, or the next array."""
    if not standing.successor:
        return
    job_id, reason = f"{job.array_id}_[{_later(job.task + 1, job.tasks)}%1]", "JobArrayTaskLimit"
    if job.task == job.tasks:
        if not job.scenario.chained:
            return
        job_id, reason = f"{job.next_array_id}_[{_later(1, job.tasks)}%1]", "Dependency"
    yield QueuedJob(
        job_id=job_id,
        name=job.scenario.name,
        state="PENDING",
        reason=reason,
        time_limit_s=job.scenario.time_limit_s,
    )


def _later(first: int, last: int) -> str:
    return f"{first}-{last}" if first < last else str(last)
