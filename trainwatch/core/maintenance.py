"""Reservations for maintenance: which of them a run has to do with, and which keep its jobs waiting.

The trap: a cluster repairs some node or other every day. Only what has nodes that the run had, or what the
scheduler itself names as the reason, says anything of this run.
"""

from collections.abc import Iterable, Sequence
from functools import lru_cache

from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.observations import Job, QueueReading, Reservation
from trainwatch.core.slurm import hosts
from trainwatch.core.words import duration

MOST = 20  # that are looked at, the first to begin
_WORD = "maintenance"


def of_run(
    reading: QueueReading | None, allocations: Sequence[Allocation], now: float
) -> tuple[Reservation, ...]:
    """Those that are, or are to come, and concern the run; all of them while nobody knows its nodes."""
    if reading is None or not reading.maintenance:
        return ()
    usual = {node for job in reading.jobs for node in job.nodes}
    usual |= expanded(allocations[-1].nodes) if allocations else frozenset()
    named = any(is_named(job) for job in reading.jobs)
    coming = (one for one in reading.maintenance if one.end is None or one.end > now)
    found = [one for one in coming if named or not usual or usual & expanded(one.nodes)]
    return tuple(sorted(found, key=_begins)[:MOST])


def is_named(job: Job) -> bool:
    """Whether the scheduler gives it as the reason for which a job waits."""
    return job.state != "RUNNING" and _WORD in job.reason.lower()


def keeps_waiting(job: Job, known: Iterable[Reservation], now: float) -> Reservation | None:
    """Of those that it would run into, the one that ends last, if it waits for one; None: nobody can say."""
    if not is_named(job):
        return None
    coming = sorted(known, key=_begins)
    reached = [r for r in coming if _begins(r) <= now + (job.time_limit_s or 0.0)] or coming[:1]
    return max(reached, key=lambda r: (r.end is not None, r.end or 0.0), default=None)


def explains(
    job: Job, known: Iterable[Reservation] | None, usual: Iterable[str], now: float
) -> bool:
    """Whether it is why a job waits: the scheduler says so, or it has most of the `usual` nodes."""
    if is_named(job):
        return True
    nodes = set(usual)
    for one in known or ():
        if one.end is None or one.end <= now or not nodes:
            continue
        most = 2 * len(nodes & expanded(one.nodes)) >= len(nodes)
        if most and (_begins(one) <= now or _reaches(job, one, now)):
            return True
    return False


def before_end(job: Job, known: Iterable[Reservation] | None, now: float) -> Reservation | None:
    """The first that begins on a running job's nodes before its time limit ends it."""
    if job.start is None or job.time_limit_s is None:
        return None
    ends, nodes = job.start + job.time_limit_s, set(job.nodes)
    found = [
        one
        for one in known or ()
        if one.start is not None and now < one.start < ends and nodes & expanded(one.nodes)
    ]
    return min(found, key=_begins, default=None)


def announced(one: Reservation, now: float) -> str:
    """`a maintenance of its nodes begins in 3 h and lasts 8 h`."""
    begins_s = _begins(one) - now
    lasts = f" and lasts {duration(one.end - _begins(one))}" if one.end is not None else ""
    return f"a maintenance of its nodes begins in {duration(begins_s)}{lasts}"


@lru_cache(maxsize=32)
def expanded(nodes: str) -> frozenset[str]:
    """The names of a folded list; none for one that cannot be read."""
    try:
        return frozenset(hosts.expand(nodes))
    except ValueError:
        return frozenset()


def _reaches(job: Job, one: Reservation, now: float) -> bool:
    """Whether the scheduler may not start a job, as it would run into a maintenance."""
    is_told = job.reason.lower().startswith("reqnodenotavail")
    return is_told and job.time_limit_s is not None and now + job.time_limit_s > _begins(one)


def _begins(one: Reservation) -> float:
    return one.start if one.start is not None else float("-inf")
