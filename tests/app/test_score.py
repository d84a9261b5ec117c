"""The score: incidents and health before the rules, and what counts as caught, late and wrong."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from trainwatch.app.cli import run
from trainwatch.app.scoring.marking import mark
from trainwatch.app.scoring.playing import Break, Played, play
from trainwatch.app.scoring.rendering import Scored, page
from trainwatch.app.scoring.suite import Task, carry_out
from trainwatch.core.errors import ExitCode
from trainwatch.core.model.alerts import Change
from trainwatch.core.rules.settings import AlertSettings, LossNan
from trainwatch.simulate.healthy import HEALTHY
from trainwatch.simulate.incidents.table import INCIDENTS

SETTINGS = AlertSettings()
LAST, SOON = 100, 103  # iterations: the last good one, and when it is told


def test_an_incident_is_caught_in_time_and_nothing_else_is_told() -> None:
    marked = carry_out(Task("loss-nan", True, None, SETTINGS))
    assert [(one.broke.rule, one.in_time) for one in marked.marks] == [("loss-nan", True)]
    assert marked.unexpected == ()


def test_a_rule_that_is_switched_off_catches_nothing() -> None:
    off = AlertSettings(loss_nan=LossNan(enabled=False))
    (one,) = carry_out(Task("loss-nan", True, None, off)).marks
    assert one.told is None
    assert not one.in_time


def test_a_healthy_run_is_played_for_as_long_as_asked() -> None:
    marked = carry_out(Task("node-changes", False, 30.0, SETTINGS))
    assert 29 < marked.hours <= 30
    assert (marked.marks, marked.unexpected) == ((), ())


def test_a_planned_change_is_quiet() -> None:
    incident = INCIDENTS["planned-node-change"]
    played = play(incident.scenario, incident.timeline, SETTINGS)
    assert played.breaks == ()
    assert [change for change in played.changes if change.severity != "info"] == []


def _change(rule: str, at: float, muted: str = "") -> Change:
    change = Change(
        at=at, run="run", rule=rule, severity="warning", change="firing", since=at, summary=""
    )
    return replace(change, muted=muted) if muted else change


@pytest.mark.parametrize(
    ("changes", "caught", "in_time", "wrong"),
    [
        ([_change("loss-nan", 1_003.0)], True, True, []),
        ([_change("loss-nan", 1_030.0)], True, False, []),  # 30 iterations later
        ([_change("loss-nan", 990.0)], True, True, []),  # just before, and it still stands
        ([_change("loss-nan", -9_000.0)], False, False, []),  # long before
        ([_change("stall", 1_003.0)], False, False, ["stall"]),
        # hidden by a cause that nobody was told of either
        ([_change("loss-nan", 1_003.0, "inhibited")], False, False, []),
    ],
)
def test_marks(changes: list[Change], caught: bool, in_time: bool, wrong: list[str]) -> None:
    broke = Break("loss-nan", "", 1_000.0, 5_000.0, LAST, 1.0, {}, "train")
    stepped = tuple((900.0 + n, n) for n in range(200))
    played = Played(1.0, 200, (broke,), tuple(changes), stepped)
    scenario = INCIDENTS["loss-nan"].scenario
    marked = mark("loss-nan", scenario, played, frozenset({"loss-nan"}), quiet=False)
    (one,) = marked.marks
    assert (one.told is not None, one.in_time) == (caught, in_time)
    assert [change.rule for change in marked.unexpected] == wrong


def test_the_page_names_what_was_missed_and_what_was_wrong() -> None:
    off = AlertSettings(loss_nan=LossNan(enabled=False))
    missed = carry_out(Task("loss-nan", True, None, off))
    played = carry_out(Task("steady", False, 10.0, SETTINGS))
    wrong = played._replace(unexpected=(_change("stall", 1.0),))
    scored = Scored((missed,), (wrong,))
    text = page(scored)
    assert not scored.holds
    assert "**loss-nan: not told**" in text
    assert "1 (stall)" in text
    assert scored.false_alarms == pytest.approx(1000 / wrong.hours)


def test_health_lasts_long_enough() -> None:
    assert all(scenario.iterations >= 50_000 for scenario in HEALTHY.values())


def test_a_page_that_cannot_be_written_is_an_error(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trainwatch.app.commands.score.tasks", lambda settings, hours: [])
    missing = tmp_path / "no" / "score.md"
    assert run(["score", "--hours", "0", "--write", str(missing)]) == ExitCode.UNHEALTHY
    assert f"cannot write {missing}" in capsys.readouterr().err
