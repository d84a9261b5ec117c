"""trainwatch init looks around: what it writes loads, and doctor finds nothing wrong with it."""

import json
import os
from pathlib import Path

import pytest

from tests.core.logs.making import iteration
from trainwatch.app import config
from trainwatch.app.cli import run
from trainwatch.core.errors import ExitCode


def write(path: Path, last: int, at: float = 1_700_000_000.0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(f"{iteration(number)}\n" for number in range(1, last + 1)))
    os.utime(path, (at, at))
    return path


@pytest.fixture(autouse=True)
def here(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("PATH", str(tmp_path / "no-commands"))
    monkeypatch.setenv("HF_TOKEN", "hf_verysecrettoken")
    project = tmp_path / "project"
    write(project / "logs" / "main_log.txt", 20)
    write(project / "logs" / "older.out", 7, at=1_600_000_000.0)
    (project / "ck" / "global_step10").mkdir(parents=True)
    (project / "ck" / "latest").write_text("global_step10")
    (project / "tb").mkdir()
    (project / "tb" / "events.out.tfevents.1.host").touch()
    (project / "notes.txt").write_text("nothing\n")
    return tmp_path


def test_a_folder_becomes_a_configuration_that_doctor_finds_nothing_wrong_with(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", "project", "-o", "trainwatch.toml"]) == ExitCode.OK
    assert "trainwatch doctor --config trainwatch.toml" in capsys.readouterr().err
    text = (here / "trainwatch.toml").read_text()
    (one,) = config.parse(text).runs
    assert (one.log, one.checkpoints.path) == (
        f"{here}/project/logs/main_log.txt",
        f"{here}/project/ck",
    )
    assert f'# log = "{here}/project/logs/older.out"' in text
    assert f'# dir = "{here}/project/tb"' in text
    assert "logged in to the Hub (HF_TOKEN)" in text
    assert "verysecret" not in text
    assert run(["doctor", "--json"]) == ExitCode.OK
    checks = json.loads(capsys.readouterr().out)["checks"]
    assert [c for c in checks if c["verdict"] in ("wrong", "unknown")] == []
    assert run(["status", "--json"]) in (ExitCode.OK, ExitCode.UNKNOWN)
    assert json.loads(capsys.readouterr().out)[0]["iteration"] == 20


def test_without_an_argument_this_folder_is_looked_at(
    here: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.chdir(here / "project" / "logs")
    assert run(["init"]) == ExitCode.OK
    settings = config.parse(capsys.readouterr().out)
    assert [one.log for one in settings.runs] == [f"{here}/project/logs/main_log.txt"]


def test_a_log_that_is_named_is_the_one(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["init", "project/logs/older.out"]) == ExitCode.OK
    text = capsys.readouterr().out
    (one,) = config.parse(text).runs
    assert one.log == f"{here}/project/logs/older.out"
    assert "main_log.txt" not in text.replace('what = ["main_log.txt"]', "")


def test_a_folder_without_a_log_says_what_was_looked_for(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(["init", "project/tb"]) == ExitCode.USAGE
    told = capsys.readouterr().err
    assert f"{here}/project/tb is a folder; name the log in it: none of the files below it" in told


def test_a_configuration_that_is_there_costs_no_look(
    here: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (here / "trainwatch.toml").write_text("")
    assert run(["init", "project", "-o", "trainwatch.toml"]) == ExitCode.USAGE
    assert "trainwatch.toml exists; nothing was written" in capsys.readouterr().err
    assert not (here / "state").exists()


def test_hostile_names_around_do_not_matter(here: Path, capsys: pytest.CaptureFixture[str]) -> None:
    write(here / "project" / '"\n[cron]\nmode = "ticks', 9, at=1_800_000_000.0)
    odd = here / "project" / os.fsdecode(b"odd-\xff.log")
    try:
        write(odd, 9, at=1_900_000_000.0)
    except OSError:
        pytest.skip("this filesystem takes no name that is not UTF-8")
    assert run(["init", "project"]) == ExitCode.OK
    settings = config.parse(capsys.readouterr().out)
    assert settings.cron.mode == "daemon"
    assert settings.runs[0].log == str(here / "project" / '"\n[cron]\nmode = "ticks')
