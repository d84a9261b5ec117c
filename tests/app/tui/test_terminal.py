"""The real program in a real terminal."""

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.app.test_viewing import iteration

pytestmark = pytest.mark.skipif(
    shutil.which("tmux") is None, reason="no tmux here to run the screen in"
)
_PATIENCE_S = 30.0


class Terminal:
    """A tmux session of 80x24."""

    def __init__(self, folder: Path, *command: str) -> None:
        self._tmux = ("tmux", "-S", str(folder / "tmux"), "-f", os.devnull)
        environment = (
            "env",
            "-u",
            "NO_COLOR",
            "TZ=UTC",
            f"TRAINWATCH_STATE_DIR={folder / 'state'}",
        )
        line = f"{shlex.join([*environment, *command])}; echo left with $?; exec cat"
        self.run("new-session", "-d", "-x", "80", "-y", "24", "sh", "-c", line)

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._tmux, *arguments], capture_output=True, text=True, check=True, timeout=20
        )
        return done.stdout

    def press(self, *keys: str) -> None:
        self.run("send-keys", *keys)

    def shown(self) -> str:
        return self.run("capture-pane", "-p")

    def until(self, true: Callable[[str], bool]) -> str:
        deadline = time.monotonic() + _PATIENCE_S
        while time.monotonic() < deadline:
            shown = self.shown()
            if true(shown):
                return shown
            time.sleep(0.05)
        raise AssertionError(f"never shown:\n{shown}")

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], capture_output=True, check=False)


@pytest.fixture
def open_terminal(tmp_path: Path) -> Iterator[Callable[..., Terminal]]:
    opened: list[Terminal] = []

    def open_one(*command: str) -> Terminal:
        opened.append(Terminal(tmp_path, *command))
        return opened[-1]

    yield open_one
    for terminal in opened:
        terminal.close()


def test_a_log_on_the_screen(tmp_path: Path, open_terminal: Callable[..., Terminal]) -> None:
    log = tmp_path / "tr1-13B.log"
    log.write_text("".join(iteration(n) for n in range(1, 301)))
    terminal = open_terminal(sys.executable, "-m", "trainwatch", "tui", str(log))
    terminal.until(lambda shown: "300 / 1,000" in shown and "tr1-13B" in shown)
    with log.open("a") as file:
        file.write(iteration(301))
    terminal.until(lambda shown: "301 / 1,000" in shown and "iteration      301/" in shown)
    terminal.press("/")
    terminal.until(lambda shown: "search the log" in shown)
    terminal.press("-l", "iteration  *77/")
    terminal.press("Enter")
    terminal.until(lambda shown: "iteration       77/" in shown)
    terminal.press("?")
    terminal.until(lambda shown: "this help" in shown)
    terminal.press("Escape")
    terminal.until(lambda shown: "this help" not in shown)
    terminal.press("q")
    terminal.until(lambda shown: "left with 0" in shown)


def test_a_wrong_path_is_a_message(tmp_path: Path, open_terminal: Callable[..., Terminal]) -> None:
    missing = str(tmp_path / "none.log")
    terminal = open_terminal(sys.executable, "-m", "trainwatch", "tui", missing)
    shown = terminal.until(lambda shown: "left with 2" in shown)
    assert "none.log does not exist" in shown.replace("\n", "")
    assert "Traceback" not in shown
