"""A place for backups, worked at by a child process: a watcher must neither hang nor hold the clients.

A backup has no deadline, as it takes hours; it is ended when nothing moved for an hour, or with the watcher.
What was begun goes on another time.
"""

import os
import select
import signal
import subprocess
import sys
import threading
from collections.abc import Callable
from contextlib import suppress

import msgspec

from trainwatch.adapters.checkpoints.backup.child import Answer, Ask, Step
from trainwatch.adapters.checkpoints.backup.errors import FarTrouble
from trainwatch.core.model.backups import Copy, Made, Place, Shelf
from trainwatch.core.words import duration

_CHILD = (sys.executable, "-P", "-m", "trainwatch.adapters.checkpoints.backup.child")
_LOOK_S, _STILL_S = 300.0, 3600.0
_BEAT_S = 10.0
_MOST_BYTES = 64 * 1024 * 1024  # of an answer
_decoder: msgspec.json.Decoder[Step | Answer] = msgspec.json.Decoder(Step | Answer)


class Distant:
    """See `Vault` in app/checkpoints/safe.py. Each question has a child of its own."""

    def __init__(
        self, place: Place, monotonic: Callable[[], float], still_s: float = _STILL_S
    ) -> None:
        """`still_s`: a backup of which nothing moves for so long hangs. `monotonic` is a clock in s."""
        self.place, self._monotonic, self._still_s = place, monotonic, still_s
        self._children = set[subprocess.Popen[bytes]]()
        self._closed = threading.Event()

    def look(self) -> Shelf:
        """What is there. Raises FarTrouble."""
        shelf = self._asked(Ask(place=self.place), _LOOK_S, _unheard).shelf
        return shelf if shelf is not None else Shelf()

    def missing(self, label: str) -> tuple[str, ...]:
        """What of a backup is not there, by sizes. Raises FarTrouble."""
        return self._asked(Ask(place=self.place, label=label), _LOOK_S, _unheard).missing

    def make(self, order: Copy, told: Callable[[str, int], None]) -> Made:
        """One backup. Raises FarTrouble, and what `told` raises; then the child is gone."""
        made = self._asked(Ask(place=self.place, order=order), self._still_s, told).made
        if made is None:
            raise FarTrouble("the process that copies ended without a word", again=True)
        return made

    def close(self) -> None:
        """End what is under way; nothing is begun any more."""
        self._closed.set()
        for child in tuple(self._children):
            _kill(child)

    def _asked(self, ask: Ask, patience_s: float, told: Callable[[str, int], None]) -> Answer:
        child = subprocess.Popen(  # noqa: S603 - ourselves; names go by stdin
            _CHILD,
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )
        self._children.add(child)
        try:
            if self._closed.is_set():
                raise FarTrouble("trainwatch ended meanwhile", again=True)
            answer = self._heard(child, ask, patience_s, told)
        finally:
            _kill(child)
            self._children.discard(child)
            for pipe in (child.stdin, child.stdout):
                if pipe is not None:
                    with suppress(OSError):
                        pipe.close()
        if answer.why:
            raise FarTrouble(answer.why, again=answer.again)
        return answer

    def _heard(
        self,
        child: "subprocess.Popen[bytes]",
        ask: Ask,
        patience_s: float,
        told: Callable[[str, int], None],
    ) -> Answer:
        """Its answer. `told` hears of each step, and now and then of nothing: a lock has to be renewed."""
        assert child.stdin is not None
        with suppress(OSError):
            child.stdin.write(msgspec.json.encode(ask) + b"\n")
            child.stdin.flush()
        lines, doing, moved_at = _Lines(child), "", self._monotonic()
        while True:
            line = lines.next(_BEAT_S)
            if line is None:
                if self._monotonic() - moved_at > patience_s:
                    why = f"nothing came from {self.place.name} for {duration(patience_s)}"
                    raise FarTrouble(why, again=True)
                told(doing, 0)
                continue
            said = _understood(line)
            if isinstance(said, Answer):
                return said
            if said is None:
                ended = "trainwatch ended meanwhile" if self._closed.is_set() else _SILENT
                raise FarTrouble(ended, again=True)
            doing, moved_at = said.doing, self._monotonic()
            told(doing, said.bytes)


_SILENT = "the process that copies ended without a word"


class _Lines:
    """What a child says, line by line."""

    def __init__(self, child: "subprocess.Popen[bytes]") -> None:
        assert child.stdout is not None
        self._number, self._read = child.stdout.fileno(), bytearray()
        self._poll = select.poll()
        self._poll.register(self._number, select.POLLIN)

    def next(self, patience_s: float) -> bytes | None:
        """None when nothing came for so long; nothing at all when it is gone."""
        while b"\n" not in self._read:
            if not self._poll.poll(patience_s * 1000):
                return None
            data = os.read(self._number, 65536)
            if not data or len(self._read) > _MOST_BYTES:
                return b""
            self._read += data
        line, _, rest = bytes(self._read).partition(b"\n")
        self._read = bytearray(rest)
        return line


def _understood(line: bytes) -> Step | Answer | None:
    try:
        return _decoder.decode(line)
    except msgspec.MsgspecError:
        return None


def _unheard(_: str, __: int) -> None:
    """Nobody listens."""


def _kill(child: "subprocess.Popen[bytes]") -> None:
    """Its whole group; it leads one."""
    if child.poll() is None:
        with suppress(ProcessLookupError, PermissionError):
            os.killpg(child.pid, signal.SIGKILL)
    with suppress(subprocess.TimeoutExpired):
        child.wait(5.0)  # one that hangs in the kernel is left to it
