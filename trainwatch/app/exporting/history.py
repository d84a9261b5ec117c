"""Where the rows of an export come from: a run's store, which is brought up to date with its log first.

The newest iteration is still open and not in history; it is the last row. Where nothing can be kept, the
history is built in a temporary folder.
"""

import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple, Protocol

from trainwatch.app.config import RunSettings
from trainwatch.app.logfile import check_log, there
from trainwatch.app.looking import require_known
from trainwatch.app.progress import progress
from trainwatch.app.watched import Watched
from trainwatch.app.wire import Site
from trainwatch.core.columns import (
    AT_DERIVED,
    COLUMNS,
    LOSS_NAN,
    SKIPPED,
    STEP_TIME_DERIVED,
    Columns,
    from_rows,
)
from trainwatch.core.errors import LeaseHeld, StoreFull, StoreUnusable
from trainwatch.core.model.state import Event, RunState
from trainwatch.core.model.status import Status
from trainwatch.core.ports import Saved
from trainwatch.core.timeline import as_columns

CHUNK_ROWS = 16384
# what the bits of `flags` say, as columns of their own
FLAGS = {
    "loss_is_nan": LOSS_NAN,
    "step_skipped": SKIPPED,
    "step_time_derived": STEP_TIME_DERIVED,
    "at_derived": AT_DERIVED,
}


class Reader(Protocol):
    """What is read of a store."""

    def load(self) -> Saved | None: ...
    def status(self) -> Status | None: ...
    def names(self) -> list[str]: ...
    def rows(self, start: int, stop: int, wanted: Iterable[str] | None = None) -> Columns: ...
    def events(self) -> list[Event]: ...


class History:
    """The rows of a run, in order, in chunks."""

    def __init__(self, reader: Reader, state: RunState) -> None:
        self.reader, self.state = reader, state
        self._last = as_columns(state.open) if state.open else None
        self.rows = state.rows + (self._last is not None)
        self.attempts = len(state.attempts)
        extra = {*reader.names(), *(self._last or ())} - COLUMNS.keys()
        self.names = (*(name for name in COLUMNS if name != "flags"), *sorted(extra))

    def events(self) -> list[Event]:
        """The journal."""
        return self.reader.events()

    def chunks(self, wanted: Iterable[str] | None = None) -> Iterator["Chunk"]:
        """All rows, some at a time: their wanted columns, or all."""
        columns = None if wanted is None else tuple(wanted)
        for start in range(0, self.state.rows, CHUNK_ROWS):
            stop = min(start + CHUNK_ROWS, self.state.rows)
            yield Chunk(self.reader.rows(start, stop, columns))
        if self._last is not None:
            yield Chunk(from_rows([self._last]))


class Chunk(NamedTuple):
    """Some rows."""

    columns: Columns

    def flag(self, name: str) -> list[bool]:
        """A column of FLAGS."""
        bit = FLAGS[name]
        return [
            bool(int(flags) & bit) if flags == flags else False
            for flags in self.columns.column("flags")
        ]


@contextmanager
def history(site: Site, run: RunSettings, now: float) -> Iterator[History]:
    """The history of a run, up to the end of its log.

    Raises LogUnreadable, LogUnknown, and LeaseHeld while another process reads the log for the first time.
    """
    if not site.folder(run).exists():
        check_log(Path(run.log))
    try:
        watched = site.watched(run, once=True)
    except LeaseHeld:
        yield _kept(site, run)
        return
    except (StoreFull, StoreUnusable):
        with tempfile.TemporaryDirectory(prefix="trainwatch-") as folder:
            elsewhere = Site(site.settings, Path(folder))
            yield _read(elsewhere, run, elsewhere.watched(run, once=True), now)
            return
    yield _read(site, run, watched, now)


def _read(site: Site, run: RunSettings, watched: Watched, now: float) -> History:
    try:
        size = Path(run.log).stat().st_size if there(Path(run.log)) else 0
        with progress("reading", size - watched.read_to) as shown:
            before, more = watched.read_to, True
            while more:
                more = watched.tick(now, heartbeat_s=0.0)
                shown.advance(watched.read_to - before)
                before = watched.read_to
        require_known(watched, run)
    finally:
        watched.close()
    found, reader = watched.state, site.reader(run)
    saved = reader.load()
    if saved is None or saved.state.rows < found.rows:
        raise StoreFull(watched.warning or f"{site.folder(run)} could not be written")
    return History(reader, found)


def _kept(site: Site, run: RunSettings) -> History:
    reader = site.reader(run)
    saved = reader.load()
    if saved is None:
        raise LeaseHeld(f"another trainwatch is reading {run.log} for the first time; try again")
    return History(reader, saved.state)
