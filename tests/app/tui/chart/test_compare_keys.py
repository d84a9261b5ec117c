"""Attempts and other runs beside each other, as a person asks for them."""

from textual.pilot import Pilot
from textual.widgets import Input

from tests.app.tui.chart.comparable import TwoRuns
from tests.app.tui.chart.test_chart_keys import axis_shown, typed
from tests.app.tui.driving import opened, text_of, until
from tests.app.tui.runs import HEALTHY
from tests.app.tui.test_keys import part
from trainwatch.app.tui.chart.group import Charts


async def compared(pilot: Pilot[None]) -> Charts:
    charts = part(pilot, Charts)
    await until(pilot, lambda: bool(charts._seen.snapshot.others), "the names")
    await typed(pilot, "v", "tr12")
    await until(pilot, lambda: "○ tr12" in text_of(pilot), "the other run")
    return charts


async def test_another_run_and_none_again() -> None:
    async with opened(TwoRuns(), (80, 24)) as pilot:
        charts = await compared(pilot)
        charts.look = charts.look._replace(cursor=1000.0)
        charts.renew()
        await until(pilot, lambda: "(+1) at 1,000" in text_of(pilot), "the difference")
        await pilot.press("v")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 2, "the prompt")
        assert pilot.app.screen.query_one(Input).value == "tr12"
        await pilot.press("delete", "enter")
        await until(pilot, lambda: "tr12" not in text_of(pilot), "the run alone")
        assert charts.look.other == ""


async def test_what_is_known_is_offered() -> None:
    async with opened(TwoRuns(), (120, 40)) as pilot:
        charts = part(pilot, Charts)
        await until(pilot, lambda: bool(charts._seen.snapshot.others), "the names")
        await pilot.press("v")
        await until(pilot, lambda: "(tr12, tr13)" in text_of(pilot), "the names")
        await pilot.press(*"TR")
        line = pilot.app.screen.query_one(Input)
        await until(pilot, lambda: line._suggestion != "", "a suggestion")
        await pilot.press("right", "enter")
        await until(pilot, lambda: "○ tr12" in text_of(pilot), "the other run")


async def test_one_without_a_store_is_told_and_not_asked_for_again() -> None:
    source = TwoRuns()
    async with opened(source, (120, 24)) as pilot:
        charts = part(pilot, Charts)
        await typed(pilot, "v", "[b]nosuch")
        await until(pilot, lambda: "'[b]nosuch' has no store" in text_of(pilot), "why not")
        assert charts.look.other == ""
        await until(pilot, lambda: source.asked[-1].other == "", "the end of it")


async def test_trouble_with_one_that_was_read_is_told_once() -> None:
    source = TwoRuns()
    async with opened(source, (120, 24)) as pilot:
        charts = await compared(pilot)
        source.said = "its disk is gone"
        await until(pilot, lambda: "its disk is gone" in text_of(pilot), "the trouble")
        assert charts.look.other == "tr12"
        assert "○ tr12" in text_of(pilot)


async def test_where_the_other_run_has_no_clock_it_is_told() -> None:
    async with opened(TwoRuns(), (120, 24)) as pilot:
        await compared(pilot)
        await pilot.press("X", "X")
        await axis_shown(pilot, "time")
        await until(pilot, lambda: "tr12: times are not known" in text_of(pilot), "why not")
        assert "○ tr12 (nothing here)" in text_of(pilot)


async def test_attempts_apart_and_together() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        charts = part(pilot, Charts)
        await pilot.press("O")
        await until(pilot, lambda: "attempts  a 1  b 2" in text_of(pilot), "the attempts")
        charts.look = charts.look._replace(cursor=850.0)
        charts.renew()
        await until(pilot, lambda: " a 1." in text_of(pilot), "a value of each")
        assert " b 1." in text_of(pilot)
        await pilot.press("O")
        await until(pilot, lambda: "attempts  a" not in text_of(pilot), "one line")
