"""A program in a pseudo-terminal, and what it costs there."""

import fcntl
import os
import pty
import select
import struct
import subprocess
import termios
import time
from contextlib import suppress
from pathlib import Path

from benchmarks.measure import cpu_s, environment, held_mb
from benchmarks.shown import Shown


class Terminal:
    """A program in a pseudo-terminal."""

    def __init__(self, command: list[str], size: tuple[int, int], patience_s: float = 30.0) -> None:
        ours, theirs = pty.openpty()
        fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))
        self._began = time.perf_counter()
        self._process = subprocess.Popen(
            command,
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**environment(), "TERM": "xterm-256color", "COLORTERM": "truecolor"},
            start_new_session=True,
        )
        os.close(theirs)
        self._ours = ours
        self._seen, self._shown, self._patience_s = b"", Shown(size), patience_s

    def __enter__(self) -> "Terminal":
        return self

    def __exit__(self, *_: object) -> None:
        os.write(self._ours, b"q")
        self.read_for(0.5)
        self._process.terminate()
        self.read_for(0.2)
        try:
            self._process.wait(5)
        except subprocess.TimeoutExpired:
            self._process.kill()
        os.close(self._ours)

    def press(self, keys: bytes) -> None:
        """Type this. What is waited for next is waited for from here on."""
        self._began, self._seen = time.perf_counter(), b""
        os.write(self._ours, keys)

    def wait_for(self, text: bytes, most_s: float | None = None) -> float:
        """Seconds from the start until it was shown. Raises RuntimeError where it never is.

        The trap: of a text of which a part stands there already, only the rest is written.
        """
        while text not in self._seen and not self._shown.holds(text.decode()):
            if time.perf_counter() - self._began > (most_s or self._patience_s):
                most = f"{most_s or self._patience_s:g} s"
                raise RuntimeError(
                    f"{text.decode()} was not shown within {most}, but:\n{self._shown}"
                )
            self._read(0.05)
        return time.perf_counter() - self._began

    def rests(self, most_s: float) -> float:
        """Seconds from the start until it took little CPU time for three seconds in a row, or `most_s`.

        Trap: on a machine that is busy with other things it takes little because it gets little.
        """
        calm = 0
        while calm < 3 and time.perf_counter() - self._began < most_s:
            before = self.cpu_s()
            self.read_for(1.0)
            calm = calm + 1 if self.cpu_s() - before < 0.2 else 0
        return time.perf_counter() - self._began - calm

    def read_for(self, seconds: float) -> int:
        """Bytes that came within so many seconds."""
        end, count = time.perf_counter() + seconds, 0
        while (left := end - time.perf_counter()) > 0:
            count += self._read(min(left, 0.5))
        return count

    @property
    def seen(self) -> bytes:
        """The last of what came."""
        return self._seen

    def type(self, keys: bytes) -> None:
        """Press keys."""
        os.write(self._ours, keys)

    def next(self, wait_s: float) -> tuple[bytes, float]:
        """What comes next, if it does within that time, and when it came (time.perf_counter)."""
        data = b""
        if select.select([self._ours], [], [], wait_s)[0]:
            with suppress(OSError):  # the program has ended
                data = os.read(self._ours, 65536)
        came_at = time.perf_counter()
        self._seen = (self._seen + data)[-1_000_000:]
        self._shown.take(data)
        return data, came_at

    def cpu_s(self) -> float:
        """CPU time it took so far."""
        return cpu_s(self._process.pid)

    def waited_s(self) -> float:
        """How long its main thread was ready to run so far, and had no core."""
        return int(Path(f"/proc/{self._process.pid}/schedstat").read_text().split()[1]) / 1e9

    def peak_mb(self) -> float:
        """The most memory it had."""
        return held_mb(self._process.pid)

    def _read(self, wait_s: float) -> int:
        return len(self.next(wait_s)[0])
