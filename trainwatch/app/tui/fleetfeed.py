"""All runs are read in a thread of its own, while they are looked at: the screen never waits for a disk."""

import threading
from collections.abc import Callable, Sequence
from typing import Protocol

from trainwatch.core.model.fleet import Fleet

INTERVAL_S = 2.0
_STUCK_S = 0.05  # where no more could be read: to try at once takes a core until a disk answers
_GATHERING_S = 0.5  # so long the first runs are not shown without the others
_LEAST_S = 0.2  # between two reads, however fast somebody scrolls


class Reads(Protocol):
    """What is read (app/fleet.py). It may hang; it raises nothing."""

    def read(self, in_view: Sequence[str] = ()) -> Fleet: ...


class FleetFeed:
    """Reads again and again, and hands on what it read. Begins before there is a screen."""

    def __init__(self, source: Reads) -> None:
        self._source = source
        self._deliver: Callable[[Fleet], None] | None = None
        self._latest: Fleet | None = None
        self._in_view: tuple[str, ...] = ()
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._closed = threading.Event()
        self._looked_at = threading.Event()
        self._looked_at.set()
        self._thread = threading.Thread(target=self._run, daemon=True, name="fleet")

    def start(self) -> None:
        """Begin, unless it reads already."""
        if self._thread.ident is None:
            self._thread.start()

    def attach(self, deliver: Callable[[Fleet], None]) -> Fleet | None:
        """What was read last; what is read from now on is handed to `deliver`, in the feed's thread."""
        with self._lock:
            self._deliver = deliver
            return self._latest

    def want(self, in_view: tuple[str, ...]) -> None:
        """Which runs are in view: those that were not are read at once."""
        new = not set(in_view) <= set(self._in_view)
        self._in_view = in_view
        if new:
            self._wake.set()

    def pause(self, *, paused: bool) -> None:
        """Read nothing while nobody looks; go on at once when somebody does."""
        if paused:
            self._looked_at.clear()
        else:
            self._looked_at.set()
            self._wake.set()

    def close(self) -> None:
        """End after the read under way."""
        self._closed.set()
        self._looked_at.set()
        self._wake.set()

    def _run(self) -> None:
        begun, unread = None, 0
        while not self._closed.is_set():
            self._wake.clear()
            fleet = self._source.read(self._in_view)
            begun = fleet.at if begun is None else begun
            if fleet.unread and fleet.unread == unread:
                self._closed.wait(_STUCK_S)
            unread = fleet.unread
            if self._closed.is_set():
                return
            if fleet.unread and 0 <= fleet.at - begun < _GATHERING_S:
                continue  # on a fast disk all of them are there at once
            with self._lock:
                self._latest, deliver = fleet, self._deliver
            if deliver is not None:
                deliver(fleet)
            if not fleet.unread:
                self._closed.wait(_LEAST_S)
                self._wake.wait(INTERVAL_S - _LEAST_S)
            self._looked_at.wait()
