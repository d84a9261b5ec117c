"""What comes from a terminal that nobody types at: bytes that are no text, keys that are none, its end."""

import os
import pty
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.app.running.driving import DEADLINE_S, read_until
from tests.app.viewed import iteration

# Cut off from the terminal's end as `nohup` and `setsid` cut off: no signal tells it.
Started = tuple["subprocess.Popen[bytes]", int]


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[[], Started]]:
    """The screen in a terminal that it does not belong to, once it shows the run."""
    (tmp_path / "tr1.log").write_text("".join(iteration(n) for n in range(1, 51)))
    processes = []

    def begin() -> Started:
        ours, theirs = pty.openpty()
        process = subprocess.Popen(
            [sys.executable, "-m", "trainwatch", "tui", str(tmp_path / "tr1.log")],
            stdin=theirs,
            stdout=theirs,
            stderr=theirs,
            env={**os.environ, "TERM": "xterm", "TRAINWATCH_STATE_DIR": str(tmp_path / "state")},
            start_new_session=True,
        )
        processes.append(process)
        os.close(theirs)
        read_until(ours, b"commands")  # the end of the log stands there before anyone reads keys
        return process, ours

    yield begin
    for process in processes:
        process.kill()
        process.wait()


def test_a_terminal_that_is_gone_ends_it(start: Callable[[], Started]) -> None:
    process, window = start()
    os.close(window)
    process.wait(DEADLINE_S)


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
