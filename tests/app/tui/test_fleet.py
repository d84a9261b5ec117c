"""The screen of all runs: every key, the mouse, and the picked run that stays picked."""

import asyncio

import pytest
from msgspec.structs import replace
from textual.events import MouseScrollDown
from textual.pilot import Pilot
from textual.widgets import Input

from tests.app.tui.driving import text_of, until
from tests.app.tui.fleetdriving import Opened, opened
from tests.app.tui.fleets import ROWS, fleet, many
from trainwatch.app.tui.chart.group import Charts, Look
from trainwatch.app.tui.fleet import FleetScreen
from trainwatch.app.tui.fleetsort import Sorting
from trainwatch.app.tui.help import Help
from trainwatch.app.tui.keys import (
    ALERTS,
    ANYWHERE,
    BACK,
    CHARTS,
    FLEET,
    FLEET_ANYWHERE,
    LISTS,
    LOG,
    Key,
)
from trainwatch.app.tui.logpanel import marks_of

WORST_FIRST = [
    "tr8b-104B-cl",
    "tr13f-6B3-ml-t0",
    "llama-8B",
    "new-run",
    "torn",
    "llama-70B-lr3e-5-a-name-that-is-longer-than-any-column",
    "tr11-176B-ml",
    "tr1-13B",
]


async def test_the_worst_first() -> None:
    async with opened() as (screen, pilot):
        assert screen.shown == WORST_FIRST
        shown = text_of(pilot)
        assert (
            "8 runs · ✖ 1 critical · ▲ 1 warning · ? 3 unknown · ● 3 OK · 18,313 GPU-hours" in shown
        )
        assert " at risk · 3 alerts · 2,368 GPUs" in shown
        assert "✖ CRITICAL tr8b-104B-cl" in shown
        assert "no iteration for 43 min while evaluating; 25 min would be usual" in shown
        assert "stall · slow-node (acknowledged)" in shown


def state(screen: Opened) -> dict[str, object]:
    """Everything that a key may change."""
    runs, app = screen.listing, screen.app
    return {
        "order": (runs.sort, runs.turned, runs.text, runs.by),
        "at": (runs.at, runs.top),
        "screens": [type(each).__name__ for each in app.screen_stack],
        "opened": len(screen.runs),
        "theme": app.theme,
        "message": app._screen_of_all.query_one("Hints").message,  # type: ignore[attr-defined]
        "running": app.is_running and app._exit is False,
    }


def spellings(keys: tuple[Key, ...]) -> list[str]:
    return [each for key in keys for each in key.keys.split(",")]


LEAVING = ("q", "ctrl+c")


@pytest.mark.parametrize("key", sorted({*spellings(FLEET + FLEET_ANYWHERE)} - {*LEAVING, "ctrl+l"}))
async def test_every_key_does_something(key: str) -> None:
    async with opened(many(), (80, 24)) as (screen, pilot):
        screen.listing.text, screen.listing.at = "run", 40
        screen.listing.rearrange()
        await pilot.pause()
        before = state(screen)
        await pilot.press(key)
        await until(pilot, lambda: state(screen) != before, f"the effect of {key}")


@pytest.mark.parametrize("key", LEAVING)
async def test_leaving(key: str) -> None:
    async with opened() as (screen, _):
        screen.app.simulate_key(key)  # a pilot would wait for a screen that is being taken down
        for _turn in range(2000):
            await asyncio.sleep(0.005)
            if screen.app._exit:
                return
    raise AssertionError(f"{key} did not leave")


async def test_keys_of_a_run_do_nothing_here() -> None:
    async with opened() as (screen, pilot):
        before = state(screen)
        ours = set(spellings(FLEET + FLEET_ANYWHERE))
        for key in set(spellings(ANYWHERE + CHARTS + LISTS + LOG + ALERTS)) - ours:
            await pilot.press(key)
        await pilot.pause()
        assert state(screen) == before


async def test_help_lists_every_key() -> None:
    async with opened(size=(200, 60)) as (screen, pilot):
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(pilot.app.screen, Help))
        await pilot.pause()
        for key in FLEET + FLEET_ANYWHERE:
            assert key.says in text_of(pilot)
            assert key.shown in text_of(pilot)
        await pilot.press("escape", "enter")
        await until(pilot, lambda: len(screen.app.screen_stack) == 1, "the run")
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(pilot.app.screen, Help))
        await pilot.pause()
        assert BACK[0].says in text_of(pilot)


async def test_enter_opens_the_picked_run_and_escape_goes_back_to_it() -> None:
    async with opened() as (screen, pilot):
        await pilot.press("down", "down", "enter")
        await until(pilot, lambda: "2,400 / 3,000" in text_of(pilot), "the run")
        assert screen.runs[0][0].run == "llama-8B"
        assert "Esc all runs" in text_of(pilot)
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, FleetScreen), "all runs")
        await until(pilot, lambda: screen.runs[0][1].closed == 1, "its end")
        assert screen.picked == "llama-8B"
        await pilot.press("down", "enter")
        await until(pilot, lambda: len(screen.runs) == 2, "another run")
        await until(pilot, lambda: "2,400 / 3,000" in text_of(pilot), "the other run")
    assert screen.runs[1][1].closed == 1


async def test_escape_takes_back_what_there_is_first() -> None:
    async with opened() as (screen, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: "2,400 / 3,000" in text_of(pilot), "the run")
        charts = screen.app.query_one(Charts)
        charts.look = Look(cursor=700.0)
        await pilot.press("escape")
        assert charts.look.cursor is None
        assert len(screen.app.screen_stack) == 1
        screen.app.action_lower("log")
        screen.app._lower.log_panel.marks = marks_of("2300")
        await pilot.press("escape")
        assert screen.app._lower.log_panel.marks is None
        assert len(screen.app.screen_stack) == 1
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, FleetScreen), "all runs")


async def test_nothing_is_read_of_all_runs_while_one_is_seen() -> None:
    async with opened() as (screen, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: "2,400 / 3,000" in text_of(pilot), "the run")
        assert not screen.app._fleet_feed._looked_at.is_set()
        await pilot.press("escape")
        await until(pilot, screen.app._fleet_feed._looked_at.is_set, "reading on")


async def test_the_picked_run_stays_picked_wherever_it_goes() -> None:
    async with opened() as (screen, pilot):
        await pilot.press("down", "down")
        assert screen.picked == "llama-8B"
        well = [replace(row, health="ok", alerts=()) for row in ROWS if row.run != "torn"]
        screen.show(fleet(well))
        assert screen.picked == "llama-8B"
        assert screen.listing.at != 2
        screen.show(fleet([row for row in well if row.run != "llama-8B"]))
        assert screen.picked != ""


async def test_until_one_is_picked_the_worst_is() -> None:
    async with opened() as (screen, _):
        assert screen.picked == WORST_FIRST[0]
        worse = replace(ROWS[0], health="critical", alerts=ROWS[1].alerts * 3)
        screen.show(fleet([worse, *ROWS[1:]]))
        assert screen.picked == "tr11-176B-ml"


async def test_sorting_by_the_list() -> None:
    async with opened() as (screen, pilot):
        await pilot.press("s")
        await until(pilot, lambda: isinstance(pilot.app.screen, Sorting), "the list")
        await pilot.press("down", "enter")
        await until(pilot, lambda: screen.listing.sort == "run", "another order")
        assert screen.shown[:3] == ["llama-8B", WORST_FIRST[5], "new-run"]
        assert "sorted by name" in text_of(pilot)
        await pilot.press("r")
        assert screen.shown[0] == "tr13f-6B3-ml-t0"
        await pilot.press("s", "escape")
        assert (screen.listing.sort, screen.listing.turned) == ("run", True)


async def filtered(pilot: Pilot[None], text: str) -> None:
    await pilot.press("slash")
    await until(pilot, lambda: bool(pilot.app.screen.query(Input)), "the prompt")
    pilot.app.screen.query_one(Input).value = text
    await pilot.press("enter")
    await until(pilot, lambda: isinstance(pilot.app.screen, FleetScreen), "the runs")
    await pilot.pause()


async def test_filtering() -> None:
    async with opened() as (screen, pilot):
        await filtered(pilot, "LLAMA ada")
        assert screen.shown == ["llama-8B", WORST_FIRST[5]]
        assert "only 'LLAMA ada': 2 of 8 runs" in text_of(pilot)
        assert "2 runs" in text_of(pilot)
        await filtered(pilot, "[x")
        assert screen.shown == []
        assert "none of 8 runs has '[x'; Esc shows all" in text_of(pilot)
        await pilot.press("enter", "down", "end")
        assert screen.runs == []
        await pilot.press("escape")
        assert screen.shown == WORST_FIRST


async def test_groups() -> None:
    async with opened(size=(80, 12)) as (screen, pilot):
        await pilot.press("g")
        assert [name for name in screen.shown if name[0] == "["] == [
            "[BigScience]",
            "[Llamas]",
            "[]",
        ]
        assert screen.picked == "tr8b-104B-cl"
        assert screen.listing.at == 1
        await pilot.press("end")
        assert "no project  2 runs  ? 2 unknown" in text_of(pilot)
        assert "━━ BigScience" not in text_of(pilot)
        await pilot.press("home")
        for _ in range(3):
            await pilot.press("down")
        assert screen.shown[screen.listing.at - 1 :][:1] == ["tr11-176B-ml"]
        await pilot.press("down")
        assert screen.picked == "llama-8B"
        await pilot.press("home")
        assert screen.picked == "tr8b-104B-cl"
        assert "━━ BigScience" in text_of(pilot)
        await pilot.press("g")
        assert "[victor]" in screen.shown
        await pilot.press("g")
        assert screen.shown == WORST_FIRST


async def test_order_filter_and_groups_are_remembered_while_a_run_is_seen() -> None:
    async with opened() as (screen, pilot):
        screen.listing.sort_by("iteration")
        await filtered(pilot, "tr")
        await pilot.press("g", "enter")
        await until(pilot, lambda: "2,400 / 3,000" in text_of(pilot), "the run")
        before = screen.shown
        await pilot.press("escape")
        await until(pilot, lambda: isinstance(pilot.app.screen, FleetScreen), "all runs")
        assert (screen.listing.sort, screen.listing.text, screen.listing.by) == (
            "iteration",
            "tr",
            "project",
        )
        assert screen.shown == before


async def test_the_mouse() -> None:
    async with opened() as (screen, pilot):
        head = text_of(pilot).splitlines()[1]
        await pilot.click("#runs", (head.index("iteration") + 2, 0))
        assert (screen.listing.sort, screen.listing.turned) == ("iteration", False)
        await pilot.click("#runs", (head.index("iteration") + 2, 0))
        assert screen.listing.turned
        await pilot.click("#runs", (2, 0))
        assert screen.listing.sort == "worst"
        await pilot.click("#runs", (20, 3))
        assert screen.picked == WORST_FIRST[2]
        await pilot._post_mouse_events([MouseScrollDown], "#runs", (20, 3))
        await pilot.pause()
        assert screen.picked == WORST_FIRST[5]
        await pilot.press("g")
        at = screen.listing.at
        group = screen.shown.index("[Llamas]") + 1
        await pilot.click("#runs", (20, group), times=2)
        assert (screen.listing.at, screen.runs) == (at, [])
        await pilot.click("#runs", (20, group + 1), times=2)
        await until(pilot, lambda: len(screen.runs) == 1, "the run")
        assert screen.runs[0][0].run == "llama-8B"
