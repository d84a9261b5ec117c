"""What comes from a terminal that nobody types at: bytes that are no text, keys that are none, its end."""

import fcntl
import os
import pty
import signal
import struct
import subprocess
import sys
import termios
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest

from tests.app.running.driving import DEADLINE_S, read_until
from tests.app.viewed import iteration
from tests.waiting import until

Started = tuple["subprocess.Popen[bytes]", int]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Started]]:
    """The screen in a terminal, once it shows the run.

    Unless it is its `own`, it is cut off from the terminal's end as `nohup` and `setsid` cut off: no signal
    tells it.
    """
    (tmp_path / "tr1.log").write_text("".join(iteration(n) for n in range(1, 51)))
    processes = []

    def begin(*, own: bool = False) -> Started:
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "trainwatch", "tui", str(tmp_path / "tr1.log")],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "TRAINWATCH_STATE_DIR": str(tmp_path / "state")},
            start_new_session=True,
            preexec_fn=_take_terminal if own else None,  # noqa: PLW1509 - no thread of ours runs yet
        )
        processes.append(process)
        os.close(theirs)
        read_until(ours, b"commands")  # the end of the log stands there before anyone reads keys
        return process, ours

    yield begin
    for process in processes:
        process.kill()
        process.wait()


def _take_terminal() -> None:
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)


@pytest.mark.parametrize("own", [True, False])
def test_a_terminal_that_is_gone_ends_it(start: Callable[..., Started], own: bool) -> None:
    process, window = start(own=own)
    os.write(window, b"?q" * 4)
    until(lambda: _unread_bytes(window) > 1000, "more than nobody reads")
    os.close(window)
    assert process.wait(DEADLINE_S) == 0


def _unread_bytes(window: int) -> int:
    (count,) = struct.unpack("i", fcntl.ioctl(window, termios.FIONREAD, b"    "))
    return int(count)


def test_stopped_by_another_it_goes_on_as_before(start: Callable[..., Started]) -> None:
    process, window = start(own=True)
    screen = psutil.Process(process.pid)
    threads = []
    for _ in range(6):
        screen.suspend()
        screen.send_signal(signal.SIGCONT)
        read_until(window, b"commands")
        os.write(window, b"?")  # two who read the keys would take a part each
        read_until(window, b"this help")
        os.write(window, b"q")
        read_until(window, b"commands")
        threads.append(screen.num_threads())
    assert threads[-1] < threads[1] + 4  # two each time would be eight


@pytest.mark.parametrize(
    "typed",
    [b"\xff\xfe\xc3(", b"\x1b[9999999u", b"\x1b[999999999999999999999u"],
    ids=["no text", "beyond Unicode", "beyond numbers"],
)
def test_what_is_no_key_does_nothing(start: Callable[[], Started], typed: bytes) -> None:
    process, window = start()
    os.write(window, typed + b"?")
    read_until(window, b"this help")
    os.write(window, b"qq")
    while process.poll() is None:
        try:
            os.read(window, 65_536)
        except OSError:
            break
    assert process.wait(DEADLINE_S) == 0
    os.close(window)
