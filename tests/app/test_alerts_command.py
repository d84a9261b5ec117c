"""`trainwatch alerts`: what it lists of a published book, and the requests it leaves for the watcher."""

import json
from pathlib import Path

import msgspec
import pytest

from tests.core.settling import HOUR_S, Told, found
from trainwatch.adapters.store.requests import take
from trainwatch.app import alerting
from trainwatch.app.cli import run
from trainwatch.app.commands import alerts
from trainwatch.core.errors import ExitCode
from trainwatch.core.model.alerts import Book, Terms

NOW = 1_780_000_000.0


def some_alerts() -> Book:
    """One of each kind: firing, acknowledged, hidden by its cause, pending, silenced."""
    told = Told(
        stall=Terms(severity="critical"),
        checkpoint_overdue=Terms(inhibited_by=("stall",)),
        slow_node=Terms(hold_s=600),
        disk_full=Terms(),
    )
    told.ask("silence", NOW - 10, "disk-full", until=NOW + HOUR_S, why="\x1b[2Jcleaning\nup")
    told.at(
        NOW - 5,
        found("slow-node", key="gpu[1]"),
        "checkpoint-overdue",
        "disk-full",
        found("stall", since=NOW - 3 * HOUR_S),
    )
    told.ask("ack", NOW - 4, "stall", why="on it")
    return told.book


@pytest.fixture
def state(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """Two configured runs whose logs exist; the state folder."""
    for name in ("tr11", "tr12"):
        (tmp_path / f"{name}.log").touch()
    config = "".join(f"[[runs]]\nname = '{n}'\nlog = '{n}.log'\n" for n in ("tr11", "tr12"))
    (tmp_path / "trainwatch.toml").write_text(config)
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("XDG_CONFIG_HOME", str(tmp_path / "no-config"))
    monkeypatch.setenv("LOGNAME", "me")
    monkeypatch.delenv("TRAINWATCH_CONFIG", raising=False)
    monkeypatch.setattr("trainwatch.app.clock.now", lambda: NOW)
    monkeypatch.chdir(tmp_path)
    return tmp_path / "state"


def folder(state: Path, name: str) -> Path:
    (found,) = (state / "runs").glob(f"{name}*")
    return found


def publish(state: Path, name: str, book: Book) -> None:
    """As a watcher does."""
    run(["alerts", "unmute", "--run", name])
    take(folder(state, name))
    (folder(state, name) / "status.json").write_bytes(msgspec.json.encode({"book": book}))


class TestListing:
    def test_the_worst_first_then_what_is_pending_then_what_is_muted(self) -> None:
        lines = alerting.listing(some_alerts(), NOW).splitlines()
        assert [line.split()[:2] for line in lines] == [
            ["critical", "stall"],
            ["warning", "checkpoint-overdue"],
            ["warning", "disk-full"],
            ["pending", "slow-node"],
            ["silenced:", "disk-full"],
            ["acknowledged:", "stall"],
        ]
        assert lines[0].endswith("for 3 h (acknowledged): stall is so")
        assert "(inhibited)" in lines[1]
        assert "(silenced)" in lines[2]
        assert "gpu[1]" in lines[3]

    def test_foreign_words_stay_on_their_line(self) -> None:
        text = alerting.listing(some_alerts(), NOW)
        assert text.replace("\n", "").isprintable()
        assert len(text.splitlines()) == 6

    def test_nothing_fires_is_not_the_same_as_nobody_looked(self) -> None:
        assert alerting.listing(Book(), NOW) == "  no alerts"
        assert "not known" in alerting.listing(None, NOW)

    def test_a_silence_that_ended_is_not_listed_though_its_watcher_is_away(self) -> None:
        assert "silenced:" not in alerting.listing(some_alerts(), NOW + 2 * HOUR_S)


class TestList:
    def test_every_configured_run(self, state: Path, capsys: pytest.CaptureFixture[str]) -> None:
        publish(state, "tr11", some_alerts())
        capsys.readouterr()
        assert run(["alerts", "list"]) == ExitCode.OK
        out = capsys.readouterr().out
        assert out.startswith("tr11\n  critical  stall")
        assert "\n\ntr12\n  not known" in out

    def test_as_json(self, state: Path, capsys: pytest.CaptureFixture[str]) -> None:
        publish(state, "tr11", some_alerts())
        capsys.readouterr()
        assert run(["alerts", "list", "tr11", "--json"]) == ExitCode.OK
        said = json.loads(capsys.readouterr().out)
        assert said["schema_version"] == 1
        assert said["alerts"][0] == {
            "rule": "stall",
            "key": "",
            "state": "firing",
            "severity": "critical",
            "since": NOW - 3 * HOUR_S,
            "summary": "stall is so",
            "told": True,
            "muted": "acknowledged",
        }
        assert run(["alerts", "list", "--json"]) == ExitCode.OK
        both = json.loads(capsys.readouterr().out)
        assert [each["alerts"] is None for each in both] == [False, True]

    def test_unknown_is_said_by_the_exit_code(self, state: Path) -> None:
        assert run(["alerts", "list"]) == ExitCode.UNKNOWN


class TestAsking:
    def test_a_silence_of_all_runs(self, state: Path, capsys: pytest.CaptureFixture[str]) -> None:
        assert run(["alerts", "silence", "--for", "4h", "--why", "maintenance"]) == ExitCode.OK
        said = capsys.readouterr()
        assert said.out == ""
        assert said.err.count("asked") == 2
        for name in ("tr11", "tr12"):
            (request,) = take(folder(state, name))
            assert (request.ask, request.rule, request.until) == ("silence", "", NOW + 4 * HOUR_S)
            assert (request.by, request.why, request.at) == ("me", "maintenance", NOW)

    @pytest.mark.parametrize(
        "words", [["--for", "4h"], ["--why", "so"], ["--for", "x", "--why", "y"]]
    )
    def test_a_silence_needs_an_end_and_a_reason(self, state: Path, words: list[str]) -> None:
        assert run(["alerts", "silence", "stall", *words]) == ExitCode.USAGE
        assert not state.exists()

    def test_an_acknowledgement_goes_where_the_alert_fires(self, state: Path) -> None:
        publish(state, "tr11", some_alerts())
        publish(state, "tr12", Book())
        assert run(["alerts", "ack", "disk-full", "--for", "1h", "--why", "on it"]) == ExitCode.OK
        (request,) = take(folder(state, "tr11"))
        assert (request.ask, request.rule, request.until) == ("ack", "disk-full", NOW + HOUR_S)
        assert take(folder(state, "tr12")) == []

    def test_what_does_not_fire_cannot_be_acknowledged(
        self, state: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        publish(state, "tr11", some_alerts())
        for words in (["slow-node"], ["stal"], ["stall", "--key", "a"]):
            assert run(["alerts", "ack", *words, "--run", "tr11"]) == ExitCode.USAGE
            assert "trainwatch alerts list" in capsys.readouterr().err
        assert take(folder(state, "tr11")) == []

    def test_unmute(self, state: Path) -> None:
        assert run(["alerts", "unmute", "stall", "--run", "tr12"]) == ExitCode.OK
        (request,) = take(folder(state, "tr12"))
        assert (request.ask, request.rule) == ("unmute", "stall")

    def test_of_a_log_that_is_not_there_nothing_is_left(
        self, state: Path, capsys: pytest.CaptureFixture[str]
    ) -> None:
        assert run(["alerts", "unmute", "--run", "./tr13.log"]) == ExitCode.USAGE
        assert "tr13.log" in capsys.readouterr().err
        assert not state.exists()

    def test_a_user_without_a_name_may_ask_too(
        self, state: Path, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        def nobody() -> str:
            raise KeyError("getpwuid(): uid not found: 1000")

        monkeypatch.setattr("getpass.getuser", nobody)
        run(["alerts", "unmute", "--run", "tr11"])
        assert [request.by for request in take(folder(state, "tr11"))] == [""]


def test_each_verb_has_help_with_an_example(capsys: pytest.CaptureFixture[str]) -> None:
    for verb in alerts.command.commands:
        assert run(["alerts", verb, "--help"]) == 0
        assert f"trainwatch alerts {verb}" in capsys.readouterr().out
