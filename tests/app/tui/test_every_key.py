"""No key without a test that presses it: the tables are searched, so that a new one is found."""

import pytest
from textual.widgets import Input

from tests.app.tui import test_fleet, test_keys
from tests.app.tui.alarms import alarming
from tests.app.tui.driving import opened, until
from tests.app.tui.fleetdriving import opened as opened_fleet
from tests.app.tui.sources import FixedSource
from trainwatch.app.tui import evidence, fleetsort, help, keys, prompt  # noqa: A004
from trainwatch.app.tui.fleet import FleetScreen
from trainwatch.app.tui.help import FLEET_PAGES, PAGES
from trainwatch.app.tui.keys import ANYWHERE, BACK, FLEET, FLEET_ANYWHERE, Key

TABLES = {
    name: value
    for name, value in vars(keys).items()
    if isinstance(value, tuple) and value and all(isinstance(each, Key) for each in value)
}
# by test_keys.test_every_key_does_something and test_leaving, and by test_fleet, where BACK is pressed, too
PRESSED = {
    *(key for _, pressed, _ in test_keys.CONTEXTS for key in pressed),
    *(key for key in ANYWHERE if set(key.keys.split(",")) == set(test_fleet.LEAVING)),
    *FLEET,
    *FLEET_ANYWHERE,
    *BACK,
}


def test_every_key_of_every_table_is_pressed() -> None:
    assert {"ANYWHERE", "CHARTS", "LISTS", "LOG", "ALERTS", "FLEET", "BACK"} <= TABLES.keys()
    unpressed = {
        name: [k.keys for k in table if k not in PRESSED] for name, table in TABLES.items()
    }
    assert {name: missing for name, missing in unpressed.items() if missing} == {}


def test_every_key_that_a_help_shows_is_pressed() -> None:
    shown = [key for pages in (PAGES, FLEET_PAGES) for _, table in pages.keys for key in table]
    assert len(shown) > 60
    assert [key.keys for key in shown if key not in PRESSED] == []


CLOSES = {
    "question_mark": ("escape", "q", "question_mark", "f1", "enter"),
    "slash": ("escape",),
}
OVER = {"question_mark": help.Help, "slash": prompt.Prompting}


@pytest.mark.parametrize(
    ("opens", "closes"), [(key, each) for key, those in CLOSES.items() for each in those]
)
async def test_what_lies_over_a_run_is_closed_by_each_of_its_keys(opens: str, closes: str) -> None:
    async with opened(FixedSource()) as pilot:
        await pilot.press(opens)
        await until(pilot, lambda: isinstance(pilot.app.screen, OVER[opens]), opens)
        await pilot.press(closes)
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, f"its end by {closes}")


@pytest.mark.parametrize("closes", ["escape", "q", "enter"])
async def test_the_evidence_is_closed_by_each_of_its_keys(closes: str) -> None:
    async with opened(FixedSource(alarming())) as pilot:
        await pilot.press("A", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, evidence.Evidence), "the evidence")
        await pilot.press(closes)
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, f"its end by {closes}")


@pytest.mark.parametrize(("key", "does"), [("a", 1), ("s", 0), ("u", 0)])
async def test_the_evidence_takes_the_keys_of_alerts(key: str, does: int) -> None:
    source = FixedSource(alarming())
    async with opened(source) as pilot:
        await pilot.press("A", "enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, evidence.Evidence), "the evidence")
        await pilot.press(key)
        await until(
            pilot, lambda: not isinstance(pilot.app.screen, evidence.Evidence), f"its end by {key}"
        )
        if does:
            await until(pilot, lambda: len(source.requests) == does, "the request")
        if key == "s":
            await until(pilot, lambda: bool(pilot.app.screen.query(Input)), "for how long")


@pytest.mark.parametrize("closes", ["escape", "q", "s", "enter"])
async def test_the_ways_to_sort_are_closed_by_each_of_its_keys(closes: str) -> None:
    async with opened_fleet() as (_, pilot):
        await pilot.press("s")
        await until(pilot, lambda: isinstance(pilot.app.screen, fleetsort.Sorting), "the ways")
        await pilot.press(closes)
        await until(
            pilot, lambda: isinstance(pilot.app.screen, FleetScreen), f"its end by {closes}"
        )
