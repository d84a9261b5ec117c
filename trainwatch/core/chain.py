"""The chain of jobs that trainwatch lives in: what the queue shows of it, and what is to be done about that.

A job of the chain submits its successor first, which waits as a singleton of the same name until the job is
gone. The trap: an answer of the queue that could not be had says nothing, and nothing is done on it.
"""

from collections.abc import Iterable
from hashlib import sha256
from math import ceil
from typing import NamedTuple

from trainwatch.core.model.observations import Job

_LIVE = frozenset({"RUNNING", "SUSPENDED", "CONFIGURING", "STOPPED", "RESIZING", "SIGNALING"})
_WAITING = frozenset({"PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT"})
_LEAST_AHEAD = 0.1  # of an interval: a job that would start sooner takes the next place of the grid


def job_name(state_dir: str) -> str:
    """The name that all jobs of a state folder's chain have, and no other job: singletons go by it."""
    return f"trainwatch-{sha256(state_dir.encode()).hexdigest()[:8]}"


def comment(name: str, token: str) -> str:
    """What one submission, and no other, is recognised by: its answer may be lost."""
    return f"{name}:{token}"


def next_of_grid(now: float, interval_s: float) -> float:
    """The next moment at which a job of the chain may start: a multiple of the interval since the epoch.

    So ticks come at 12:00, 12:10, ... whenever the jobs before them started.
    """
    return ceil((now + _LEAST_AHEAD * interval_s) / interval_s) * interval_s


class Link(NamedTuple):
    """A job of the chain: one, or an array whose tasks each watch their share of the runs."""

    job_id: str  # of the array
    jobs: tuple[Job, ...]

    @property
    def live(self) -> bool:
        """Some of it runs."""
        return any(job.state in _LIVE for job in self.jobs)

    @property
    def waits(self) -> bool:
        """None of it has started."""
        return all(job.state in _WAITING for job in self.jobs)

    @property
    def tasks(self) -> tuple[int, ...]:
        """The array's tasks that run, in order."""
        found = (job.job_id.partition("_")[2] for job in self.jobs if job.state in _LIVE)
        return tuple(sorted(int(task) for task in found if task.isdigit()))


def links(jobs: Iterable[Job], name: str, user: str = "") -> tuple[Link, ...]:
    """The jobs of the chain in a queue, oldest first; of this user, where one is given."""
    found = dict[str, list[Job]]()
    for job in jobs:
        if job.name == name and (not user or job.user in ("", user)):
            found.setdefault(job.array_job_id or job.job_id.partition("_")[0], []).append(job)
    return tuple(
        Link(job_id, tuple(found[job_id]))
        for job_id in sorted(found, key=lambda text: (len(text), text))
    )


class Tending(NamedTuple):
    """What the chain needs. `older` runs besides us, and has the right to: then nothing else is done."""

    successor: Link | None = None
    submit: bool = False
    surplus: tuple[str, ...] = ()  # jobs that wait besides the successor: to be cancelled
    older: Link | None = None


def tending(chain: Iterable[Link], mine: str) -> Tending:
    """What a job of the chain, `mine`, does about what the queue shows of it."""
    others = [link for link in chain if link.job_id != mine]
    older = [link for link in others if link.live and _order(link.job_id) < _order(mine)]
    if older:
        return Tending(older=older[0])
    waiting = [link for link in others if link.waits]
    first = waiting[0] if waiting else None
    return Tending(first, first is None, tuple(link.job_id for link in waiting[1:]))


def _order(job_id: str) -> tuple[int, str]:
    return len(job_id), job_id


def share_of(run_folder: str, shards: int) -> int:
    """Which shard watches a run, by the name of its store's folder: the same wherever it is asked."""
    return int.from_bytes(sha256(run_folder.encode(errors="surrogateescape")).digest()[:8]) % shards
