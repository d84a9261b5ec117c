"""What a daemon shows to whoever scrapes: a file now and then, and an endpoint that answers from memory.

The trap: neither may hold up the watch. The disk may hang and the port may be another's: both are a warning
of the runs, and are tried again.
"""

import threading
from collections.abc import Callable, Hashable, Sequence
from pathlib import Path
from typing import NamedTuple, Protocol, TypeVar

from trainwatch.app.probe import Probe
from trainwatch.core.metrics.labels import Labels
from trainwatch.core.metrics.measure import Watcher, measured
from trainwatch.core.metrics.model import Family
from trainwatch.core.model.status import Status

_EVERY_S = 5.0  # between two looks at the statuses, however often the daemon ticks
_AGAIN_S = 15.0  # between two tries to listen
_HANGS_S = 300.0  # what takes longer to write hangs
_ONCE_S = 30.0  # a single tick waits so long
_WHAT = "metrics"

T = TypeVar("T", bound=Hashable)
Statuses = Callable[[], Sequence[Status]]


class File(Protocol):
    """Where metrics are written."""

    path: Path

    def write(self, data: bytes) -> str:
        """In its place at once; returns what is amiss. Raises OSError."""
        ...


class Door(Protocol):
    """Where metrics are served. It asks `Shown` for what."""

    @property
    def is_open(self) -> bool:
        """Whether it listens."""
        ...

    def open(self) -> None:
        """Listen. Raises OSError."""
        ...

    def close(self) -> None:
        """Listen no longer."""
        ...


class Written(NamedTuple):
    """The textfile: where it goes, what is in it, and how often it is written."""

    file: File
    text: Callable[[], bytes]
    every_s: float


class Shown:
    """What was seen last, for threads that write or serve it.

    Numbers and texts are made when they are wanted, and once of each look: asking often costs nothing.
    """

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._seen: tuple[Sequence[Status], Watcher] = ((), Watcher("", None))
        self._texts = dict[Hashable, bytes]()

    def put(self, statuses: Sequence[Status], watcher: Watcher) -> None:
        """What is shown from now on."""
        with self._lock:
            self._seen, self._texts = (statuses, watcher), {}

    def text(self, form: T, write: Callable[[Sequence[Family], T], bytes]) -> bytes:
        """It, as `write` writes it in a form."""
        with self._lock:
            if form not in self._texts:
                self._texts[form] = write(measured(*self._seen), form)
            return self._texts[form]


class Exposer:
    """Of one daemon."""

    def __init__(
        self,
        shown: Shown,
        version: str,
        *,
        door: Door | None = None,
        door_name: str = "",
        written: Written | None = None,
        labels: Labels = (),
        once: bool = False,
    ) -> None:
        """`door` serves what is in `shown`; `labels` are on all of it.

        `once`: for a single tick, which only writes, at its end.
        """
        self._shown, self._version, self._labels, self._once = shown, version, labels, once
        self._door, self._door_name, self._written = door, door_name, written
        self._probe = Probe(self._write)
        self._seen_at = self._tried_at = self._asked_at = float("-inf")
        self._door_remark = self._file_remark = self._bug = ""

    @property
    def remarks(self) -> tuple[str, ...]:
        """What is amiss, as warnings of the runs."""
        found = (self._door_remark, self._file_remark, self._bug)
        return tuple(f"{_WHAT}: {remark}" for remark in found if remark)

    def tick(self, now: float, statuses: Statuses) -> None:
        """Show how the runs are, without waiting for anything. Raises nothing."""
        if self._once or 0 <= now - self._seen_at < _EVERY_S:
            return
        self._seen_at = now
        if not self._look(now, statuses):
            return
        self._open(now)
        if self._written is None:
            return
        if self._probe.asked:
            self._hear(now, 0.0)
        if not self._probe.asked and not 0 <= now - self._asked_at < self._written.every_s:
            self._asked_at = now
            self._probe.ask()

    def finish(self, now: float, statuses: Statuses, patience_s: float) -> None:
        """The process ends: a single tick writes now; else what is under way is waited for."""
        if self._written is None:
            return
        if self._once and self._look(now, statuses):
            self._asked_at = now
            self._probe.ask()
        if self._probe.asked:
            self._hear(now, _ONCE_S if self._once else patience_s)

    def close(self) -> None:
        """Let go. The file stays: how old it is, it says itself."""
        if self._door is not None:
            self._door.close()
        self._probe.close()

    def _look(self, now: float, statuses: Statuses) -> bool:
        try:
            self._shown.put(statuses(), Watcher(self._version, now, self._labels))
        except Exception as error:  # noqa: BLE001 - a bug here must not end the watch
            self._bug = f"failed with {type(error).__name__}"
            return False
        self._bug = ""
        return True

    def _open(self, now: float) -> None:
        if self._door is None or self._door.is_open or 0 <= now - self._tried_at < _AGAIN_S:
            return
        self._tried_at = now
        try:
            self._door.open()
        except OSError as error:
            self._door_remark = f"cannot listen on {self._door_name}: {_why(error)}"
        else:
            self._door_remark = ""

    def _write(self) -> str:
        """In a thread of its own."""
        assert self._written is not None
        return self._written.file.write(self._written.text())

    def _hear(self, now: float, patience_s: float) -> None:
        assert self._written is not None
        try:
            amiss = self._probe.answer(patience_s)
        except OSError as error:
            self._file_remark = f"cannot write {self._written.file.path}: {_why(error)}"
        except Exception as error:  # noqa: BLE001 - a bug of ours must not end the watch
            self._file_remark = f"writing failed with {type(error).__name__}"
        else:
            if amiss is not None:
                self._file_remark = amiss
            elif now - self._asked_at > _HANGS_S:
                self._file_remark = (
                    f"writing {self._written.file.path} hangs; does its disk answer?"
                )


def _why(error: OSError) -> str:
    return (error.strerror or str(error)).lower() if error.errno else str(error)
