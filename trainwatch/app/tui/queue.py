"""The queue: the run's jobs, what they wait for, and what it was given before."""

from collections.abc import Sequence

from textual.content import Content

from trainwatch.app import words
from trainwatch.app.tui.listing import Listing
from trainwatch.app.tui.text import foreign
from trainwatch.app.waiting import reserved, waits_for
from trainwatch.app.words import when
from trainwatch.core import chains, maintenance
from trainwatch.core.chains import Branch
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.observations import Job, Reservation
from trainwatch.core.model.predictions import Prediction
from trainwatch.core.model.snapshot import Snapshot
from trainwatch.core.predictions import is_missing, moved
from trainwatch.core.slurm.reasons import in_words, never_starts

_UNASKED = 'not asked: "trainwatch watch" does, where [runs.slurm] has e.g. job_name = "tr11-176B*"'
_JOB, _STATE, _TIME, _NODES = 17, 10, 16, 20  # columns
_NODES_FROM = 100  # columns; below, there is no room for the nodes
_DEEPEST = 3  # steps to the right: what stands under more is not moved any further
_MOST_RESERVED = 3
_BAD = frozenset({"FAILED", "NODE_FAIL", "BOOT_FAIL", "OUT_OF_MEMORY"})

Entry = Branch | Reservation | Allocation | str  # a row; a text is a remark


class Queue(Listing):
    """A row for each job that runs or waits, and for each allocation of the past, the newest first."""

    context = "queue"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._entries: list[Entry] = [_UNASKED]
        self._known: tuple[Reservation, ...] = ()
        self._predicted = dict[str, Prediction]()

    def show(self, snapshot: Snapshot) -> None:
        """Show this from now on."""
        status = snapshot.status
        self._known = maintenance.of_run(status.queue, status.allocations, snapshot.taken_at)
        self._predicted = {each.job_id: each for each in status.predictions}
        self._entries = entries(snapshot, self._known)
        super().show(snapshot)

    def count(self) -> int:
        """Rows there are."""
        return len(self._entries)

    def heading(self, width: int) -> Content | None:
        """The names of the columns."""
        if not any(isinstance(entry, Branch) for entry in self._entries):
            return None
        return _line(width, "job", "state", "starts / ends", "nodes", "why, or its name", "")

    def row(self, index: int, width: int) -> Content:
        """One of them."""
        entry, now = self._entries[index], self.snapshot.taken_at
        match entry:
            case Branch():
                return self._branch(entry, now, width)
            case Allocation():
                return _past(entry, now, width)
            case Reservation():
                return foreign(f" {reserved(entry, now)}", width, "$warn")
        return foreign(f" {entry}", width, "$quiet")

    def _branch(self, branch: Branch, now: float, width: int) -> Content:
        job = branch.job
        name = "  " * (min(branch.depth, _DEEPEST) - 1) + "└ " if branch.depth else ""
        runs = job.state == "RUNNING"
        why = job.name
        if not runs:
            how = "" if job.start is None else moved(self._predicted.get(job.job_id), now)
            why = waits_for(job, self._known, now) or job.name
            if how:  # the more important half of it first, where it is narrow
                why = f"{why}; {how}" if width >= _NODES_FROM else f"{how.split(' than')[0]}; {why}"
        starts = "no prediction" if is_missing(job) else when(_turn(job), now)
        colour = "$bad" if never_starts(job.reason, job.state) else "$good" if runs else "$warn"
        state = job.state.lower()
        return _line(width, f"{name}{job.job_id}", state, starts, _nodes(job), why, colour)


def entries(snapshot: Snapshot, known: Sequence[Reservation] = ()) -> list[Entry]:
    """What runs, what waits, what will be repaired, and what ended."""
    reading, past = snapshot.status.queue, snapshot.status.allocations
    ended: list[Entry] = [a for a in reversed(past) if a.end is not None]
    if ended:
        ended = ["before", *ended]
    if reading is None:
        return [_UNASKED, *ended]
    if reading.state != "ok":
        return [f"unknown: {reading.why}", *ended]
    jobs: list[Entry] = [*chains.tree(reading.jobs)]
    none = "no job of this run is in the queue"
    return [*(jobs or [none]), *known[:_MOST_RESERVED], *ended]


def _turn(job: Job) -> float | None:
    """When it ends, or is predicted to start."""
    if job.state != "RUNNING":
        return job.start
    if job.end is None and job.start is not None and job.time_limit_s is not None:
        return job.start + job.time_limit_s
    return job.end


def _nodes(job: Job) -> str:
    return f"{len(job.nodes)}: {job.nodes[0]} ..." if len(job.nodes) > 1 else "".join(job.nodes)


def _past(past: Allocation, now: float, width: int) -> Content:
    length = words.duration(past.end - past.start) if past.end is not None else ""
    code = f", exit {past.exit_code}" if past.exit_code not in {"", "0:0"} else ""
    state = past.state.lower().replace("_", " ") or "gone"
    told = f"after {length}{code}" + (f", {in_words(past.reason)}" if past.reason else "")
    colour = "$bad" if past.state in _BAD else "$quiet"
    return _line(width, past.job_id, state, when(past.end, now), past.nodes, told, colour)


def _line(width: int, job: str, state: str, at: str, nodes: str, why: str, colour: str) -> Content:
    cells = [(job, _JOB, ""), (state, _STATE, colour), (at, _TIME, "$quiet")]
    cells += [(nodes, _NODES, "$quiet")] if width >= _NODES_FROM else []
    row, gap = Content(" "), 2 if width >= _NODES_FROM else 1
    for text, room, style in cells:
        cell = foreign(text, room, style)
        row += cell + Content(" " * (room + gap - cell.cell_length))
    return row + foreign(why, max(1, width - row.cell_length))
