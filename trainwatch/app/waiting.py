"""What a job waits for, in words, with times as people read them: for `status` and the screen."""

from collections.abc import Iterable

from trainwatch.app.words import when
from trainwatch.core.maintenance import keeps_waiting
from trainwatch.core.model.observations import Job, Reservation
from trainwatch.core.slurm import dependencies
from trainwatch.core.slurm.reasons import in_words


def waits_for(job: Job, known: Iterable[Reservation], now: float) -> str:
    """Why it does not run; of a maintenance with its end, of a dependency on what. Empty: no reason."""
    if job.reason.strip("()").lower() == "dependency" and job.dependency:
        return dependencies.in_words(job.dependency) or in_words(job.reason)
    why, one = in_words(job.reason), keeps_waiting(job, known, now)
    if one is None or one.end is None:
        return why
    return f"maintenance until {when(one.end, now)}"


def reserved(one: Reservation, now: float) -> str:
    """A reservation for maintenance, and what it does to jobs."""
    count = one.node_count
    nodes = "" if not count else f" on {count:,} node{'s' * (count != 1)}"
    until = f" until {when(one.end, now)}" if one.end is not None else ""
    if one.start is None or one.start <= now:
        return f"maintenance{until}{nodes}: nothing starts there"
    begins = f" from {when(one.start, now)}"
    return f"maintenance{begins}{until}{nodes}: jobs whose limit reaches into it will not start"
