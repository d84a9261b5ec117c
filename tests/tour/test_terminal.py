"""The tour in a real terminal, in a small and in a large window of it."""

import os
import shlex
import shutil
import subprocess
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.fuzz.steps import encoded
from tests.tour.steps import (
    ALL_RUNS,
    BACK,
    DEMO,
    HOUSE,
    LEAVING,
    NAN,
    NO_HOUSE,
    Step,
    is_seen,
    of_all_runs,
    of_run,
    opened,
)
from tests.tour.world import configured

pytestmark = pytest.mark.skipif(shutil.which("tmux") is None, reason="no tmux here to walk in")
_PATIENCE_S = 60.0
_SIZES = ((80, 24), (200, 60))


class Walker:
    """A tmux session, and who presses its keys."""

    def __init__(self, folder: Path, *command: str) -> None:
        self._tmux = ("tmux", "-S", str(folder / "tmux"), "-f", os.devnull)
        state = f"TRAINWATCH_STATE_DIR={folder / 'state'}"
        environment = ("env", "-u", "NO_COLOR", "TZ=UTC", f"TMPDIR={folder}", state)
        line = f"{shlex.join([*environment, *command])}; echo left with $?; exec cat"
        size = ("-x", "80", "-y", "24")
        self.run("new-session", "-d", *size, "-c", str(folder), "sh", "-c", line)

    def run(self, *arguments: str) -> str:
        done = subprocess.run(
            [*self._tmux, *arguments], capture_output=True, text=True, check=True, timeout=60
        )
        return done.stdout

    def resize(self, width: int, height: int) -> None:
        self.run("resize-window", "-x", str(width), "-y", str(height))

    def press(self, keys: Sequence[str]) -> None:
        """Keys by their names; the bytes of a word as they are."""
        for key in keys:
            text = typed(key)
            self.run("send-keys", "-H", *(f"{byte:02x}" for byte in text.encode()))
            if text == "\x1b":
                time.sleep(0.15)  # as a person does: else it would be the beginning of the next key

    def painted(self) -> str:
        """With its colours."""
        return self.run("capture-pane", "-p", "-e")

    def walk(self, steps: Sequence[Step]) -> None:
        """Each step, once the one before is seen."""
        for step in steps:
            before = self.painted() if step.repaints else ""
            self.press(step.keys)
            self.until(step, before)

    def until(self, step: Step, before: str = "") -> None:
        deadline = time.monotonic() + _PATIENCE_S
        while time.monotonic() < deadline:
            shown = self.run("capture-pane", "-p")
            if is_seen(step, shown) and not (step.repaints and self.painted() == before):
                return
            time.sleep(0.05)
        raise AssertionError(f"never seen of {step}:\n{shown}")

    def close(self) -> None:
        subprocess.run([*self._tmux, "kill-server"], capture_output=True, check=False)


def typed(key: str) -> str:
    """What is sent for a key, or for a word that is typed."""
    try:
        return encoded(key)
    except KeyError:
        return key


@pytest.fixture
def walkers() -> Iterator[list[Walker]]:
    begun: list[Walker] = []
    yield begun
    for each in begun:
        each.close()


def test_the_demo(tmp_path: Path, walkers: list[Walker]) -> None:
    walker = Walker(tmp_path, sys.executable, "-m", "trainwatch", "demo")
    walkers.append(walker)
    walker.until(Step((), (rf"/ {DEMO.target}", "watching")))
    for size in _SIZES:
        walker.resize(*size)
        walker.walk(of_run(DEMO, NO_HOUSE))
    walker.walk(LEAVING)
    assert len([*tmp_path.glob("*.svg")]) >= 1


def test_all_runs_and_each_of_them(tmp_path: Path, walkers: list[Walker]) -> None:
    with configured(tmp_path) as config:
        command = (sys.executable, "-m", "trainwatch", "tui", "--all", "--config", str(config))
        walker = Walker(tmp_path, *command)
        walkers.append(walker)
        walker.until(Step((), (ALL_RUNS,)))
        for size in _SIZES:
            walker.resize(*size)
            walker.walk(of_all_runs())
            for run, row in ((DEMO, "first"), (NAN, "second")):
                walker.walk((opened(run, row), *of_run(run, HOUSE), BACK))
        walker.walk(LEAVING)
