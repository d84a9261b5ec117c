"""What a view reads of a store again and again: each file only when it changed, the journal as it grows."""

import os
from collections.abc import Callable
from pathlib import Path
from typing import Generic, TypeVar

import msgspec

from trainwatch.adapters.store import files, history
from trainwatch.adapters.store.arrays import Arrays
from trainwatch.core.journal import Journal, Seen
from trainwatch.core.model.snapshot import History
from trainwatch.core.model.state import Event, Row
from trainwatch.core.model.status import Status
from trainwatch.core.timeline import as_columns

T = TypeVar("T")


class _Open(msgspec.Struct, frozen=True):
    open: Row | None = None


class _Head(msgspec.Struct, frozen=True):
    """What state.json says counts; the rest of it is skipped."""

    rows: int = 0
    journal_bytes: int = 0
    state: _Open = _Open()


_decode_head = msgspec.json.Decoder(_Head, strict=False).decode  # NaN is text there
_decode_event = msgspec.json.Decoder(Event, strict=False).decode


class _Changing(Generic[T]):
    """A file that is replaced when it changes, and what was made of it last."""

    def __init__(self, path: Path, read: Callable[[Path], T], empty: T) -> None:
        self._path, self._read = path, read
        self._seen: tuple[int, int, int] | None = None
        self.value = empty

    def look(self) -> T:
        """What the file says now; what it said before while it cannot be read."""
        try:
            stat = self._path.stat()
        except (FileNotFoundError, NotADirectoryError):
            return self.value
        seen = (stat.st_mtime_ns, stat.st_ino, stat.st_size)
        if seen != self._seen:
            self.value, self._seen = self._read(self._path), seen
        return self.value


class StoreView:
    """A run's store, looked at. Needs no lease. Methods raise OSError when it cannot be looked at."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._status = _Changing(folder / files.STATUS, lambda _: files.read_status(folder), None)
        self._head = _Changing(folder / files.STATE, _read_head, _Head())
        self._arrays = Arrays(folder / files.HISTORY)
        self._journal, self._journal_bytes = Journal(), 0
        self._inode = _inode(folder / files.HISTORY)

    def status(self) -> Status | None:
        """What the writer last published; None before it did."""
        return self._status.look()

    def history(self, wanted: frozenset[str]) -> History:
        """The wanted columns, the open iteration as their last row."""
        self._notice_start_over()
        head = self._head.look()
        last = None if head.state.open is None else as_columns(head.state.open)
        names = history.names(self._folder / files.HISTORY)
        return History(
            rows=head.rows + (last is not None),
            names=tuple(sorted({*names, *(last or ())})),
            columns=self._arrays.read(wanted, head.rows, last),
        )

    def journal(self) -> Seen:
        """The journal, with what was added since the last look."""
        stop = self._head.look().journal_bytes
        if stop < self._journal_bytes:
            self._journal, self._journal_bytes = Journal(), 0
        if stop > self._journal_bytes:
            with (self._folder / files.JOURNAL).open("rb") as file:
                file.seek(self._journal_bytes)
                data = file.read(stop - self._journal_bytes)
            whole = data[: data.rfind(b"\n") + 1]
            self._journal.add(_events(whole))
            self._journal_bytes += len(whole)
        return self._journal.seen()

    def _notice_start_over(self) -> None:
        """A store that was set aside has a new folder of columns."""
        inode = _inode(self._folder / files.HISTORY)
        if inode != self._inode:
            self._inode, self._arrays = inode, Arrays(self._folder / files.HISTORY)
            self._journal, self._journal_bytes = Journal(), 0


def _inode(folder: Path) -> int:
    try:
        return os.stat(folder).st_ino  # noqa: PTH116 - the same, said shorter
    except OSError:
        return 0


def _read_head(path: Path) -> _Head:
    try:
        return _decode_head(path.read_bytes())
    except (*files.UNDECODABLE, FileNotFoundError):
        return _Head()


def _events(data: bytes) -> list[Event]:
    events = []
    for line in data.splitlines():
        try:
            events.append(_decode_event(line))
        except files.UNDECODABLE:
            continue
    return events
