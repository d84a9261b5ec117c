"""trainwatch report --goodput: where the hours of runs went."""

import json
import math
from pathlib import Path

import pytest

from trainwatch.app.cli import run
from trainwatch.core.errors import ExitCode
from trainwatch.core.model.goodput import PARTS


@pytest.fixture
def log(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A simulated crash: an out of memory error, and 37 iterations that are trained again."""
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    folder = tmp_path / "tr1"
    assert run(["simulate", str(folder), "--scenario", "crash-and-restart"]) == 0
    return folder / "main_log.txt"


def test_the_page_says_where_the_hours_went(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["report", "--goodput", str(log)]) == 0
    page = capsys.readouterr().out
    assert page.startswith("## Goodput of tr1\n")
    assert "of the time in which nodes were held trained new iterations" in page
    assert "By the log alone" in page
    for called in PARTS.values():
        assert f"| {called} |" in page


def test_the_parts_are_the_whole(log: Path, capsys: pytest.CaptureFixture[str]) -> None:
    capsys.readouterr()
    assert run(["report", "--goodput", "--format", "json", str(log)]) == 0
    (found,) = json.loads(capsys.readouterr().out)
    assert math.fsum(found["seconds"].values()) == pytest.approx(found["end"] - found["begin"])
    assert found["held_s"] == pytest.approx(
        found["end"] - found["begin"] - found["seconds"]["waiting"]
    )
    assert found["goodput"] == pytest.approx(found["seconds"]["train"] / found["held_s"])
    assert found["seconds"]["retrain"] > 0
    assert found["failures"] == 1
    assert found["lost_gpu_s"] == {"out-of-memory": pytest.approx(found["gpu_seconds"]["retrain"])}


def test_one_log_of_many_that_cannot_be_read(
    log: Path, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    capsys.readouterr()
    missing = str(tmp_path / "nope" / "main_log.txt")
    assert run(["report", "--goodput", missing, str(log)]) == ExitCode.UNHEALTHY
    got = capsys.readouterr()
    assert "does not exist" in got.err
    assert got.out.startswith("## Goodput of tr1")
    assert run(["report", "--goodput", missing]) == ExitCode.USAGE


def test_a_log_without_a_clock_is_said(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    path = tmp_path / "main_log.txt"
    path.write_text("{'loss': 2.5, 'learning_rate': 1e-05, 'epoch': 0.1}\n")
    assert run(["report", "--goodput", str(path)]) == ExitCode.UNKNOWN
    assert "holds no time of day" in capsys.readouterr().err


@pytest.mark.parametrize("more", [["--format", "csv"], ["--sort", "gpus"], ["--tokens", "1e9"]])
def test_what_does_not_go_with_it(
    more: list[str], log: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["report", "--goodput", str(log), *more]) == ExitCode.USAGE
    assert "--goodput goes with" in capsys.readouterr().err
