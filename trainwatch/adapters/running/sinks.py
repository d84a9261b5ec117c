"""Where the output of a command goes: the log, our own output. Each has a thread of its own.

The trap: a training that prints into a full pipe stops. A sink that is slow makes it wait, as any pipe would;
one that does not move at all is left out after a while, and what it misses is counted and said.
"""

import errno
import os
import select
import threading
import time
from collections import deque
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from typing import Protocol

MOST_BYTES = 16 * 1024 * 1024  # that wait for one sink
PATIENCE_S = 5.0  # without a byte taken
_BLOCK_BYTES = 1024 * 1024  # written at once
_GONE = frozenset({errno.EPIPE, errno.EIO, errno.EBADF, errno.ENXIO, errno.ECONNRESET})
_POLL_MS = 1000

Say = Callable[[str], None]


def keep_streams_apart() -> None:
    """Open what was closed of 0, 1, 2: the next file would become our own output otherwise."""
    for number in (0, 1, 2):
        try:
            os.fstat(number)
        except OSError:
            os.open(os.devnull, os.O_RDWR)  # the lowest number that is free


class Target(Protocol):
    """What a sink writes to."""

    gone: bool  # it will never take anything again

    def write(self, data: bytes) -> None:
        """Write all of it, or as much as there is room for. May hang. Raises nothing."""
        ...

    def hangs(self) -> None:
        """It takes nothing any more, and is left out until it does. Must not wait for anything."""
        ...

    def missed(self, count: int) -> None:
        """So many bytes were left out here."""
        ...


class LogFile:
    """A log that is appended to. What could not be written is marked in it, and told to `heed`."""

    def __init__(self, path: Path, heed: Say) -> None:
        """Raises OSError for a file that cannot be opened, but not for a full disk: that is tried again."""
        self.path, self._heed = path, heed
        self.gone = False
        self.trouble = ""
        self.offset = 0  # how much it held before, bytes
        self._missing = 0
        self._file: int | None = None
        try:
            self.offset = _ended(self._open(), path)
        except OSError as error:
            if error.errno not in (errno.ENOSPC, errno.EDQUOT):
                raise
            self._fail(0, error)

    def write(self, data: bytes) -> None:
        """Append it. A write that was cut off by a full disk leaves what fitted."""
        left = memoryview(data)
        try:
            if self._missing:
                self._mark()
            while left:
                left = left[os.write(self._open(), left) :]
        except OSError as error:
            self._fail(len(left), error)

    def hangs(self) -> None:
        """Its filesystem does not answer."""
        self._tell(f"writing to {self.path} hangs")

    def missed(self, count: int) -> None:
        """It hung for a while; the mark is made with what is written next."""
        self._missing += count

    @property
    def missing_bytes(self) -> int:
        """That it lacks and that no mark in it tells of."""
        return self._missing

    def _open(self) -> int:
        if self._file is None:
            flags = os.O_WRONLY | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NOCTTY
            self._file = os.open(self.path, flags, 0o666)
        return self._file

    def _mark(self) -> None:
        """Lines before and after a gap must not become one. Raises OSError."""
        note = f"\n[trainwatch: {self._missing:,} bytes of output could not be written here]\n"
        data = note.encode()
        written = os.write(self._open(), data)
        if written < len(data):
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))
        missing, self._missing = self._missing, 0
        self._tell("")
        self._heed(f"{self.path} is written again; {missing:,} bytes are missing in it")

    def _fail(self, count: int, error: OSError) -> None:
        self._missing += count
        if self._file is not None and error.errno not in (errno.ENOSPC, errno.EDQUOT):
            with suppress(OSError):
                os.close(self._file)
            self._file = None  # a file server that was away knows no old handles
        self._tell(f"{self.path} cannot be written: {error.strerror}")

    def _tell(self, trouble: str) -> None:
        if trouble and trouble != self.trouble:
            self._heed(f"{trouble}; the command goes on")
        self.trouble = trouble


def _ended(file: int, path: Path) -> int:
    """Where what is appended begins: a last line that was cut off is ended first. Raises OSError."""
    size = os.fstat(file).st_size
    if size:
        with path.open("rb") as read:
            read.seek(size - 1)
            if read.read(1) not in b"\r\n":
                return size + os.write(file, b"\n")
    return size


class Stream:
    """Our own output, which others read: it may be closed, full, or made not to wait by whoever shares it."""

    def __init__(self, number: int, heed: Say, *, elsewhere: str = "") -> None:
        """`elsewhere`: where the rest is to be found, for what is said."""
        self._number, self._heed, self._elsewhere = number, heed, elsewhere
        self.gone = False
        self._failing = False

    def write(self, data: bytes) -> None:
        """Hand it on."""
        left = memoryview(data)
        while left:
            try:
                left = left[os.write(self._number, left) :]
                self._failing = False
            except BlockingIOError:
                self._wait()
            except OSError as error:
                self._fail(error)
                return

    def hangs(self) -> None:
        """Nobody reads: nobody would read that, either."""

    def missed(self, count: int) -> None:
        """Nobody read for a while."""
        self._heed(f"{count:,} bytes of output are not shown here: nobody read{self._elsewhere}")

    def _wait(self) -> None:
        poll = select.poll()
        poll.register(self._number, select.POLLOUT)
        poll.poll(_POLL_MS)

    def _fail(self, error: OSError) -> None:
        self.gone = error.errno in _GONE
        if not self._failing:
            self._heed(f"the output goes nowhere any more: {error.strerror}{self._elsewhere}")
        self._failing = True


class Sink:
    """A thread that writes to a target what it is given, in order."""

    def __init__(
        self,
        target: Target,
        *,
        most_bytes: int = MOST_BYTES,
        patience_s: float = PATIENCE_S,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        """`put` waits for room while the target moves, and no longer than `patience_s` while it does not."""
        self._target, self._most, self._patience_s = target, most_bytes, patience_s
        self._clock = clock
        self._changed = threading.Condition()
        self._waiting = deque[bytes | int]()  # an int: so many bytes are missing there
        self._held = self._missed = 0  # bytes
        self._moved = 0  # writes
        self._closing = False
        self._thread = threading.Thread(target=self._serve, daemon=True, name="sink")
        self._thread.start()

    def put(self, data: bytes) -> None:
        """Hand it over. What there is no room for is counted, and said when it moves again."""
        with self._changed:
            if self._target.gone:
                return
            if self._missed and self._held > self._most // 2:
                self._missed += len(data)
                return
            if not self._has_room(len(data)):
                if not self._missed:
                    self._target.hangs()
                self._missed += len(data)
                return
            self._queue_missed()
            self._waiting.append(data)
            self._held += len(data)
            self._changed.notify_all()

    def finish(self) -> bool:
        """Write what waits, as long as it moves. False where something is left."""
        with self._changed:
            self._closing = True
            self._changed.notify_all()
            while self._held and not self._target.gone:
                if not self._moves():
                    return False
        self._thread.join(self._patience_s)
        return not self._thread.is_alive()

    def _has_room(self, count: int) -> bool:
        while self._held and self._held + count > self._most and not self._target.gone:
            if not self._moves():
                return False
        return True

    def _moves(self) -> bool:
        """Wait until something was taken; False if nothing is for too long."""
        before, until = self._moved, self._clock() + self._patience_s
        while self._moved == before:
            left_s = until - self._clock()
            if left_s <= 0:
                return False
            self._changed.wait(left_s)
        return True

    def _queue_missed(self) -> None:
        """A gap has its place among what waits."""
        if self._missed:
            self._waiting.append(self._missed)
            self._missed = 0

    def _serve(self) -> None:
        while (taken := self._next()) is not None:
            if isinstance(taken, int):
                self._target.missed(taken)
                continue
            self._target.write(taken)
            with self._changed:
                self._held -= len(taken)
                self._moved += 1
                self._changed.notify_all()

    def _next(self) -> bytes | int | None:
        """What waits, in one piece, or how much is missing there; None when nothing more comes."""
        taken, size = list[bytes](), 0
        with self._changed:
            while not self._waiting and not self._missed:
                if self._closing:
                    return None
                self._changed.wait()
            if not self._waiting:
                self._queue_missed()
            while self._waiting and (not taken or size < _BLOCK_BYTES):
                first = self._waiting[0]
                if isinstance(first, int):
                    if taken:
                        break
                    self._waiting.popleft()
                    return first
                self._waiting.popleft()
                taken.append(first)
                size += len(first)
        return taken[0] if len(taken) == 1 else b"".join(taken)
