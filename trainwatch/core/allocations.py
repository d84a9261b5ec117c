"""Answers of the scheduler -> the allocations of a run, and which of them an attempt in the log had.

The trap: a job that is gone from an answer ended some time in the minute before, and how it ended only the
books know, which lag: until then its end is when we missed it.
"""

from collections.abc import Iterable

from msgspec.structs import replace

from trainwatch.core.ending import End
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.observations import AttemptEnd, Job
from trainwatch.core.slurm import hosts

MOST = 200  # that are remembered: two months of an allocation every eight hours
_HAS_NODES = frozenset({"RUNNING", "COMPLETING", "SUSPENDED", "STAGE_OUT", "STOPPED"})
_SEAM_S = 5.0
_SLACK_S = 300.0  # clocks of nodes differ, and a log's stamps may be of a minute

# the scheduler's word -> how people call the end of an attempt
_ENDS: dict[str, End] = {
    "TIMEOUT": "time-limit",
    "CANCELLED": "cancelled",
    "NODE_FAIL": "node-failure",
    "BOOT_FAIL": "node-failure",
    "OUT_OF_MEMORY": "out-of-memory",
    "PREEMPTED": "preempted",
    "FAILED": "crashed",
    "COMPLETED": "exited",
    "DEADLINE": "time-limit",
}


def answered(
    known: tuple[Allocation, ...], jobs: Iterable[Job], at: float
) -> tuple[Allocation, ...]:
    """With what an answer at `at` shows: new ones, and those that are gone."""
    there = {
        (job.job_id, job.start): job
        for job in jobs
        if job.state in _HAS_NODES and job.start is not None
    }
    found = []
    for allocation in known:
        job = there.pop((allocation.job_id, allocation.start), None)
        if job is None and allocation.end is None:
            found.append(replace(allocation, end=at, state=""))
        else:
            found.append(allocation if job is None else _seen(allocation, job))
    new = [
        _seen(Allocation(job_id=job.job_id, start=job.start or 0.0), job) for job in there.values()
    ]
    return _kept([*found, *new])


def accounted(known: tuple[Allocation, ...], ended: Iterable[AttemptEnd]) -> tuple[Allocation, ...]:
    """With what the books say of allocations that ended."""
    found = {(a.job_id, a.start): a for a in known}
    for told in ended:
        if told.start is None:
            continue  # cancelled before it ever had nodes
        key = (told.job_id, told.start)
        before = found.get(key, Allocation(job_id=told.job_id, start=told.start))
        found[key] = replace(
            before,
            end=told.end if told.end is not None else before.end,
            nodes=_folded(told.nodes) or before.nodes,
            name=told.name or before.name,
            state=told.state,
            exit_code=told.exit_code,
            reason=told.reason,
        )
    return _kept(found.values())


def of_attempt(
    allocations: Iterable[Allocation],
    job_id: str,
    began_at: float | None,
    last_at: float | None = None,
) -> Allocation | None:
    """The allocation that an attempt had: of the job its log names, else by when it began, else ended."""
    at = began_at
    if at is None and last_at is not None:
        at = last_at - _SEAM_S  # a last line may be stamped when the next job has its nodes already
    near = [a for a in allocations if at is None or _away_s(a, at) <= _SLACK_S]
    if job_id:
        near = [a for a in near if a.job_id.partition("_")[0] == job_id or a.job_id == job_id]
    if not near or (at is None and not job_id):
        return None
    # One may begin in the second in which another ends.
    newer = 1.0 if at is not None and began_at is None else -1.0
    return min(near, key=lambda a: (0.0 if at is None else _away_s(a, at), newer * a.start))


def end_of(allocation: Allocation) -> End | None:
    """How it ended, in the words for attempts; None while it runs, or while nobody knows."""
    return _ENDS.get(allocation.state) if allocation.end is not None else None


def _seen(allocation: Allocation, job: Job) -> Allocation:
    nodes = _folded(job.nodes) or allocation.nodes
    return replace(allocation, name=job.name, nodes=nodes, state=job.state, end=None)


def _folded(nodes: Iterable[str]) -> str:
    """As a list; of a recording that somebody else wrote, without what are no names of nodes."""
    names = tuple(nodes)
    try:
        return hosts.fold(names)
    except ValueError:
        return hosts.fold(name for name in names if hosts.is_name(name))


def _away_s(allocation: Allocation, at: float) -> float:
    """How long before its start or after its end; 0 while it had its nodes."""
    over_s = 0.0 if allocation.end is None else at - allocation.end
    return max(allocation.start - at, over_s, 0.0)


def _kept(found: Iterable[Allocation]) -> tuple[Allocation, ...]:
    return tuple(sorted(found, key=lambda a: (a.start, a.job_id))[-MOST:])
