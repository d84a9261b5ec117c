"""`trainwatch metrics`: printed once, with or without a daemon."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from tests.app.metrics.sites import RUNS
from tests.app.rigs import iteration
from trainwatch.app.cli import run as trainwatch
from trainwatch.core.errors import ExitCode
from trainwatch.core.model.status import Status


@pytest.fixture
def places(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    monkeypatch.chdir(tmp_path)
    (tmp_path / "main_log.txt").write_bytes(b"".join(iteration(n) for n in range(1, 50)))
    return ["--state-dir", str(tmp_path / "state")]


def test_it_prints_a_log_that_nobody_watches(
    tmp_path: Path, places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert trainwatch(["metrics", str(tmp_path / "main_log.txt"), *places]) == ExitCode.OK
    text = capsys.readouterr().out
    assert f'trainwatch_iteration{{run="{tmp_path.name}"}} 49.0\n' in text
    assert "# TYPE trainwatch_health stateset\n" in text
    assert text.endswith("# EOF\n")


def test_it_prints_all_runs_of_the_state_folder_with_the_age_of_what_it_says(
    tmp_path: Path, places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    (tmp_path / "b.txt").write_bytes(iteration(7))
    for log in ("main_log.txt", "b.txt"):
        trainwatch(["watch", "--once", log, *places])
    capsys.readouterr()
    for status in (tmp_path / "state" / "runs").glob("*/status.json"):  # long ago
        known = msgspec.json.decode(status.read_bytes(), type=Status)
        status.write_bytes(msgspec.json.encode(replace(known, heartbeat_at=12.5)))
    assert trainwatch(["metrics", *places]) == ExitCode.OK
    text = capsys.readouterr().out
    assert 'trainwatch_iteration{run="b"} 7.0\n' in text
    assert f'trainwatch_iteration{{run="{tmp_path.name}"}} 49.0\n' in text
    for run in ("b", tmp_path.name):
        assert f'trainwatch_health{{run="{run}",trainwatch_health="unknown"}} 1.0\n' in text
        assert f'rule="watcher-down",run="{run}",severity="critical"}} 1.0\n' in text
    assert "\ntrainwatch_heartbeat_timestamp_seconds 12.5\n" in text


def test_where_there_is_no_run_at_all_it_says_what_to_do(
    places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert trainwatch(["metrics", *places]) == ExitCode.USAGE
    said = capsys.readouterr()
    assert (said.out, "name a log, or add a [[runs]] table" in said.err) == ("", True)


def test_a_configured_run_without_a_log_is_unknown_and_the_others_are_printed(
    tmp_path: Path, places: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    runs = RUNS.format(root=tmp_path) + '[[runs]]\nlog = "/nowhere/x.txt"\nname = "gone"\n'
    (tmp_path / "trainwatch.toml").write_text(runs)
    assert trainwatch(["metrics", *places]) == ExitCode.OK
    text = capsys.readouterr().out
    assert 'trainwatch_iteration{run="tr11"} 49.0\n' in text
    assert 'trainwatch_health{run="gone",trainwatch_health="unknown"} 1.0\n' in text
    assert 'trainwatch_iteration{run="gone"}' not in text
    assert trainwatch(["metrics", "gone", *places]) != ExitCode.OK


@pytest.mark.skipif(shutil.which("promtool") is None, reason="no promtool (Debian: prometheus)")
def test_what_it_prints_for_a_textfile_promtool_takes(tmp_path: Path, places: list[str]) -> None:
    command = [sys.executable, "-m", "trainwatch", "metrics", "main_log.txt", *places]
    printed = subprocess.run(
        [*command, "--format", "prometheus"], capture_output=True, check=True, env={**os.environ}
    )
    checked = subprocess.run(
        ["promtool", "check", "metrics"], input=printed.stdout, capture_output=True
    )
    assert b"trainwatch_iteration" in printed.stdout
    assert (checked.returncode, checked.stdout, checked.stderr) == (0, b"", b"")
