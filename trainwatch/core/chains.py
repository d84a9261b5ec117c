"""The queue as a tree: each job under the one it waits for, the tasks of an array in one row.

The trap: what is waited for may be another's, or over, or in a circle: then a job stands by itself. Chains
may be long: nothing here calls itself.
"""

import math
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from trainwatch.core.model.observations import Job
from trainwatch.core.patterns import pattern
from trainwatch.core.slurm import hosts
from trainwatch.core.slurm.dependencies import Link, links

_RUNNING_APART = 3  # tasks of an array that run at once and still have a row each
_TASKS_OF = "jobarraytasklimit"
_LIMIT = pattern(r"%[0-9]+(?=\])")  # of tasks at once: 7_[4-9%1]


class Branch(NamedTuple):
    """A row: a job, or tasks of an array, and how many others it stands under."""

    job: Job
    depth: int = 0


def tree(jobs: Iterable[Job]) -> list[Branch]:
    """All jobs, what runs first, what waits by its predicted start; each behind what it waits for."""
    rows = sorted(_folded(jobs), key=_order)
    parents = _parents(rows)
    children = dict[int | None, list[int]]()
    for index in range(len(rows)):
        children.setdefault(parents[index], []).append(index)
    found, open_ = list[Branch](), [(index, 0) for index in reversed(children.get(None, []))]
    while open_:
        index, depth = open_.pop()
        found.append(Branch(rows[index], depth))
        open_ += [(child, depth + 1) for child in reversed(children.get(index, []))]
    return found


def _array(job: Job) -> str:
    return job.array_job_id or job.job_id.partition("_")[0]


def _order(job: Job) -> tuple[bool, float, str]:
    start = job.start if job.start is not None and not math.isnan(job.start) else math.inf
    return job.state != "RUNNING", start, job.job_id


def _parents(rows: Sequence[Job]) -> list[int | None]:
    """Of each row the row that it stands under. No circles."""
    by_id = {job.job_id: index for index, job in enumerate(rows)}
    last_of = {_array(job): index for index, job in enumerate(rows)}
    first_of = {_array(job): index for index, job in reversed([*enumerate(rows)])}
    before = _before(rows)
    found: list[int | None] = [None] * len(rows)
    for index, job in enumerate(rows):
        for link in _links(job) if job.state != "RUNNING" else ():
            if link.kind == _TASKS_OF:
                above = first_of.get(link.array)
            elif link.job:
                above = by_id.get(link.job, last_of.get(link.array))
            else:
                above = before.get(index)
            if above is not None and not _is_above(found, above, index):
                found[index] = above
                break
    return found


def _before(rows: Sequence[Job]) -> dict[int, int]:
    """Of each row the one before it with its name and user: one that runs, or was submitted earlier."""
    named = dict[tuple[str, str], list[int]]()
    for index, job in enumerate(rows):
        named.setdefault((job.name, job.user), []).append(index)
    found = dict[int, int]()
    for alike in named.values():
        in_turn = sorted(alike, key=lambda i: (rows[i].state != "RUNNING", rows[i].submit or 0.0))
        found.update(zip(in_turn[1:], in_turn, strict=False))
    return found


def _links(job: Job) -> tuple[Link, ...]:
    """What it waits for; tasks that wait for their turn, for the task of their array that runs."""
    of_array = job.reason.replace("_", "").strip().lower() == _TASKS_OF
    own = (Link(_TASKS_OF, _array(job)),) if of_array else ()
    return (*links(job.dependency), *own)


def _is_above(parents: Sequence[int | None], index: int | None, other: int) -> bool:
    """Whether `other` is `index`, or is above it."""
    while index is not None:
        if index == other:
            return True
        index = parents[index]
    return False


def _folded(jobs: Iterable[Job]) -> list[Job]:
    """With one row for tasks of an array that are in the same state for the same reason."""
    groups = dict[tuple[str, ...], list[Job]]()
    for number, job in enumerate(jobs):
        alike = (_array(job), job.state, job.reason, job.dependency)
        own = (str(number),) if "_" not in job.job_id or not _array(job) else ()
        groups.setdefault((*alike, *own), []).append(job)
    found = list[Job]()
    for tasks in groups.values():
        most = _RUNNING_APART if tasks[0].state == "RUNNING" else 1
        together = _together(tasks) if len(tasks) > most else None
        found += tasks if together is None else [together]
    return found


def _together(tasks: Sequence[Job]) -> Job | None:
    """One row for several; None if their ids cannot be read."""
    try:
        ids = [name for task in tasks for name in hosts.expand(_LIMIT.sub("", task.job_id))]
        folded = hosts.fold(hosts.in_order(ids))
    except ValueError:
        return None
    starts = [task.start for task in tasks if task.start is not None]
    nodes = tuple(dict.fromkeys(node for task in tasks for node in task.nodes))
    return replace(tasks[0], job_id=folded, start=min(starts, default=None), nodes=nodes)
