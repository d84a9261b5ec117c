"""trainwatch hands: shows what the watcher plans, and asks it to carry that out."""

import json
from pathlib import Path

import msgspec
import pytest

from trainwatch.adapters.store import requests
from trainwatch.app import clock, config
from trainwatch.app.cli import run
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode
from trainwatch.core.model.status import HandStatus, Status

ROWS = (
    HandStatus(hand="evidence", state="off", why=("set evidence = true in [runs.hands]",)),
    HandStatus(
        hand="cancel",
        state="would",
        does="scancel 7_1",
        why=("stall fires for 1 h", "7_1 alone is RUNNING"),
        then="sbatch --exclude=n3",
        cause="7_1@1",
        last="done 2 d ago",
    ),
    HandStatus(hand="hold", state="idle", why=("no crash-loop fires",)),
    HandStatus(hand="resubmit", state="refused", why=("kill-switch fires", "\x1b[2Jodd")),
)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The store of the one run that is configured."""
    log = tmp_path / "main_log.txt"
    log.touch()
    text = f'state_dir = "{tmp_path / "state"}"\n[[runs]]\nname = "tr11"\nlog = "{log}"\n'
    (tmp_path / "trainwatch.toml").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    site = Site(config.parse(text))
    place = site.folder(site.runs()[0])
    place.mkdir(parents=True)
    return place


def publish(folder: Path, at: float, rows: tuple[HandStatus, ...] = ROWS) -> None:
    """As a watcher does."""
    status = Status(run="tr11", health="ok", heartbeat_at=at, hands=rows)
    (folder / "status.json").write_bytes(msgspec.json.encode(status))


def test_what_each_hand_would_do_and_why_or_why_not(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(folder, clock.now())
    assert run(["hands"]) == ExitCode.OK
    assert capsys.readouterr().out.splitlines() == [
        "tr11",
        "  evidence  off: set evidence = true in [runs.hands]",
        "  cancel    would: scancel 7_1",
        "            as stall fires for 1 h",
        "            as 7_1 alone is RUNNING",
        "            then, by you: sbatch --exclude=n3",
        "            last: done 2 d ago",
        "  hold      nothing to do: no crash-loop fires",
        "  resubmit  refuses: kill-switch fires",
        "            and  [2Jodd",
    ]
    assert requests.take(folder) == []


def test_as_json(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    publish(folder, clock.now())
    assert run(["hands", "tr11", "--json"]) == ExitCode.OK
    said = json.loads(capsys.readouterr().out)
    assert (said["schema_version"], said["run"], said["asked"]) == (1, "tr11", [])
    assert said["hands"][1]["does"] == "scancel 7_1"


def test_apply_asks_for_just_what_is_planned(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(folder, clock.now())
    assert run(["hands", "--apply"]) == ExitCode.OK
    assert "tr11: asked to scancel 7_1" in capsys.readouterr().err
    (request,) = requests.take(folder)
    assert (request.ask, request.rule, request.key) == ("apply", "cancel", "7_1@1")
    assert request.until is not None
    assert 0 < request.until - request.at <= 900


def test_nothing_is_asked_of_a_watcher_that_is_away(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(folder, clock.now() - 3600)
    assert run(["hands", "--apply"]) == ExitCode.UNKNOWN
    assert "nobody watches this run, and nothing is done" in capsys.readouterr().out
    assert requests.take(folder) == []


def test_a_run_that_was_never_watched(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(["hands", "--apply"]) == ExitCode.UNKNOWN
    assert "nobody watches this run" in capsys.readouterr().out


def test_where_all_is_off_it_says_how_to_turn_it_on(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    publish(folder, clock.now(), ())
    assert run(["hands", "--apply"]) == ExitCode.OK
    captured = capsys.readouterr()
    assert "all hands are off: set their keys in [runs.hands]" in captured.out
    assert "nothing is planned" in captured.err
