"""The real program in a real terminal."""

import os
import shlex
import shutil
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from tests.app.viewed import iteration

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

    def pid(self) -> int:
        """Of the program in the shell of the session."""
        shell = self.run("display-message", "-p", "#{pane_pid}").strip()
        children = Path(f"/proc/{shell}/task/{shell}/children").read_text().split()
        return int(children[0])

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


def test_a_size_that_was_another_for_a_moment_has_all_of_it_drawn_anew(
    tmp_path: Path, open_terminal: Callable[..., Terminal]
) -> None:
    log = tmp_path / "tr1-13B.log"
    log.write_text("".join(iteration(n) for n in range(1, 301)))
    terminal = open_terminal(sys.executable, "-m", "trainwatch", "tui", str(log))
    terminal.until(lambda shown: "300 / 1,000" in shown and "q quit" in shown)
    terminal.run("send-keys", "-R")  # the terminal has lost its cells
    terminal.until(lambda shown: "300 / 1,000" not in shown)
    os.kill(terminal.pid(), signal.SIGWINCH)
    terminal.until(lambda shown: "300 / 1,000" in shown and "q quit" in shown)


def test_several_runs_on_the_screen(tmp_path: Path, open_terminal: Callable[..., Terminal]) -> None:
    tables = list[str]()
    for name, last in (("tr1-13B", 300), ("tr11-176B", 200)):
        log = tmp_path / f"{name}.log"
        log.write_text("".join(iteration(n) for n in range(1, last + 1)))
        tables.append(f'[[runs]]\nname = "{name}"\nproject = "P"\nlog = "{log}"\n')
    config = tmp_path / "config.toml"
    config.write_text("".join(tables))
    terminal = open_terminal(sys.executable, "-m", "trainwatch", "tui", "--config", str(config))
    shown = terminal.until(lambda shown: "2 runs" in shown and "tr11-176B" in shown)
    assert shown.index("tr1-13B") < shown.index("tr11-176B")
    terminal.press("Down", "Enter")
    terminal.until(lambda shown: "200 / 1,000" in shown and "watching" in shown)
    terminal.press("Escape")
    shown = terminal.until(lambda shown: "2 runs" in shown and " 200 " in shown)
    assert "›" in next(line for line in shown.splitlines() if "tr11-176B" in line)
    terminal.press("g")
    terminal.until(lambda shown: "━━ P  2 runs" in shown)
    terminal.press("q")
    terminal.until(lambda shown: "left with 0" in shown)


def test_a_wrong_path_is_a_message(tmp_path: Path, open_terminal: Callable[..., Terminal]) -> None:
    missing = str(tmp_path / "none.log")
    terminal = open_terminal(sys.executable, "-m", "trainwatch", "tui", missing)
    shown = terminal.until(lambda shown: "left with 2" in shown)
    assert "none.log does not exist" in shown.replace("\n", "")
    assert "Traceback" not in shown


def demo(folder: Path, open_terminal: Callable[..., Terminal], *options: str) -> Terminal:
    """A demo whose temporary folder is in `folder`."""
    (folder / "temporary").mkdir()
    place = f"TMPDIR={folder / 'temporary'}"
    return open_terminal("env", place, sys.executable, "-m", "trainwatch", "demo", *options)


def left_behind(folder: Path) -> list[Path]:
    return sorted((folder / "temporary").glob("trainwatch-demo-*"))


def test_a_demo_ends_by_itself(tmp_path: Path, open_terminal: Callable[..., Terminal]) -> None:
    terminal = demo(tmp_path, open_terminal, "--for", "12")  # a busy machine paints late
    terminal.until(lambda shown: "watching" in shown and "/ 107,597" in shown)
    assert len(left_behind(tmp_path)) == 1
    terminal.until(lambda shown: "left with 0" in shown)
    assert left_behind(tmp_path) == []


def test_an_alert_comes_up_in_a_demo_and_is_acknowledged(
    tmp_path: Path, open_terminal: Callable[..., Terminal]
) -> None:
    terminal = demo(tmp_path, open_terminal, "--scenario", "loss-nan", "--speed", "600")
    terminal.until(lambda shown: "watching" in shown)
    terminal.press("A")
    shown = terminal.until(lambda shown: "crit  loss-nan" in shown and "Alerts·1" in shown)
    assert "✖ CRITICAL" in shown
    assert " loss-nan: the loss was NaN" in shown
    terminal.press("Enter")
    terminal.until(lambda shown: "what to do" in shown and "Esc close" in shown)
    terminal.press("a")
    terminal.until(lambda shown: "acknowledged" in shown and "Esc close" not in shown)
    terminal.press("q")
    terminal.until(lambda shown: "left with 0" in shown)


@pytest.mark.parametrize("how", ["SIGTERM", "SIGHUP", "ctrl+c"])
def test_a_demo_that_is_ended_leaves_nothing(
    how: str, tmp_path: Path, open_terminal: Callable[..., Terminal]
) -> None:
    terminal = demo(tmp_path, open_terminal)
    terminal.until(lambda shown: "/ 107,597" in shown)
    if how == "ctrl+c":
        terminal.press("C-c")
    else:
        os.kill(terminal.pid(), signal.Signals[how])
    terminal.until(lambda shown: "left with 0" in shown)
    assert left_behind(tmp_path) == []


@pytest.mark.parametrize("how", [signal.SIGTERM, signal.SIGHUP, signal.SIGINT])
def test_a_demo_without_a_screen_leaves_nothing_either(how: signal.Signals, tmp_path: Path) -> None:
    command = (sys.executable, "-m", "trainwatch", "demo", "--headless", "--for", "600")
    environment = {**os.environ, "TMPDIR": str(tmp_path)}
    with subprocess.Popen(command, env=environment, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert process.stdout.readline()
        process.send_signal(how)
        assert process.wait(_PATIENCE_S) == 130
    assert list(tmp_path.iterdir()) == []
