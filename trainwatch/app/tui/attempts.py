"""The attempts, the newest first: the log's and Slurm's in one history, with why each ended and what it cost.

The trap: there may be ten thousand. The history is made anew only when it is looked at and something changed.
"""

from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace
from textual.content import Content

from trainwatch.app import words
from trainwatch.app.tui.listing import Listing
from trainwatch.app.tui.text import foreign
from trainwatch.core import allocations, attempts
from trainwatch.core.attempts import Entry
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.status import AttemptStatus, Status
from trainwatch.core.slurm.reasons import in_words

_GRIM = frozenset({"crashed", "out-of-memory", "node-failure", "killed", "failed"})
_CALLED = {
    "time-limit": "time limit",
    "node-failure": "node failure",
    "out-of-memory": "out of memory",
    "failed": "failed before it trained",
}
_END = 22  # columns that the end should have, at least
_JOB_MOST, _NODES_MOST, _LOOKED_AT = 18, 40, 50
_DAY_S, _HOUR_S, _LONGEST_S = 86400.0, 3600.0, 86400.0 * 10_000


class Column(NamedTuple):
    """A column: its least width, on which side, and what stands in it."""

    name: str
    width: int
    right: bool
    style: str
    text: Callable[[Entry, float], str]


def _began(entry: Entry, now: float) -> str:
    then, today = words.calendar(entry.begin), words.calendar(now)
    if then is None:
        return words.DASH
    same_year = today is not None and then.year == today.year
    return then.strftime("%m-%d %H:%M" if same_year else "%Y-%m-%d")


def _ran(entry: Entry, now: float) -> str:
    end = entry.end if entry.end is not None else now if _runs(entry) else None
    return "" if entry.begin is None or end is None else _length(end - entry.begin)


def _runs(entry: Entry) -> bool:
    if entry.attempt is not None:
        return entry.attempt.end is None
    return entry.given is not None and entry.given.end is None


def _gap(entry: Entry, _now: float) -> str:
    return "" if entry.gap_s is None else _length(entry.gap_s)


def _length(seconds: float) -> str:
    """In one unit; nothing for what is no length of time."""
    if not 0 <= seconds < _LONGEST_S:
        return ""
    for unit_s, unit, least in ((_DAY_S, "d", 2), (_HOUR_S, "h", 1)):
        if seconds >= least * unit_s:
            return f"{seconds / unit_s:.1f} {unit}"
    return f"{seconds // 60:.0f} min" if seconds >= 60 else "<1 min"


def _reached(entry: Entry, _now: float) -> str:
    attempt = entry.attempt
    if attempt is None or attempt.first_iteration is None or attempt.last_iteration is None:
        return "none"
    return f"{attempt.first_iteration:,} – {attempt.last_iteration:,}"


def _job(entry: Entry, _now: float) -> str:
    given = entry.given.job_id if entry.given else ""  # with the task of an array
    return given or (entry.attempt.job_id or "" if entry.attempt else "")


def _nodes(entry: Entry, _now: float) -> str:
    given = entry.given.nodes if entry.given else ""
    return given or (entry.attempt.nodes or "" if entry.attempt else "")


def _gpus(entry: Entry, _now: float) -> str:
    return f"{entry.attempt.gpus:,}" if entry.attempt and entry.attempt.gpus else ""


def _number(entry: Entry, _now: float) -> str:
    return f"{entry.attempt.index + 1:,}" if entry.attempt else ""


def _count(name: str) -> Callable[[Entry, float], str]:
    def text(entry: Entry, _now: float) -> str:
        count: int | None = getattr(entry, name)
        return f"{count:,}" if count else ""

    return text


_NUMBER = Column("#", 5, True, "$quiet", _number)
_JOB = Column("job", 8, False, "", _job)
_NODES = Column("nodes", 18, False, "$quiet", _nodes)
_BEGAN = Column("began", 11, False, "", _began)
_RAN = Column("ran", 7, True, "", _ran)
_GAP = Column("gap", 7, True, "$quiet", _gap)
_ITERATIONS = Column("iterations", 10, False, "", _reached)
_NEW = Column("new", 7, True, "$good", _count("new"))
_AGAIN = Column("again", 6, True, "$warn", _count("again"))
_LOST = Column("lost", 6, True, "$warn", _count("lost"))
_GPUS = Column("GPUs", 6, True, "$quiet", _gpus)
_COLUMNS = (
    _NUMBER, _JOB, _NODES, _GAP, _BEGAN, _RAN, _ITERATIONS, _NEW, _AGAIN, _LOST, _GPUS,
)  # fmt: skip
# The most important first: what does not fit any more is left out.
_WANTED = (_BEGAN, _ITERATIONS, _RAN, _LOST, _JOB, _NUMBER, _GAP, _GPUS, _NODES, _NEW, _AGAIN)


class Attempts(Listing):
    """A row for each attempt, and for each allocation that never wrote a line."""

    empty = "no attempt yet"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._of: tuple[tuple[AttemptStatus, ...], tuple[Allocation, ...]] = ((), ())
        self._entries: list[Entry] = []
        self._widths: dict[Column, int] = {}

    def renew(self) -> None:
        """Make the history anew if it is another one."""
        status = self.snapshot.status
        known = (_as_known(status), status.allocations)
        if known != self._of:
            self._of = known
            self._entries = attempts.history(*known)
            self._widths = _measured(self._entries)
        super().renew()

    def count(self) -> int:
        """Attempts there are."""
        return len(self._entries)

    def heading(self, width: int) -> Content | None:
        """The names of the columns."""
        rooms = self._columns(width)
        return _line([(column, column.name, "") for column in rooms], rooms) + Content("end")

    def row(self, index: int, width: int) -> Content:
        """One attempt."""
        entry, now = self._entry(index), self.snapshot.taken_at
        rooms = self._columns(width)
        cells = [(column, column.text(entry, now), column.style) for column in rooms]
        row = _line(cells, rooms)
        word, why = _end(entry)
        row += foreign(_CALLED.get(word, word), max(1, width - row.cell_length), _colour(word))
        room = width - row.cell_length - 2
        return row + foreign(f": {why}", room + 2, "$quiet") if why and room > 1 else row

    def place(self, index: int) -> int | None:
        """Where it began."""
        attempt = self._entry(index).attempt
        return self.snapshot.marks.attempt_offset.get(attempt.index) if attempt else None

    def _entry(self, index: int) -> Entry:
        return self._entries[len(self._entries) - 1 - index]

    def _columns(self, width: int) -> dict[Column, int]:
        """Those that there is room for, and how wide each is; without those in which nothing stands."""
        left, chosen = width - 1 - _END, dict[Column, int]()
        for column in _WANTED:
            if column not in self._widths:
                continue
            room = self._widths[column]
            if column is _NODES:  # the longest there is: cut sooner than left out
                room = min(room, max(_NODES.width, left - 2))
            left -= room + 2
            if left < 0:
                break
            chosen[column] = room
        return {column: chosen[column] for column in _COLUMNS if column in chosen}


def _line(cells: list[tuple[Column, str, str]], rooms: dict[Column, int]) -> Content:
    row = Content(" ")
    for column, text, style in cells:
        cell = foreign(text, rooms[column], style)
        blank = Content(" " * (rooms[column] - cell.cell_length))
        row = row + (blank + cell if column.right else cell + blank) + "  "
    return row


def _as_known(status: Status) -> tuple[AttemptStatus, ...]:
    """Of the last attempt of a log that just stops nobody knows whether it runs, unless Slurm does."""
    told = status.attempts
    by_slurm = any(allocation.end is None for allocation in status.allocations)
    if not told or told[-1].end is not None or by_slurm or status.health != "unknown":
        return told
    return (*told[:-1], replace(told[-1], end="unknown", cause="the log tells no end"))


def _measured(entries: list[Entry]) -> dict[Column, int]:
    """How wide each column is; those in which nothing stands lately are left out."""
    last, found = entries[-_LOOKED_AT:], dict[Column, int]()
    for column in _COLUMNS:
        longest = max((len(column.text(entry, 0.0)) for entry in last), default=0)
        if longest or column in (_BEGAN, _ITERATIONS, _RAN):
            found[column] = max(column.width, longest)
    for column, most in ((_JOB, _JOB_MOST), (_NODES, _NODES_MOST)):
        if column in found:
            found[column] = min(found[column], most)
    return found


def _end(entry: Entry) -> tuple[str, str]:
    """How it ended, in a word for attempts, and why, by the log or else by Slurm."""
    given = entry.given
    told = [in_words(given.reason) if given else ""]
    if given is not None and given.exit_code not in {"", "0:0"}:
        told.insert(0, f"exit {given.exit_code}")
    by_slurm = ", ".join(part for part in told if part and part != "None")
    if entry.attempt is not None:
        word = entry.attempt.end or "running"
        return word, (entry.attempt.cause or by_slurm).removeprefix(f"{word}: ")
    word = (allocations.end_of(given) or "unknown") if given and given.end else "running"
    return word, ", ".join(part for part in ("wrote no line", by_slurm) if part)


def _colour(word: str) -> str:
    return "$bad" if word in _GRIM else "$good" if word in ("running", "completed") else ""
