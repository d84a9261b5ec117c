"""All runs, for the screen: each run's status where it changed, and how fast those in view were lately.

The trap: hundreds of runs on a filesystem that is shared. One read asks for so many files at most, those in
view first, the others in turn; and a run that cannot be read is a row that says why.
"""

from array import array
from collections.abc import Callable, Mapping, Sequence
from heapq import nsmallest
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from trainwatch.app.viewing import Source
from trainwatch.core import fleet
from trainwatch.core.beat import SILENT_AFTER_S
from trainwatch.core.errors import TrainwatchError
from trainwatch.core.model.fleet import Fleet, FleetRow
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.snapshot import EMPTY, Search, Snapshot, Wanted
from trainwatch.core.model.status import Status

ASKED_AT_ONCE = 200  # files, in one read
SPEED_BINS = 12
_SPEED_ROWS = 240  # iterations that the speeds are of
_COLUMNS = ("step_time_s", "global_batch_size")
_FRESH_S = 1.0  # one that was read is not read again for so long
_TURN_S = 1.5  # between reads of those that are not in view
_NEVER = float("-inf")
_RELIST_S = 60.0  # between looks at which runs there are: a glob may find new ones


class Glance(Protocol):
    """One run's store (adapters/store/glance.py). Methods raise OSError; `look` StoreUnusable, too."""

    def look(self) -> FleetRow | None: ...

    def tail(self, names: Sequence[str], rows: int) -> "Mapping[str, array[float]]": ...


class Listed(NamedTuple):
    """A run that there is. `key` tells it apart; without a `name` its store says what it is called."""

    key: str
    name: str
    log: str
    project: str = ""
    user: str = ""  # whose jobs are the run's, as configured


class _Kept:
    """What was seen of one run."""

    def __init__(self, listed: Listed, glance: Glance) -> None:
        self.listed, self.glance = listed, glance
        self.row = _blank(listed, fleet.UNREAD)
        self.read_at = _NEVER
        self.published = False
        self.speeds: tuple[float, ...] | None = None
        self.speeds_of: tuple[object, ...] = ()


class FleetSource:
    """Many runs. Not shared between threads."""

    def __init__(
        self,
        listing: Callable[[], Sequence[Listed]],
        glance: Callable[[Listed, Callable[[Status], FleetRow]], Glance],
        now: Callable[[], float],
        *,
        owner: Callable[[str], str] = lambda _: "",
        silent_after_s: float = SILENT_AFTER_S,
        asked_at_once: int = ASKED_AT_ONCE,
    ) -> None:
        """`listing` says which runs there are; it may raise TrainwatchError and OSError.

        `glance` opens a run's store, handing each new status to what makes a row of it. `owner` says whose
        a log is; it is asked where neither the queue nor the configuration names a user.
        """
        self._listing, self._glance, self._now, self._owner = listing, glance, now, owner
        self._silent_after_s, self._most = silent_after_s, asked_at_once
        self._runs = dict[str, _Kept]()
        self._listed_at = self._turned_at = _NEVER
        self._trouble = ""
        self._owners = dict[str, str]()

    def read(self, in_view: Sequence[str] = ()) -> Fleet:
        """All runs now; speeds of those in view. Raises nothing."""
        now = self._now()
        self._relist(now)
        for kept in self._due(in_view, now):
            self._look(kept, now)
        viewed = [self._runs[key] for key in in_view if key in self._runs]
        return Fleet(
            at=now,
            rows=tuple(self._judged(kept, now) for kept in self._runs.values()),
            speeds={kept.listed.key: _speeds(kept) for kept in viewed},
            unread=sum(kept.read_at == _NEVER for kept in self._runs.values()),
            trouble=self._trouble,
        )

    def _relist(self, now: float) -> None:
        if 0 <= now - self._listed_at < _RELIST_S:
            return
        self._listed_at = now
        try:
            found = self._listing()
        except TrainwatchError as error:
            self._trouble = str(error)
        except OSError as error:
            self._trouble = f"{error.filename or 'the runs'}: {error.strerror or error}"
        else:
            self._trouble = ""
            self._runs = {listed.key: self._kept(listed) for listed in found}

    def _kept(self, listed: Listed) -> _Kept:
        known = self._runs.get(listed.key)
        if known is not None and known.listed == listed:
            return known
        return _Kept(listed, self._glance(listed, lambda status: self._row(listed, status)))

    def _row(self, listed: Listed, status: Status) -> FleetRow:
        user = listed.user or self._owned(status.log or listed.log)
        row = fleet.row_of(listed.key, status, listed.project, user)
        return replace(row, run=listed.name) if listed.name else row

    def _owned(self, log: str) -> str:
        """Whose a log is, asked until somebody knows."""
        if not self._owners.get(log):
            self._owners[log] = self._owner(log) if log else ""
        return self._owners[log]

    def _due(self, in_view: Sequence[str], now: float) -> list[_Kept]:
        """Whom to look at: those in view, then of the others those that nobody looked at for longest.

        Who scrolls asks for new ones again and again: neither those that were just read nor the others
        are read again for that.
        """
        viewed = [self._runs[key] for key in in_view if key in self._runs]
        due = [kept for kept in viewed if not 0 <= now - kept.read_at < _FRESH_S][: self._most]
        unread = any(kept.read_at == _NEVER for kept in self._runs.values())
        if unread or not 0 <= now - self._turned_at < _TURN_S:
            self._turned_at = now
            seen = {*map(id, viewed)}
            others = [kept for kept in self._runs.values() if id(kept) not in seen]
            due += nsmallest(self._most - len(due), others, key=lambda kept: kept.read_at)
        return due

    def _look(self, kept: _Kept, now: float) -> None:
        kept.read_at, row = now, None
        try:
            row = kept.glance.look()
            why = "nobody has watched it yet"
        except TrainwatchError as error:
            why = str(error)
        except OSError as error:
            why = f"{error.filename or 'its state'}: {error.strerror or error}"
        except Exception as error:  # noqa: BLE001 - one run's row must not blind the others
            why = f"{type(error).__name__}: {error}; this is a bug"
        kept.published = row is not None
        kept.row = row or _blank(kept.listed, why)

    def _judged(self, kept: _Kept, now: float) -> FleetRow:
        return fleet.judged(kept.row, now, self._silent_after_s) if kept.published else kept.row


class Late:
    """The screen's source of one run, which is opened when it is first read: in the reader's thread."""

    def __init__(self, name: str, make: Callable[[], Source]) -> None:
        """`make` may hang; it may raise TrainwatchError and OSError."""
        self._name, self._make = name, make
        self._source: Source | None = None
        self._closed = False

    def read(self, wanted: Wanted) -> Snapshot:
        """The run now. Raises nothing."""
        try:
            self._source = self._source or self._make()
        except (TrainwatchError, OSError) as error:
            return replace(EMPTY, status=replace(EMPTY.status, run=self._name), trouble=str(error))
        if self._closed:  # while it was being opened
            self._source.close()
        return self._source.read(wanted)

    def find(self, wanted: Search, stop: Callable[[int], bool]) -> int | None:
        """Where in the log the next match is. Raises OSError."""
        return self._source.find(wanted, stop) if self._source is not None else None

    def ask(self, request: AlertRequest) -> None:
        """Leave a request for whoever watches. Raises OSError, StoreUnusable."""
        if self._source is not None:
            self._source.ask(request)

    def hush(self) -> None:
        """A key was pressed."""
        if self._source is not None:
            self._source.hush()

    def close(self) -> None:
        """Stop watching."""
        self._closed = True
        if self._source is not None:
            self._source.close()


def _blank(listed: Listed, why: str) -> FleetRow:
    return FleetRow(
        key=listed.key,
        run=listed.name or listed.key,
        log=listed.log,
        project=listed.project,
        user=listed.user,
        why=why,
    )


def _speeds(kept: _Kept) -> tuple[float, ...]:
    """How fast it was lately, read again when it got on."""
    row = kept.row
    of = (row.iteration, row.last_progress_at)
    if kept.speeds is None or of != kept.speeds_of:
        kept.speeds_of = of
        try:
            table = kept.glance.tail(_COLUMNS, _SPEED_ROWS)
        except Exception:  # noqa: BLE001 - bars that cannot be drawn are no reason to show nothing
            return ()
        kept.speeds = fleet.speeds(table[_COLUMNS[0]], table[_COLUMNS[1]], SPEED_BINS)
    return kept.speeds
