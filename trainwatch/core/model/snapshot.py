"""What the screen is handed: one frozen picture of a run. Empty, never None, before anything is read.

The trap: columns are float64 tables of any kind (`array`, numpy), because core knows no numpy. A view that
was handed out is never written to, except that its last row may be replaced by its final values.
"""

from collections.abc import Iterator, Mapping
from typing import Literal, Protocol

import msgspec

from trainwatch.core.model.cron import CronStatus
from trainwatch.core.model.goodput import Hours
from trainwatch.core.model.state import Event
from trainwatch.core.model.status import Status

Watching = Literal["starting", "here", "elsewhere", "nobody", "memory"]


class Column(Protocol):
    """Float64 values, one a row; NaN is unknown."""

    def __len__(self) -> int: ...

    def __iter__(self) -> Iterator[float]: ...

    def __getitem__(self, index: int, /) -> float: ...


class History(msgspec.Struct, frozen=True, kw_only=True):
    """Rows of history, the open iteration last. `names` are all columns, `columns` those asked for."""

    rows: int = 0
    names: tuple[str, ...] = ()
    columns: Mapping[str, Column] = {}


class Marks(msgspec.Struct, frozen=True, kw_only=True):
    """What is marked in charts, from the whole journal."""

    saved: Column = ()  # iterations of complete checkpoints
    saved_offset: Column = ()  # where the log says so, bytes
    validated: Column = ()  # iterations of validations
    validation_loss: Column = ()  # their losses
    attempt_offset: Mapping[int, int] = {}  # where in the log attempts began, bytes
    critical: Column = ()  # iterations at which an alert fired that was critical
    warning: Column = ()  # or a warning


class Line(msgspec.Struct, frozen=True):
    """A line of a log: where it begins (bytes), and its clean text."""

    offset: int
    text: str


class Page(msgspec.Struct, frozen=True, kw_only=True):
    """Consecutive lines of a log of `size` bytes. `trouble` says why there are none."""

    lines: tuple[Line, ...] = ()
    end: int = 0  # bytes; where the line behind the last begins
    size: int = 0
    trouble: str = ""


class Moment(msgspec.Struct, frozen=True, kw_only=True):
    """A time in a log, in the log's own time: one of these is known (core/logs/moments.py)."""

    stamp_s: float | None = None  # s since the epoch, as if the log's clock were UTC
    of_day_s: float | None = None  # s since midnight: the last such time before the log's end
    before_end_s: float | None = None  # s before the log's last stamp


class Search(msgspec.Struct, frozen=True, kw_only=True):
    """What to look for in a log: a regular expression, or literal text where it is none; or a moment.

    Lower case finds both cases. `place` (bytes): the first line that may be found begins here;
    `backwards` it ends here.
    """

    text: str = ""
    moment: Moment | None = (
        None  # then it is the first line of this time or later that is looked for
    )
    place: int = 0
    backwards: bool = False


class Reading(msgspec.Struct, frozen=True, kw_only=True):
    """A log that is being read up to its end."""

    done_bytes: int
    size_bytes: int
    bytes_per_s: float | None = None
    left_s: float | None = None


class Wanted(msgspec.Struct, frozen=True, kw_only=True):
    """What of a run is looked at: columns of history, lines of the log, where its hours went.

    `place` is the offset (bytes) that the lines surround; None for the end of the log. `other` is a run to
    compare with, by its name or its log. `watch`: where nobody watches, whoever is asked does.
    """

    columns: frozenset[str] = frozenset()
    place: int | None = None
    lines: int = 0
    hours: bool = False
    other: str = ""
    watch: bool = True


class Configured(msgspec.Struct, frozen=True, kw_only=True):
    """What whoever opened the screen has configured of the house: there may be no word on it yet."""

    checkpoints: bool = False
    disks: tuple[str, ...] = ()  # their names
    routes: tuple[str, ...] = ()


class Other(msgspec.Struct, frozen=True, kw_only=True):
    """Another run, to compare with: the same columns. `trouble`: what could not be read, in a sentence."""

    name: str  # as it was asked for
    status: Status = Status(run="", health="unknown")
    history: History = History()
    trouble: str = ""


class Snapshot(msgspec.Struct, frozen=True, kw_only=True):
    """One run at one time. `trouble` says what could not be read, in a sentence."""

    taken_at: float = 0.0  # s since the epoch
    status: Status
    events: tuple[Event, ...] = ()  # the last of the journal, oldest first
    alerts: tuple[Event, ...] = ()  # the last changes of alerts in it, oldest first
    history: History = History()
    marks: Marks = Marks()
    page: Page = Page()
    reading: Reading | None = None
    watching: Watching = "nobody"
    trouble: str = ""
    cron: CronStatus | None = None  # None: no chain was ever started
    configured: Configured = Configured()
    hours: Hours | None = None  # None while they are not wanted, or not added up yet
    other: Other | None = None  # the run that is compared with
    others: tuple[str, ...] = ()  # names of runs that could be, as far as known


EMPTY = Snapshot(status=Status(run="", health="unknown", reason="looking"))
