"""Other runs beside the one on the screen: found by name or log, read from the stores that they have.

The trap: nobody is made to watch them. What their stores say may be old; where there is none that is said.
"""

from collections.abc import Callable, Iterable
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from trainwatch.app import names
from trainwatch.app.config import RunSettings
from trainwatch.core.errors import TrainwatchError, UsageError
from trainwatch.core.model.snapshot import History, Other, Wanted
from trainwatch.core.model.status import Status

_RELIST_S = 60.0
_NAMED = 50  # other runs that are offered by name
_HASH = 9  # characters of a store's folder behind its name


class View(Protocol):
    """What is kept of a run. Methods raise OSError."""

    def status(self) -> Status | None: ...

    def history(self, wanted: frozenset[str]) -> History: ...


class Stores(NamedTuple):
    """How other runs are found. `runs` and `run_of` raise UsageError; `own` is the store of this run."""

    own: Path
    run_of: Callable[[str], RunSettings]
    folder: Callable[[RunSettings], Path]
    open: Callable[[Path], View]
    runs: Callable[[], Iterable[RunSettings]]

    def view(self, name: str) -> View:
        """The store of a run by its name or its log. Raises UsageError, OSError."""
        found = self._folder(name)
        if found == self.own:
            raise UsageError(f"'{name}' is this run itself")
        return self.open(found)

    def names(self) -> tuple[str, ...]:
        """Of the runs that are configured or kept, but this one. Raises OSError."""
        found = {*self._kept()}
        with suppress(UsageError):  # none is configured
            found.update(self.folder(run) for run in self.runs())
        found.discard(self.own)
        return tuple(sorted({path.name[:-_HASH] for path in found}))[:_NAMED]

    def _folder(self, name: str) -> Path:
        try:
            found, why = self.folder(self.run_of(name)), None
        except UsageError as error:
            found, why = None, error
        if found is not None and found.is_dir():
            return found
        kept = [path for path in self._kept() if path.name[:-_HASH] == names.plain(name)]
        if len(kept) > 1:
            raise UsageError(f"{len(kept)} runs are called '{name}'; type the path of its log")
        if kept:
            return kept[0]
        raise UsageError(
            f"'{name}' has no store to compare with; once it was watched it has: "
            "trainwatch watch --once LOG"
        ) from why

    def _kept(self) -> list[Path]:
        try:
            return [path for path in self.own.parent.iterdir() if path.is_dir()]
        except FileNotFoundError:
            return []


class Others:
    """What the screen reads of another run, and which there are. Not shared between threads."""

    def __init__(self, stores: Stores | None = None) -> None:
        self._stores = stores
        self._name = ""
        self._view: View | None = None
        self._last: Other | None = None
        self._names: tuple[str, ...] = ()
        self._listed_at: float | None = None

    def known(self, now: float) -> tuple[str, ...]:
        """Names of other runs; looked up now and then, but not when first asked: that waits for a picture."""
        if self._stores is None:
            return ()
        first = self._listed_at is None
        if first or not 0 <= now - (self._listed_at or 0.0) < _RELIST_S:
            self._listed_at = now - _RELIST_S if first else now
            if not first:
                self._names = self._listed()
        return self._names

    def look(self, wanted: Wanted) -> Other | None:
        """The run that is wanted. Raises nothing: what cannot be read is its trouble."""
        if not wanted.other or self._stores is None:
            self._name, self._view, self._last = "", None, None
            return None
        try:
            self._last = self._read(self._stores, wanted)
        except TrainwatchError as error:
            self._last = self._troubled(wanted.other, str(error))
        except OSError as error:
            said = f"{error.filename or wanted.other}: {error.strerror or error}"
            self._last = self._troubled(wanted.other, said)
        return self._last

    def _read(self, stores: Stores, wanted: Wanted) -> Other:
        if wanted.other != self._name or self._view is None:
            self._name, self._view, self._last = wanted.other, None, None
            self._view = stores.view(wanted.other)
        status, history = self._view.status(), self._view.history(wanted.columns)
        if status is None or not history.rows:
            raise UsageError(f"nothing of '{wanted.other}' is kept yet: no iteration was read")
        return Other(name=wanted.other, status=status, history=history)

    def _troubled(self, name: str, trouble: str) -> Other:
        """What was read last, if anything was."""
        if self._last is not None and self._last.name == name:
            return replace(self._last, trouble=trouble)
        return Other(name=name, trouble=trouble)

    def _listed(self) -> tuple[str, ...]:
        try:
            return self._stores.names() if self._stores is not None else ()
        except OSError:
            return self._names
