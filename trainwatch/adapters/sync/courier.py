"""Starts a child process for a turn of sending, hands it its order, and ends it when its time is over.

The trap: a child that is killed may have sent everything. Once it was told to send, no answer means `lost`,
never `not sent`.
"""

import os
import select
import signal
import subprocess
import sys
import tempfile
import threading
import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from pathlib import Path

import msgspec

from trainwatch.core.model.syncing import Answer, Order, Outcome, Ready, Taken
from trainwatch.core.words import duration

_CHILD = (sys.executable, "-P", "-m", "trainwatch.adapters.sync.child")
_BEAT_S = 10.0
_MOST_BYTES = 16 * 1024 * 1024  # of an answer
_QUIET = {
    "HF_HUB_DISABLE_TELEMETRY": "1",
    "HF_HUB_DISABLE_PROGRESS_BARS": "1",
    "HF_HUB_VERBOSITY": "error",
    "PYTHONFAULTHANDLER": "",
}
_LOUD = ("HF_DEBUG", "RUST_LOG", "RUST_BACKTRACE")  # would have secrets printed
_encode = msgspec.json.Encoder().encode
_Answers = Ready | Outcome | Answer
_decoder: msgspec.json.Decoder[_Answers] = msgspec.json.Decoder(_Answers)


class Courier:
    """See `Target` in core/ports.py. One turn at a time."""

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        """`clock` is one that nobody sets."""
        self._clock = clock
        self._child: subprocess.Popen[bytes] | None = None
        self._closed = threading.Event()

    def send(
        self,
        order: Order,
        deadline_s: float,
        begun: Callable[[tuple[Taken, ...]], Sequence[int]],
        beat: Callable[[], None] = lambda: None,
    ) -> Outcome:
        """See Target. When something is raised, the child is gone."""
        until = self._clock() + deadline_s
        late = f"it took longer than {duration(deadline_s)}"
        with _Started(self, order) as child:
            first = child.answer(until, beat)
            if not isinstance(first, Ready):
                return first if isinstance(first, Outcome) else self._silent("again", first, late)
            numbers = begun(first.taken)
            if not numbers:
                return Outcome(result="sent")
            child.tell(_encode(tuple(numbers)))
            last = child.answer(until, beat)
            return last if isinstance(last, Outcome) else self._silent("lost", last, late)

    def arrived(
        self, order: Order, deadline_s: float, beat: Callable[[], None] = lambda: None
    ) -> Answer | Outcome:
        """See Target."""
        with _Started(self, order) as child:
            answer = child.answer(self._clock() + deadline_s, beat)
        if isinstance(answer, Answer | Outcome):
            return answer
        return self._silent("again", answer, f"it took longer than {duration(deadline_s)}")

    def close(self) -> None:
        """End the turn under way; none is begun any more."""
        self._closed.set()
        child = self._child
        if child is not None:
            _kill(child)

    def _silent(self, result: str, got: object, late: str) -> Outcome:
        why = late if got is None else "the process that sends ended without a word"
        if self._closed.is_set():
            why = "trainwatch ended meanwhile"
        return Outcome(result="lost" if result == "lost" else "again", why=why)


class _Ended(msgspec.Struct, frozen=True):
    """The child is gone."""


class _Started:
    """A child process while it lives."""

    def __init__(self, courier: Courier, order: Order) -> None:
        self._courier, self._order = courier, order
        self._read = bytearray()

    def __enter__(self) -> "_Started":
        environment = {k: v for k, v in os.environ.items() if k not in _LOUD} | _QUIET
        environment.setdefault("HF_XET_CACHE", str(_cache()))
        self._child = subprocess.Popen(  # noqa: S603 - ourselves; names go by stdin
            _CHILD,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
        )
        self._courier._child = self._child
        if self._courier._closed.is_set():
            _kill(self._child)
        self.tell(_encode(self._order))
        return self

    def __exit__(self, *_: object) -> None:
        self._courier._child = None
        _kill(self._child)
        for pipe in (self._child.stdin, self._child.stdout):
            if pipe is not None:
                with suppress(OSError):
                    pipe.close()

    def tell(self, line: bytes) -> None:
        """Hand it a line. One that is gone is found out when it does not answer."""
        assert self._child.stdin is not None
        with suppress(OSError):
            self._child.stdin.write(line + b"\n")
            self._child.stdin.flush()

    def answer(self, until: float, beat: Callable[[], None]) -> _Answers | _Ended | None:
        """Its next line; None when its time is over."""
        assert self._child.stdout is not None
        number = self._child.stdout.fileno()
        poll = select.poll()
        poll.register(number, select.POLLIN)
        while b"\n" not in self._read:
            left_s = until - self._courier._clock()
            if left_s <= 0:
                return None
            if poll.poll(min(left_s, _BEAT_S) * 1000):
                data = os.read(number, 65536)
                if not data or len(self._read) > _MOST_BYTES:
                    return _Ended()
                self._read += data
            else:
                beat()
        line, _, rest = bytes(self._read).partition(b"\n")
        self._read = bytearray(rest)
        try:
            return _decoder.decode(line)
        except msgspec.MsgspecError:
            return _Ended()


def _kill(child: "subprocess.Popen[bytes]") -> None:
    """Its whole group; it leads one."""
    if child.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        child.wait(5.0)  # one that hangs in the kernel is left to it


def _cache() -> Path:
    """On a disk of this machine, of nobody but us: what Xet remembers of chunks that were sent."""
    path = Path(tempfile.gettempdir()) / f"trainwatch-xet-{os.getuid()}"
    with suppress(OSError):
        path.mkdir(mode=0o700, exist_ok=True)
        found = path.lstat()
        if found.st_uid == os.getuid() and not path.is_symlink() and not found.st_mode & 0o022:
            return path
    return Path(tempfile.mkdtemp(prefix="trainwatch-xet-"))
