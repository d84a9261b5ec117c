"""What is closed is not remembered, however often it was open."""

import gc

from textual._styles_cache import StylesCache

from tests.app.tui.driving import opened, text_of, until
from tests.app.tui.fleetdriving import opened as fleet
from tests.app.tui.runs import HEALTHY
from trainwatch.app.tui.fleet import FleetScreen
from trainwatch.app.tui.header import Header


def alive(kind: type[object]) -> int:
    """How many of a kind are in memory."""
    gc.collect()
    return sum(isinstance(each, kind) for each in gc.get_objects())


async def test_help_that_was_opened_and_closed_leaves_none_of_its_lines() -> None:
    async with opened(HEALTHY) as pilot:
        await pilot.press("question_mark", "escape")
        before = alive(StylesCache)
        for _ in range(10):
            await pilot.press("question_mark", "escape")
        assert alive(StylesCache) <= before


async def test_a_screen_that_is_left_leaves_none_of_its_lines() -> None:
    async with opened(HEALTHY) as pilot:
        await pilot.pause()
    before = alive(StylesCache)
    for _ in range(3):
        async with opened(HEALTHY) as pilot:
            await pilot.pause()
    assert alive(StylesCache) <= before


async def test_of_the_runs_that_were_left_none_is_kept_but_the_last() -> None:
    before = alive(Header)
    async with fleet() as (_, pilot):
        for _ in range(3):
            await pilot.press("enter")
            await until(pilot, lambda: "2,400 / 3,000" in text_of(pilot), "the run")
            await pilot.press("escape")
            await until(pilot, lambda: isinstance(pilot.app.screen, FleetScreen), "all runs")
            await pilot.pause()
        assert alive(Header) <= before + 1
