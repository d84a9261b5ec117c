"""A command under `trainwatch run` in a process of its own; mostly with a watcher that only listens."""

import fcntl
import os
import pty
import select
import signal
import struct
import subprocess
import sys
import termios
import time
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

import psutil

PYTHON = sys.executable
DEADLINE_S = 60.0
_DRIVE = """
import sys
from pathlib import Path
from trainwatch.adapters.running import Sink
from trainwatch.app.wirerun import execute
Sink.__init__.__kwdefaults__["patience_s"] = float(sys.argv[1])
sys.exit(execute(sys.argv[3:], Path(sys.argv[2]), lambda _: ["sh", "-c", "cat > /dev/null"]))
"""


def driver(log: Path, argv: Sequence[str], patience_s: float = 5.0) -> list[str]:
    """The command line that runs `argv` as `trainwatch run` does."""
    return [PYTHON, "-c", _DRIVE, str(patience_s), str(log), *argv]


class Begun(subprocess.Popen[bytes]):
    """A process; where a test fails it is ended with all it started, as nobody would wait for its end."""

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        where: TracebackType | None,
    ) -> None:
        if kind is not None:
            tree = psutil.Process(self.pid)
            for process in (*tree.children(recursive=True), tree):
                with suppress(psutil.NoSuchProcess):
                    process.kill()
        super().__exit__(kind, error, where)


def begin(log: Path, *argv: str, patience_s: float = 5.0, **options: object) -> Begun:
    """Under pipes."""
    pipes: dict[str, object] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE}
    pipes |= {"stderr": subprocess.PIPE, "bufsize": 0, "start_new_session": True}
    return Begun(driver(log, argv, patience_s), **(pipes | options))  # type: ignore[call-overload, no-any-return]


class Ran(NamedTuple):
    """What came of a command."""

    code: int
    out: bytes
    err: str
    log: bytes


def run(log: Path, *argv: str, given: bytes = b"", **options: float) -> Ran:
    """To its end."""
    with begin(log, *argv, **options) as process:
        out, err = process.communicate(given, timeout=DEADLINE_S)
    return Ran(process.returncode, out, err.decode(), log.read_bytes() if log.exists() else b"")


def python(text: str) -> tuple[str, str, str]:
    """The command line of a program."""
    return PYTHON, "-c", text


def read_until(stream: int, wanted: bytes) -> bytes:
    """What comes up to these bytes."""
    got, deadline = b"", time.monotonic() + DEADLINE_S
    while wanted not in got:
        left_s = deadline - time.monotonic()
        assert left_s > 0, f"{wanted!r} did not come, but {got!r}"
        if select.select([stream], [], [], min(1.0, left_s))[0]:
            data = os.read(stream, 65_536)
            assert data, f"{wanted!r} did not come before the end: {got!r}"
            got += data
    return got


class OnTerminal:
    """A command on a terminal of its own, as in a person's window."""

    def __init__(self, argv: Sequence[str]) -> None:
        self.pid, self.window = pty.fork()
        if self.pid == 0:
            os.execvp(argv[0], list(argv))
        self.got = b""

    def resize(self, rows: int, columns: int) -> None:
        """As if somebody pulled at its corner."""
        fcntl.ioctl(self.window, termios.TIOCSWINSZ, struct.pack("HHHH", rows, columns, 0, 0))

    def type(self, keys: bytes) -> None:
        """Press keys; 0x03 is ctrl+c."""
        os.write(self.window, keys)

    def until(self, wanted: bytes) -> bytes:
        """What is shown up to these bytes, since the last time."""
        got = read_until(self.window, wanted)
        self.got += got
        return got

    def wait(self) -> int:
        """Its exit code."""
        deadline = time.monotonic() + DEADLINE_S
        while time.monotonic() < deadline:
            if select.select([self.window], [], [], 0.05)[0]:
                with suppress(OSError):
                    self.got += os.read(self.window, 65_536)
            pid, status = os.waitpid(self.pid, os.WNOHANG)
            if pid:
                os.close(self.window)
                return os.waitstatus_to_exitcode(status)
        os.kill(self.pid, signal.SIGKILL)
        raise AssertionError(f"it does not end: {self.got!r}")
