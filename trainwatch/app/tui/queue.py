"""The queue: the run's jobs, what they wait for, and what it was given before."""

from textual.content import Content

from trainwatch.app import words
from trainwatch.app.tui.listing import Listing
from trainwatch.app.tui.text import foreign
from trainwatch.app.words import when
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.observations import Job
from trainwatch.core.model.snapshot import Snapshot
from trainwatch.core.slurm.reasons import in_words, never_starts

_UNASKED = 'not asked for: name the run\'s jobs in [runs.slurm], e.g. job_name = "tr11-176B*"'
_JOB, _STATE, _TIME, _NODES = 15, 10, 16, 20  # columns
_NODES_FROM = 100  # columns; below, there is no room for the nodes
_BAD = frozenset({"FAILED", "NODE_FAIL", "BOOT_FAIL", "OUT_OF_MEMORY", "TIMEOUT"})

Entry = Job | Allocation | str  # a row; a text is a remark


class Queue(Listing):
    """A row for each job that runs or waits, and for each allocation of the past, the newest first."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._entries: list[Entry] = [_UNASKED]

    def show(self, snapshot: Snapshot) -> None:
        """Show this from now on."""
        self._entries = entries(snapshot)
        super().show(snapshot)

    def count(self) -> int:
        """Rows there are."""
        return len(self._entries)

    def heading(self, width: int) -> Content | None:
        """The names of the columns."""
        if not any(isinstance(entry, Job) for entry in self._entries):
            return None
        return _line(width, "job", "state", "starts / ends", "nodes", "why, or its name", "")

    def row(self, index: int, width: int) -> Content:
        """One of them."""
        entry, now = self._entries[index], self.snapshot.taken_at
        match entry:
            case Job():
                return _job(entry, now, width)
            case Allocation():
                return _past(entry, now, width)
        return foreign(f" {entry}", width, "$quiet")


def entries(snapshot: Snapshot) -> list[Entry]:
    """What runs, what waits, and what ended."""
    reading, past = snapshot.status.queue, snapshot.status.allocations
    ended: list[Entry] = [a for a in reversed(past) if a.end is not None]
    if ended:
        ended = ["before", *ended]
    if reading is None:
        return [_UNASKED, *ended]
    if reading.state != "ok":
        return [f"unknown: {reading.why}", *ended]
    jobs: list[Entry] = [*sorted(reading.jobs, key=_order)]
    return [*(jobs or ["no job of this run is in the queue"]), *ended]


def _order(job: Job) -> tuple[bool, float, str]:
    """What runs first; what waits by its predicted start."""
    return job.state != "RUNNING", job.start if job.start is not None else float("inf"), job.job_id


def _job(job: Job, now: float, width: int) -> Content:
    runs = job.state == "RUNNING"
    at = job.end if runs else job.start
    if runs and at is None and job.start is not None and job.time_limit_s is not None:
        at = job.start + job.time_limit_s
    why = job.name if runs else in_words(job.reason) or job.name
    nodes = f"{len(job.nodes)}: {job.nodes[0]} ..." if len(job.nodes) > 1 else "".join(job.nodes)
    colour = "$bad" if never_starts(job.reason, job.state) else "$good" if runs else "$warn"
    return _line(width, job.job_id, job.state.lower(), when(at, now), nodes, why, colour)


def _past(past: Allocation, now: float, width: int) -> Content:
    length = words.duration(past.end - past.start) if past.end is not None else ""
    code = f", exit {past.exit_code}" if past.exit_code not in {"", "0:0"} else ""
    state = past.state.lower() or "gone"
    told = f"after {length}{code}" + (f", {in_words(past.reason)}" if past.reason else "")
    colour = "$bad" if past.state in _BAD else "$quiet"
    return _line(width, past.job_id, state, when(past.end, now), past.nodes, told, colour)


def _line(width: int, job: str, state: str, at: str, nodes: str, why: str, colour: str) -> Content:
    cells = [(job, _JOB, ""), (state, _STATE, colour), (at, _TIME, "$quiet")]
    cells += [(nodes, _NODES, "$quiet")] if width >= _NODES_FROM else []
    row = Content(" ")
    for text, room, style in cells:
        cell = foreign(text, room, style)
        row += cell + Content(" " * (room + 2 - cell.cell_length))
    return row + foreign(why, max(1, width - row.cell_length))
