"""What squeue says of a simulated run: a job array of which one task runs and the others wait."""

from msgspec.structs import replace

from trainwatch.core.model.observations import Job as QueuedJob
from trainwatch.core.model.observations import QueueReading
from trainwatch.simulate.job import Job

INTERVAL_S = 300.0  # between answers that say nothing new


def nothing(at: float) -> QueueReading:
    """An empty queue, which is an answer."""
    return QueueReading(at=at, state="ok")


def reading(job: Job, at: float, *, running: bool) -> QueueReading:
    """The rows of the array. `running`: whether the job's own task does, or waits to begin."""
    limit_s = job.scenario.time_limit_s
    row = QueuedJob(
        job_id=f"{job.array_id}_{job.task}",
        name=job.scenario.name,
        state="PENDING",
        reason="Priority",
        time_limit_s=limit_s,
    )
    if running:
        began = job.timeline.at(job.began)
        row = replace(row, state="RUNNING", reason="", nodes=job.nodes, start=began)
    if job.task == job.tasks:
        return QueueReading(at=at, state="ok", jobs=(row,))
    later = f"{job.task + 1}-{job.tasks}" if job.task + 1 < job.tasks else str(job.tasks)
    waiting = QueuedJob(
        job_id=f"{job.array_id}_[{later}%1]",
        name=job.scenario.name,
        state="PENDING",
        reason="JobArrayTaskLimit",
        time_limit_s=limit_s,
    )
    return QueueReading(at=at, state="ok", jobs=(row, waiting))
