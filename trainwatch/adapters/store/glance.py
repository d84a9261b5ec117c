"""A short look at one store of many: its status where that changed, and the end of a few columns.

The trap: `state.json` says how many rows of history count, and is too large to be read of hundreds of runs.
Here the files' own length counts, so a killed writer's last rows may be seen until they are cut off.
"""

from array import array
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Generic, TypeVar

from trainwatch.adapters.store import files, history
from trainwatch.core.errors import StoreUnusable
from trainwatch.core.model.status import Status

T = TypeVar("T")
_WIDTH = 8  # bytes a row


class Glance(Generic[T]):
    """A run's store. What is made of its status is kept, the status itself is not."""

    def __init__(self, folder: Path, make: Callable[[Status], T]) -> None:
        self._folder, self._make = folder, make
        self._seen: tuple[int, int, int] | None = None
        self._made: T | None = None
        self._damage = ""

    def look(self) -> T | None:
        """What was made of the status: the same object while the file is; None before there is one.

        Raises OSError, or StoreUnusable for a damaged file.
        """
        path = self._folder / files.STATUS
        try:
            stat = path.stat()
        except (FileNotFoundError, NotADirectoryError):
            self._seen = self._made = None
            return None
        seen = (stat.st_mtime_ns, stat.st_ino, stat.st_size)
        if seen != self._seen:
            self._made, self._damage = None, ""
            self._read(path)
            self._seen = seen
        if self._damage:
            raise StoreUnusable(self._damage)
        return self._made

    def tail(self, names: Sequence[str], rows: int) -> "dict[str, array[float]]":
        """The last rows of some columns; NaN of one that is not there. Raises OSError."""
        folder = self._folder / files.HISTORY
        lengths = [_rows(history.path_of(folder, name)) for name in names]
        stop = min((length for length in lengths if length), default=0)
        return history.read(folder, max(0, stop - rows), stop, names).data

    def _read(self, path: Path) -> None:
        try:
            self._made = self._make(files.decode_status(path.read_bytes()))
        except files.UNDECODABLE as error:
            self._damage = f"{path} is damaged: {error}"


def _rows(path: Path) -> int:
    try:
        return path.stat().st_size // _WIDTH
    except (FileNotFoundError, NotADirectoryError):
        return 0
