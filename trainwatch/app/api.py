"""What notebooks and scripts call: a log, or what was kept of a run, as values and numpy arrays.

Only what others read: rows come from `exporting`, the summary from `reporting`, the rest from a run's store.
The trap: unknown is NaN in a column, and None everywhere else.
"""

import os
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec
import numpy as np
from numpy.typing import NDArray

from trainwatch.app import clock, config
from trainwatch.app.exporting.history import FLAGS, History, history
from trainwatch.app.logfile import check_log, there
from trainwatch.app.reporting import reading
from trainwatch.app.wire import Site
from trainwatch.app.wirereading import reader_of
from trainwatch.core.beat import judged
from trainwatch.core.errors import LogUnreadable, StoreUnusable, UsageError
from trainwatch.core.model.state import Event
from trainwatch.core.model.status import Status
from trainwatch.core.rows import ReportRow

Place = str | os.PathLike[str]
Columns = Mapping[str, NDArray[np.float64] | NDArray[np.bool_]]


class Log(msgspec.Struct, frozen=True, eq=False):
    """A log, as it was when it was read.

    `summary`: its row of `trainwatch report`. `columns`: those of `trainwatch export`, each an array with a
    value an iteration: float64, NaN where unknown; `loss_is_nan`, `step_skipped` and the like are bools.
    """

    summary: ReportRow
    columns: Columns

    def __repr__(self) -> str:
        rows = len(self.columns["iteration"])
        return f"<trainwatch.Log {self.summary.log}: {rows:,} rows, {self.summary.end}>"


class Run:
    """What is kept of a run, read anew with each call. Needs no lease, and may be written meanwhile."""

    def __init__(self, folder: Path) -> None:
        """Use `open_run`."""
        self.folder = folder
        self._reader = reader_of(folder)

    def status(self) -> Status:
        """What its watcher said last; health is `unknown` if that is too long ago.

        Raises StoreUnusable where nothing was published, or it cannot be read.
        """
        published = self._reader.status()
        if published is None:
            raise StoreUnusable(f"{self.folder} holds no status that can be read")
        return judged(published, clock.now())

    def names(self) -> tuple[str, ...]:
        """The columns there are. Raises StoreUnusable."""
        return (*self._history().names, *FLAGS)

    def columns(self, *names: str) -> Columns:
        """These columns, or all: a value an iteration, the newest last; see Log.

        Raises UsageError for a name there is not, StoreUnusable.
        """
        found = self._history()
        known = (*found.names, *FLAGS)
        for name in names:
            if name not in known:
                raise UsageError(f"there is no column '{name}'; there are: {', '.join(known)}")
        with _looking_into(self.folder):
            return _arrays(found, names or known)

    def events(self) -> Sequence[Event]:
        """What happened: attempts, saves, faults, alerts, oldest first. Raises StoreUnusable."""
        with _looking_into(self.folder):
            return self._reader.events()

    def __repr__(self) -> str:
        return f"<trainwatch.Run {self.folder}>"

    def _history(self) -> History:
        with _looking_into(self.folder):
            saved = self._reader.load()
        if saved is None:
            raise StoreUnusable(f"nothing was kept in {self.folder} so far")
        return History(self._reader, saved.state)


def read(log: Place, *, config_file: Place | None = None, state_dir: Place | None = None) -> Log:
    """Read a log, finished or still written to, up to its end.

    What was read is kept in the state folder (`state_dir`, else as for the commands), and not read a second
    time; while another process watches the log, what that has read counts. No configuration is needed.
    Raises LogUnreadable, LogUnknown, UsageError, and LeaseHeld while another reads it for the first time.
    """
    path = Path(log).expanduser()
    check_log(path)
    chosen = Path(config_file) if config_file else config.default_path()
    site = Site(config.load(chosen), Path(state_dir) if state_dir else None, config_path=chosen)
    now = clock.now()
    with history(site, site.run_of(str(path)), now) as found:
        columns = _arrays(found, (*found.names, *FLAGS))
    worker = reading.Worker(reading.How(now=now, settings=site.settings), ahead=reading.cores() > 1)
    summary = worker.row(path, lambda read_bytes: None)
    if summary.error:
        raise LogUnreadable(summary.error)
    return Log(summary, columns)


def open_run(path: Place, name: str | None = None) -> Run:
    """A run that was watched: `path` is its folder, or a state folder. Of several in it `name` is meant.

    Raises StoreUnusable where no run is, UsageError where `name` is missing or is none of them.
    """
    folder = Path(path).expanduser()
    if reader_of(folder).exists():
        return Run(folder)
    found = sorted(each for each in (folder / "runs").glob("*") if reader_of(each).exists())
    if not found:
        why = "holds no run that can be read: expected a state folder of trainwatch, or one in its runs/"
        raise StoreUnusable(f"{folder} {why if there(folder) else 'does not exist'}")
    named = [each for each in found if name in (None, each.name, _name(each))]
    if len(named) != 1:
        why = "holds several runs" if name is None else f"does not hold one run '{name}'"
        names = ", ".join(each.name for each in found)
        raise UsageError(f"{folder} {why}; name one of these: {names}")
    return Run(named[0])


def _name(folder: Path) -> str:
    published = reader_of(folder).status()
    return published.run if published else folder.name


def _arrays(found: History, names: Sequence[str]) -> Columns:
    """The columns, read chunk by chunk into arrays that are as long as the history."""
    wanted = {"flags" if name in FLAGS else name for name in names}
    floats = {name: np.empty(found.rows) for name in wanted}
    start = 0
    for columns in (chunk.columns for chunk in found.chunks(wanted)):
        for name, array in floats.items():
            array[start : start + columns.rows] = np.frombuffer(columns.column(name))
        start += columns.rows
    return {name: _flag(floats["flags"], name) if name in FLAGS else floats[name] for name in names}


def _flag(flags: NDArray[np.float64], name: str) -> NDArray[np.bool_]:
    bits = np.nan_to_num(flags).astype(np.int64)
    found: NDArray[np.bool_] = (bits & FLAGS[name]) != 0
    return found


@contextmanager
def _looking_into(folder: Path) -> Iterator[None]:
    """Raises StoreUnusable for what the disk does not give."""
    try:
        yield
    except OSError as error:
        raise StoreUnusable(f"{error.filename or folder}: {error.strerror or error}") from error
