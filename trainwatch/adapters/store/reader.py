"""Reading a run's store: needs no lease, and may happen on another node while it is written."""

from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

import msgspec

from trainwatch.adapters.store import files, history
from trainwatch.core.columns import Columns
from trainwatch.core.model.alerts import Book
from trainwatch.core.model.state import RECENT_ROWS, Event
from trainwatch.core.model.status import Status
from trainwatch.core.ports import Saved


class _WithBook(msgspec.Struct, frozen=True):
    """What is read of status.json where only alerts are asked for."""

    book: Book | None = None


class _WithHeartbeat(msgspec.Struct, frozen=True):
    """What is read of status.json where only its age is asked for."""

    heartbeat_at: float | None = None


_decode_heartbeat = msgspec.json.Decoder(_WithHeartbeat, strict=False).decode
_decode_book = msgspec.json.Decoder(_WithBook, strict=False).decode
_decode_event = msgspec.json.Decoder(Event, strict=False).decode


class StoreReader:
    """What views read of one run."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder

    def exists(self) -> bool:
        """Whether the folder is that of a run's store, as far as can be seen."""
        with suppress(OSError):
            return any((self._folder / name).is_file() for name in (files.STATE, files.STATUS))
        return False

    def load(self) -> Saved | None:
        """What was last committed, with the last rows of history. Raises StoreUnusable."""
        kept = files.read_kept(self._folder)
        if kept is None:
            return None
        return Saved(kept.state, kept.mark, self.rows(max(0, kept.rows - RECENT_ROWS), kept.rows))

    def status(self) -> Status | None:
        """What the writer last published; None before it did."""
        return files.read_status(self._folder)

    def book(self) -> Book | None:
        """The alert book as it was last published; None before it was, or when it cannot be read."""
        try:
            return _decode_book((self._folder / files.STATUS).read_bytes()).book
        except (OSError, *files.UNDECODABLE):
            return None

    def heartbeat(self) -> float | None:
        """When the writer last published; None before it did, or when it cannot be read."""
        try:
            return _decode_heartbeat((self._folder / files.STATUS).read_bytes()).heartbeat_at
        except (OSError, *files.UNDECODABLE):
            return None

    def is_held(self) -> bool:
        """Whether somebody has the lease, who may have died with it: nobody is asked."""
        return (self._folder / files.LEASE).exists()

    def names(self) -> list[str]:
        """The columns of history."""
        return history.names(self._folder / files.HISTORY)

    def rows(self, start: int, stop: int, wanted: Iterable[str] | None = None) -> Columns:
        """Rows of history."""
        return history.read(self._folder / files.HISTORY, start, stop, wanted)

    def events(self, last: int | None = None) -> list[Event]:
        """The journal, or its last lines; a line that cannot be read is left out."""
        try:
            lines = (self._folder / files.JOURNAL).read_bytes().splitlines()
        except FileNotFoundError:
            return []
        events = []
        for line in lines if last is None else lines[-last:]:
            try:
                events.append(_decode_event(line))
            except files.UNDECODABLE:
                continue
        return events
