"""Terminals that are no place for the screen, or for all of what newer ones know: what they get instead."""

import os
import pty
import signal
import subprocess
from pathlib import Path

import pytest

from tests.app.running.driving import read_until
from tests.app.test_status_watch import PATIENCE_S, logged, trainwatch
from trainwatch.core.errors import ExitCode


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    path = tmp_path / "tr11.log"
    path.write_text(logged(range(1, 21)))
    return path


def shown(term: str, wanted: str, *arguments: str, errors: Path | None = None) -> tuple[str, int]:
    """What a command sends to such a terminal up to this, and its exit code at ctrl+c."""
    ours, theirs = pty.openpty()
    stderr = theirs if errors is None else os.open(errors, os.O_WRONLY | os.O_CREAT)
    process = subprocess.Popen(
        trainwatch(*arguments), stdin=theirs, stdout=theirs, stderr=stderr,
        env={**os.environ, "TERM": term}, start_new_session=True,
    )  # fmt: skip
    for end in {theirs, stderr}:
        os.close(end)
    try:
        sent = read_until(ours, wanted.encode()).decode()
        process.send_signal(signal.SIGINT)
        return sent, process.wait(PATIENCE_S)
    finally:
        process.kill()
        os.close(ours)


def test_a_simple_terminal_is_painted_upon_without_what_only_newer_ones_know(log: Path) -> None:
    sent, code = shown("vt100", "20 / 1,000", "status", "--watch", str(log))
    assert code == ExitCode.INTERRUPTED
    assert "\x1b[" in sent
    assert "\x1b[?" not in sent


def test_a_dumb_terminal_gets_lines(log: Path) -> None:
    sent, code = shown("dumb", "20/1,000", "tui", str(log))
    assert code == ExitCode.INTERRUPTED
    assert "the screen needs a terminal" in sent
    assert "\x1b" not in sent


def test_who_keeps_what_goes_wrong_in_a_file_does_not_get_the_screen_there(
    log: Path, tmp_path: Path
) -> None:
    errors = tmp_path / "errors.txt"
    sent, code = shown("xterm", "20 / 1,000", "tui", str(log), errors=errors)
    assert code == ExitCode.INTERRUPTED
    assert "\x1b[?1049h" not in sent
    assert "the screen needs a terminal" in errors.read_text()


def test_a_demo_on_a_dumb_terminal_is_lines() -> None:
    sent, _ = shown("dumb", "\n", "demo", "--for", "3")
    assert " ok " in sent
    assert "\x1b" not in sent
