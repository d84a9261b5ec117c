"""What somebody chose is there again the next time; what a file says wrongly is not."""

import json
import os
import sys
from pathlib import Path

import pytest
from textual.pilot import Pilot

from benchmarks.terminal import Terminal
from tests.app.tui.driving import settled, steady, until
from tests.app.tui.fleetdriving import Opened
from tests.app.tui.fleets import fleet
from tests.app.tui.sources import FixedSource
from tests.app.tui.test_keys import part
from tests.app.viewed import iteration
from trainwatch.app import wirescreen
from trainwatch.app.tui.app import ScreenApp
from trainwatch.app.tui.chart.group import Charts
from trainwatch.app.tui.chart.metrics import METRICS
from trainwatch.app.tui.fleetapp import FleetApp
from trainwatch.app.tui.habits import Habits
from trainwatch.app.tui.tabs import Tabs

USUAL = [metric.key for metric in METRICS[:4]]


async def chosen_on(app: ScreenApp, *keys: str) -> dict[str, object]:
    """What a screen wants to be remembered after some keys and the end."""
    async with app.run_test(size=(120, 50)) as pilot:
        await settled(pilot)
        for key in keys:
            await pilot.press(key)
            await pilot.pause()
        app.exit()
    return app.habits.changed


def shown(pilot: Pilot[None]) -> tuple[object, ...]:
    charts = part(pilot, Charts)
    return charts.shown, charts.look.log, charts.look.whole, part(pilot, Tabs).pane, pilot.app.theme


async def test_nobody_chose_nothing_is_kept() -> None:
    assert (
        await chosen_on(ScreenApp(FixedSource()), "left", "plus", "question_mark", "escape") == {}
    )


async def test_what_was_chosen_is_kept_and_shown_again() -> None:
    changed = await chosen_on(ScreenApp(FixedSource()), "5", "s", "tab", "o", "t", "d")
    assert changed == {
        "charts": ["step", *USUAL[1:]],
        "log": ["step"],
        "whole": ["tflops"],
        "theme": "light",
        "pane": "disks",
    }
    kept = json.loads(json.dumps(changed))
    app = ScreenApp(FixedSource(), habits=Habits(kept), colours="light")
    async with app.run_test(size=(120, 50)) as pilot:
        await settled(pilot)
        wanted = (["step", *USUAL[1:]], frozenset({"step"}), frozenset({"tflops"}))
        assert shown(pilot) == (*wanted, "disks", "light")
        await pilot.press("l")
        app.exit()
    assert app.habits.changed == {"pane": "log"}


WRONG: list[dict[str, object]] = [
    {"charts": 5, "log": "loss", "whole": {"a": 1}, "pane": ["log"], "theme": 3},
    {"charts": ["loss"], "log": [1, 2], "whole": ["x" * 500], "pane": "no such pane"},
    {"charts": ["a", "b", "c"] * 100, "log": ["x"] * 1000, "pane": None},
    {"charts": [None] * 4, "fleet-sort": [], "fleet-group": 1, "fleet-filter": {}},
    {"x axis of a newer version": {"deep": [1]}, "": ""},
]


@pytest.mark.parametrize("values", WRONG, ids=range(len(WRONG)))
async def test_what_is_not_understood_is_left_alone(values: dict[str, object]) -> None:
    app = ScreenApp(FixedSource(), habits=Habits(values))
    async with app.run_test(size=(120, 50)) as pilot:
        await settled(pilot)
        assert shown(pilot) == (USUAL, frozenset(), frozenset(), "log", "dark")
    assert app.habits.changed == {}


async def test_something_drawn_that_this_log_does_not_have() -> None:
    values = {"charts": ["no such column [red]", *USUAL[1:]], "log": ["no such column [red]"]}
    app = ScreenApp(FixedSource(), habits=Habits(values))
    async with app.run_test(size=(120, 50)) as pilot:
        await settled(pilot)
        await pilot.press("c")
        await steady(pilot)
        assert part(pilot, Charts).shown[0] == USUAL[0]


def fleet_app(habits: Habits) -> FleetApp:
    screen = Opened(fleet())
    return FleetApp(screen.source, screen.open, habits=habits)


async def test_all_runs_are_arranged_as_before() -> None:
    habits = Habits()
    app = fleet_app(habits)
    async with app.run_test(size=(120, 40)) as pilot:
        runs = app._screen_of_all.runs
        await until(pilot, lambda: runs.entries != [], "the runs")
        await pilot.press("g", "r")
        runs.text = "tr"
        await pilot.press("enter")
        await until(pilot, lambda: len(app.screen_stack) == 1, "a run")
        await settled(pilot)
        await pilot.press("A")
        await pilot.press("escape")
        await until(pilot, lambda: len(app.screen_stack) == 2, "all runs")
        app.exit()
    app.close()
    wanted = {"fleet-group": "project", "fleet-turned": True, "fleet-filter": "tr"}
    assert habits.changed == {**wanted, "pane": "alerts"}
    again = fleet_app(Habits(habits.changed))
    async with again.run_test(size=(120, 40)) as pilot:
        runs = again._screen_of_all.runs
        await until(pilot, lambda: runs.entries != [], "the runs")
        assert (runs.by, runs.turned, runs.text, runs.sort) == ("project", True, "tr", "worst")
    again.close()


def test_only_looking_keeps_nothing(tmp_path: Path) -> None:
    wirescreen.keep_chosen(tmp_path, {"theme": "light"}, read_only=True)
    assert list(tmp_path.iterdir()) == []
    wirescreen.keep_chosen(tmp_path, {"theme": "light"}, read_only=False)
    assert wirescreen.chosen_before(tmp_path) == {"theme": "light"}


def test_from_one_start_to_the_next(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The real program: what is chosen is there again, and a flag wins over it."""
    log = tmp_path / "tr1-13B.log"
    log.write_text("".join(iteration(n) for n in range(1, 101)))
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("COLORFGBG", raising=False)

    def on(*options: str) -> Terminal:
        command = [sys.executable, "-m", "trainwatch", "tui", str(log), *options]
        return Terminal(command, (80, 24))

    light, dark = b"48;2;253;253;252", b"48;2;16;20;24"
    with on() as terminal:
        terminal.wait_for(b"watching")
        assert dark in terminal._seen
        os.write(terminal._ours, b"t")
        terminal.wait_for(light)
        os.write(terminal._ours, b"q")
        terminal._process.wait(30)
    with on() as terminal:
        terminal.wait_for(light)
        terminal.wait_for(b"watching")
        assert dark not in terminal._seen
    with on("--theme", "dark") as terminal:
        terminal.wait_for(b"watching")
        assert light not in terminal._seen
    kept = wirescreen.chosen_before(tmp_path / "state")
    assert kept == {"theme": "light"}
