"""The last line: the keys that work now, whole, the most useful first, and a click does what they do."""

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot
from textual.widgets import Input

from tests.app.tui import fleetdriving
from tests.app.tui.alarms import alarming
from tests.app.tui.driving import opened, steady, text_of, until
from tests.app.tui.runs import HEALTHY
from tests.app.tui.test_keys import part
from trainwatch.app.tui.hints import Hints
from trainwatch.app.tui.keys import IN, Key
from trainwatch.app.tui.tabs import Tabs

WIDTHS = (60, 80, 120)


def last(pilot: Pilot[None]) -> list[str]:
    """What the last line of the screen says, in hints."""
    line = text_of(pilot).splitlines()[-1]
    return [hint for hint in line.split("  ") if hint.strip()]


def told(tables: tuple[Key, ...]) -> set[str]:
    return {key.hint for key in tables if key.hint}


@pytest.mark.parametrize("width", WIDTHS)
@pytest.mark.parametrize("pane", ["chart", "log", "alerts", "events", "queue"])
async def test_only_whole_hints_of_keys_that_work(pane: str, width: int) -> None:
    async with opened(alarming(), (width, 24)) as pilot:
        if pane != "chart":
            pilot.app.action_lower(pane)  # type: ignore[attr-defined]
        await steady(pilot)
        hints = part(pilot, Hints)
        known = told((*IN[hints.context], *hints.everywhere))
        said = [hint.strip() for hint in last(pilot)]
        assert set(said) <= known
        assert "? help" in said
        assert "^p commands" in said
        assert len(said) >= (3 if pane == "queue" else 4)


async def test_the_wider_the_more() -> None:
    counts = []
    for width in (20, *WIDTHS, 160):
        async with opened(HEALTHY, (width, 24)) as pilot:
            counts.append(len(last(pilot)))
    assert counts == sorted(counts)
    assert counts[0] >= 1
    assert counts[-1] >= counts[1] + 4


async def test_a_next_match_needs_a_search() -> None:
    async with opened(HEALTHY, (120, 40)) as pilot:
        await pilot.press("l")
        await until(pilot, lambda: any(": go to" in hint for hint in last(pilot)), "the log's keys")
        assert "n next" not in text_of(pilot)
        await pilot.press("slash")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 2, "the prompt")
        pilot.app.screen.query_one(Input).value = "iteration"
        await pilot.press("enter")
        await until(pilot, lambda: "n next" in text_of(pilot), "the next match")
        await pilot.press("escape")
        await until(pilot, lambda: "n next" not in text_of(pilot), "an end of the search")


async def test_alerts_have_keys_for_what_is_picked() -> None:
    async with opened(replace(HEALTHY, alerts=()), (120, 24)) as pilot:
        await pilot.press("A")
        await until(pilot, lambda: "Tab next" in text_of(pilot), "keys")
        await steady(pilot)
        assert "a ack" not in text_of(pilot)
    async with opened(alarming(), (120, 24)) as pilot:
        await pilot.press("A")
        await until(pilot, lambda: "a ack" in text_of(pilot), "keys of an alert")
        await pilot.press("end")
        await until(pilot, lambda: "a ack" not in text_of(pilot), "those of the past")


@pytest.mark.parametrize("width", WIDTHS)
async def test_all_runs_and_what_is_over_them(width: int) -> None:
    async with fleetdriving.opened(size=(width, 24)) as (_, pilot):
        assert {"Enter open", "s sort", "? help"} <= {hint.strip() for hint in last(pilot)}
        for key in ("question_mark", "s"):
            await pilot.press(key)
            await until(pilot, lambda: "Esc close" in "  ".join(last(pilot)), key)
            assert "q quit" not in text_of(pilot).splitlines()[-1]
            await pilot.press("escape")
            await until(pilot, lambda: "Enter open" in text_of(pilot), "all runs")


@pytest.mark.parametrize("keys", [("question_mark",), ("A", "enter"), ("ctrl+p",)], ids=str)
async def test_what_is_over_a_run_is_closed_by_a_click(keys: tuple[str, ...]) -> None:
    async with opened(alarming(), (80, 24)) as pilot:
        await pilot.press(*keys)
        await until(pilot, lambda: "Esc close" in "  ".join(last(pilot)), "how it is closed")
        await steady(pilot)
        await pilot.click(offset=(text_of(pilot).splitlines()[-1].index("Esc close") + 1, 23))
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "the screen")


@pytest.mark.parametrize("width", WIDTHS)
async def test_a_click_does_what_the_key_does(width: int) -> None:
    async with opened(HEALTHY, (width, 24)) as pilot:
        await pilot.press("e")
        await until(pilot, lambda: "Enter show in log" in text_of(pilot), "the hint")
        await steady(pilot)
        line = text_of(pilot).splitlines()[-1]
        await pilot.click(offset=(line.index("show in log"), 23))
        await until(pilot, lambda: part(pilot, Tabs).pane == "log", "the log")
