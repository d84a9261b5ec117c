"""Reading goes on in threads of its own: the screen never waits for a disk, and can say that one hangs.

A hung read on a network filesystem cannot be interrupted. Its thread is a daemon: leaving does not wait.
"""

import threading
from collections.abc import Callable
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from trainwatch.app import clock
from trainwatch.app.tui.chart.metrics import METRICS, Floats, Metric, columns_of
from trainwatch.app.tui.chart.overlay import Compared
from trainwatch.app.tui.chart.parts import Parts
from trainwatch.app.tui.chart.traces import NOTHING, Trace, Traces
from trainwatch.app.tui.chart.xaxis import ITERATIONS, Axis, Kind
from trainwatch.app.tui.layout import charts_in
from trainwatch.core.errors import TrainwatchError
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.snapshot import EMPTY, Other, Search, Snapshot, Wanted

INTERVAL_S = 1.0
PAGE_LINES = 400  # of the log, at least
_UNPAINTED_S = 3.0  # a screen that paints nothing for so long is watched without
_FIRST_S = 0.2  # while the watcher begins
_PAINT_S = 0.05  # what is read meanwhile takes from the time that painting a key needs
_TOLD_BYTES = 16 * 1024 * 1024  # a search says so often how far it is


class Source(Protocol):
    """What the screen is handed (app/viewing.py). All of it may hang."""

    def read(self, wanted: Wanted) -> Snapshot: ...

    def find(self, wanted: Search, stop: Callable[[int], bool]) -> int | None: ...

    def ask(self, request: AlertRequest) -> None: ...

    def hush(self) -> None: ...


class Looked(NamedTuple):
    """What of the charts is looked at."""

    metrics: tuple[Metric, ...]
    axis: Kind = "iteration"
    split: bool = False  # each attempt a line of its own


class Seen(NamedTuple):
    """A snapshot, and the charts' data made from it, along an axis."""

    snapshot: Snapshot
    traces: dict[str, Trace]
    axis: Axis = ITERATIONS
    batches: Floats = NOTHING  # where the batch size changes
    parts: Parts | None = None  # the attempts, if they are looked at apart
    other: Compared | None = None
    trouble: str = ""  # why another run cannot be compared with


class Feed:
    """Reads again and again, and hands on what it read. Begins before there is a screen."""

    def __init__(self, source: Source, width: int = 80, height: int = 24) -> None:
        """`width` and `height` of the screen say what is read first."""
        self._source = source
        self._deliver: Callable[[Seen], None] | None = None
        self._latest: Seen | None = None
        self._lock = threading.Lock()
        self._wake = threading.Event()
        self._closed = threading.Event()
        metrics = METRICS[: charts_in(width, height)]
        columns = frozenset[str]().union(*(columns_of(metric) for metric in metrics))
        wanted = Wanted(columns=columns, lines=max(PAGE_LINES, 4 * height))
        self._asked = (wanted, Looked(metrics))  # one value: both are of the same moment
        self._is_painted, self._began_at = False, 0.0
        self._traces, self._others = Traces(), ("", Traces())
        self._thread = threading.Thread(target=self._run, daemon=True, name="feed")

    def start(self) -> None:
        """Begin."""
        self._began_at = clock.elapsed()
        self._thread.start()

    def attach(self, deliver: Callable[[Seen], None]) -> Seen | None:
        """What was read last; what is read from now on is handed to `deliver`, in the feed's thread."""
        with self._lock:
            self._deliver = deliver
            return self._latest

    def want(self, wanted: Wanted, looked: Looked) -> None:
        """Where something else is looked at: read it as soon as the key that asks for it is painted."""
        if (wanted, looked) != self._asked:
            self._asked = (wanted, looked)
            self._wake.set()

    def hush(self) -> None:
        """A key was pressed, which is to be painted first."""
        self._source.hush()

    def painted(self) -> None:
        """What was read is on the screen: from now on the log is read on, which takes half of all time."""
        if not self._is_painted:
            self._is_painted = True
            self._wake.set()

    def close(self) -> None:
        """End after the read under way."""
        self._closed.set()
        self._wake.set()

    def _run(self) -> None:
        while not self._closed.is_set():
            seen = self._look()
            if self._closed.is_set():
                return
            with self._lock:
                self._latest, deliver = seen, self._deliver
            if deliver is not None:
                deliver(seen)
            snapshot = seen.snapshot
            first = snapshot.watching == "starting"
            if self._wake.wait(_FIRST_S if first else INTERVAL_S):
                self._closed.wait(_PAINT_S)
            self._wake.clear()

    def _look(self) -> Seen:
        wanted, looked = self._asked
        watch = self._is_painted or clock.elapsed() - self._began_at > _UNPAINTED_S
        snapshot = self._source.read(wanted if watch else replace(wanted, watch=False))
        try:
            axis = self._traces.along(snapshot, looked.axis)
            traces = self._traces.of(snapshot, looked.metrics)
            parts = self._traces.parts(snapshot, looked.metrics) if looked.split else None
            other, trouble = self._other(snapshot.other, looked, axis)
            batches = self._traces.batches(snapshot)
            return Seen(snapshot, traces, axis, batches, parts, other, trouble)
        except Exception as error:  # noqa: BLE001 - a chart that fails must not blind the rest
            trouble = f"the charts cannot be drawn ({type(error).__name__}: {error}); this is a bug"
            return Seen(replace(snapshot, trouble=trouble), {})

    def _other(
        self, other: Other | None, looked: Looked, axis: Axis
    ) -> tuple[Compared | None, str]:
        """The traces of the run that is compared with, along the same axis; or why there are none."""
        if other is None or not other.history.rows:
            self._others = ("", Traces())
            return None, other.trouble if other is not None else ""
        if other.name != self._others[0]:
            self._others = (other.name, Traces())
        made, seen = self._others[1], _as_snapshot(other)
        along = made.along(seen, axis.kind)
        if along.kind != axis.kind:
            return Compared(other.name), f"{other.name}: {along.trouble}"
        return Compared(other.name, made.of(seen, looked.metrics)), other.trouble


def _as_snapshot(other: Other) -> Snapshot:
    return replace(EMPTY, status=other.status, history=other.history)


class Found(NamedTuple):
    """What a search says: how far it is, or where it found something, or why not."""

    search: Search
    over: bool
    place: int | None
    called: str  # what people call what is searched for
    jump: bool = False  # there is no next one to look for
    trouble: str = ""


class Finder:
    """Searches the log, one search at a time; a new one ends the one before."""

    def __init__(self, source: Source, deliver: Callable[[Found], None]) -> None:
        self._source, self._deliver = source, deliver
        self._number = 0

    def find(self, wanted: Search, called: str, *, jump: bool = False) -> None:
        """Begin a search."""
        self._number += 1
        begun = Found(wanted, over=False, place=wanted.place, called=called, jump=jump)
        arguments = (begun, self._number)
        threading.Thread(target=self._find, args=arguments, daemon=True, name="find").start()

    def stop(self) -> None:
        """End it."""
        self._number += 1

    def _find(self, begun: Found, number: int) -> None:
        told = begun.search.place

        def stop(at: int) -> bool:
            nonlocal told
            if abs(at - told) >= _TOLD_BYTES:
                told = at
                self._tell(number, begun._replace(place=at))
            return number != self._number

        try:
            place, trouble = self._source.find(begun.search, stop), ""
        except OSError as error:
            place, trouble = None, error.strerror or str(error)
        self._tell(number, begun._replace(over=True, place=place, trouble=trouble))

    def _tell(self, number: int, found: Found) -> None:
        if number == self._number:
            self._deliver(found)


class Asker:
    """Leaves requests for the watcher, each in a thread of its own."""

    def __init__(self, source: Source, deliver: Callable[[str], None]) -> None:
        """`deliver` is told in that thread why a request could not be left; nothing if it was."""
        self._source, self._deliver = source, deliver

    def ask(self, request: AlertRequest) -> None:
        """Leave a request."""
        threading.Thread(target=self._ask, args=(request,), daemon=True, name="ask").start()

    def _ask(self, request: AlertRequest) -> None:
        trouble = ""
        try:
            self._source.ask(request)
        except OSError as error:
            trouble = error.strerror or str(error)
        except TrainwatchError as error:
            trouble = str(error)
        self._deliver(trouble)
