"""Keys of the charts, as a person presses them: range, axis, smoothing, comparison."""

import pytest
from textual.pilot import Pilot

from tests.app.tui.driving import opened, text_of, until
from tests.app.tui.runs import HEALTHY
from tests.app.tui.test_keys import part
from trainwatch.app.tui.chart.group import Charts
from trainwatch.app.tui.chart.view import WHOLE, View


async def typed(pilot: Pilot[None], key: str, text: str) -> None:
    """Press a key that asks, and answer."""
    await pilot.press(key)
    await until(pilot, lambda: len(pilot.app.screen_stack) == 2, "the prompt")
    await pilot.press(*text, "enter")
    await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "the end of the prompt")


@pytest.mark.parametrize(
    ("text", "view"),
    [
        ("1.2k-1,300", View(100.0, 1300.0)),
        ("-500", View(500.0, None)),
        ("1-99999", WHOLE),
    ],
)
async def test_a_range_is_shown(text: str, view: View) -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        charts = part(pilot, Charts)
        charts.look = charts.look._replace(view=View(8.0, 700.0))
        await typed(pilot, "R", text)
        await until(pilot, lambda: charts.look.view == view, "the range")


async def test_a_range_that_is_none_changes_nothing_and_says_why() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        charts = part(pilot, Charts)
        await typed(pilot, "R", "[red]nonsense")
        await until(pilot, lambda: "'[red]nonsense' is no range" in text_of(pilot), "an answer")
        assert charts.look.view == WHOLE
        await pilot.press("R", "escape")
        assert charts.look.view == WHOLE
