"""Lists that are longer than the screen, and rows that are wider: nothing is out of reach."""

from msgspec.structs import replace

from tests.app.tui.driving import opened, text_of, until
from tests.app.tui.housed import housed
from tests.app.tui.runs import HEALTHY
from tests.app.tui.states import many_attempts
from trainwatch.app.tui.lists import Events
from trainwatch.app.tui.page import Page

HANGS = (
    "/archive gives no answer: does its filesystem hang? " + "nobody knows, " * 10 + "in the end"
)


async def test_what_is_below_the_last_row_is_counted() -> None:
    async with opened(housed(), (80, 24)) as pilot:
        await pilot.press("y")
        await until(pilot, lambda: "more" in text_of(pilot), "the count")
        before = text_of(pilot)
        await pilot.press("end")
        await until(pilot, lambda: "more" not in text_of(pilot), "the end")
    assert " ↓ 7 more" in before
    assert "…" not in before.partition("↓")[0].splitlines()[-1]


async def test_ten_thousand_rows_are_counted_too() -> None:
    async with opened(many_attempts(), (80, 24)) as pilot:
        await pilot.press("T")
        await until(pilot, lambda: "↓ 9,99" in text_of(pilot), "the count")


async def test_all_of_a_row_that_is_cut() -> None:
    cut = replace(housed(), status=replace(housed().status, troubles={"disk archive": HANGS}))
    async with opened(cut, (80, 24)) as pilot:
        await pilot.press("d", "end")
        await until(pilot, lambda: "Enter all of it" in text_of(pilot), "the hint")
        assert "in the end" not in text_of(pilot)
        await pilot.press("enter")
        await until(pilot, lambda: isinstance(pilot.app.screen, Page), "the page")
        await until(pilot, lambda: "in the end" in text_of(pilot), "its end")
        await pilot.press("escape")
        await until(pilot, lambda: not isinstance(pilot.app.screen, Page), "the screen")


async def test_where_nothing_is_cut_enter_does_nothing() -> None:
    async with opened(HEALTHY, (200, 60)) as pilot:
        await pilot.press("d", "enter")
        await pilot.pause()
        assert "Enter" not in text_of(pilot).splitlines()[-1]
        assert not isinstance(pilot.app.screen, Page)


async def test_a_panel_that_is_alone_says_how_it_comes_to_an_end() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await pilot.press("z")
        await until(pilot, lambda: "z all panels" in text_of(pilot), "the hint")
        await pilot.press("z")
        await until(pilot, lambda: "z all panels" not in text_of(pilot), "the end of it")


async def test_rows_that_went_while_the_list_was_not_seen_are_not_picked() -> None:
    async with opened(HEALTHY) as pilot:
        events = pilot.app.query_one(Events)
        events.at = 999
        assert events.idle() == frozenset({"choose"})
        assert not events.is_cut()
        events.action_choose()
        assert len(pilot.app.screen_stack) == 1
