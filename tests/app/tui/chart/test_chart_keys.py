"""Keys of the charts, as a person presses them: range, axis, smoothing, comparison."""

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from tests.app.tui.driving import opened, text_of, until
from tests.app.tui.histories import LAST, NOW, STEP_S
from tests.app.tui.runs import HEALTHY
from tests.app.tui.test_keys import part
from trainwatch.app.tui.chart.group import Charts, Look
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


async def axis_shown(pilot: Pilot[None], kind: str) -> Charts:
    charts = part(pilot, Charts)
    await until(pilot, lambda: charts.axis.kind == kind, f"an axis of {kind}")
    return charts


async def test_against_tokens_and_time_and_back() -> None:
    async with opened(HEALTHY, (120, 40)) as pilot:
        charts = part(pilot, Charts)
        charts.look = Look(View(400.0, 1500.0), cursor=1300.0)
        await pilot.press("X")
        await axis_shown(pilot, "tokens")
        each = 2048.0 * 2048
        assert charts.look.view == View(400 * each, 1500 * each)
        await until(pilot, lambda: "at 5.453 B, 1,300" in text_of(pilot), "the cursor")
        assert "tokens are added up from the batch size" in text_of(pilot)
        assert " tokens " in text_of(pilot)
        await pilot.press("X")
        await axis_shown(pilot, "time")
        await until(pilot, lambda: "at 03-10 16:56:15, 1,300" in text_of(pilot), "the cursor")
        assert charts.look.view.span == pytest.approx(400 * STEP_S)
        await pilot.press("X")
        await axis_shown(pilot, "iteration")
        assert charts.look.view == View(400.0, 1500.0)
        assert charts.look.cursor == 1300.0


async def test_keys_and_mouse_move_on_a_clock_as_they_do_elsewhere() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await pilot.press("X", "X")
        charts = await axis_shown(pilot, "time")
        first, last = charts.first_and_last()
        assert (first, last) == (NOW - 2500 * STEP_S, NOW - STEP_S)  # also what was trained again
        await pilot.press("plus", "plus")
        left, right = charts.look.view.range(first, last)
        assert right == last
        assert right - left == pytest.approx((last - first) / 4)
        await pilot.press("left_square_bracket", "left")
        assert charts.look.cursor is not None
        await typed(pilot, "R", "-6h")
        await until(pilot, lambda: charts.look.view.span == pytest.approx(6 * 3600), "the range")
        await pilot.mouse_down("#chart-0", (8 + 36, 4))
        await pilot.mouse_up("#chart-0", (8 + 36, 4))
        await until(pilot, lambda: charts.look.cursor == pytest.approx(last - 3 * 3600, abs=600))
        await pilot.press("0", "minus", "plus", "plus", "plus", "plus", "plus", "plus", "plus")
        await pilot.press(*["plus"] * 20)
        assert charts.look.view.span == pytest.approx(8 * STEP_S)


async def test_what_was_trained_again_is_told_on_a_clock() -> None:
    async with opened(HEALTHY, (120, 24)) as pilot:
        await pilot.press("X", "X")
        charts = await axis_shown(pilot, "time")
        charts.look = charts.look._replace(cursor=NOW - (2500 - 850) * STEP_S)
        charts.renew()
        await until(pilot, lambda: ", trained again" in text_of(pilot), "the old value")


async def test_from_a_clock_to_the_log() -> None:
    async with opened(HEALTHY, (120, 40)) as pilot:
        await pilot.press("X", "X")
        charts = await axis_shown(pilot, "time")
        charts.look = charts.look._replace(cursor=NOW - (LAST + 1 - 1500) * STEP_S)
        await pilot.press("enter")
        await until(pilot, lambda: "iteration     1500/" in text_of(pilot), "iteration 1500")


async def test_without_a_clock_the_charts_stay_and_say_so() -> None:
    table = {n: c for n, c in HEALTHY.history.columns.items() if n != "at_s"}
    timeless = replace(HEALTHY, history=replace(HEALTHY.history, columns=table))
    async with opened(timeless, (120, 24)) as pilot:
        await pilot.press("X")
        charts = await axis_shown(pilot, "tokens")
        await pilot.press("X")
        await until(pilot, lambda: "the log has no clock" in text_of(pilot), "why not")
        assert charts.axis.kind == "iteration"
        await pilot.press("X", "X")
        await axis_shown(pilot, "tokens")


async def test_light_strong_and_off() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        for said, level in (("smooth 20 ", "light"), ("smooth 100 ", "strong")):
            await pilot.press("m")
            await until(pilot, lambda said=said: said in text_of(pilot), said)  # type: ignore[misc]
            assert f"smoothing: {level}" in text_of(pilot)
            assert "1 NaN or infinite" in text_of(pilot) or "✗ 1" in text_of(pilot)
        await pilot.press("m")
        await until(pilot, lambda: "smooth " not in text_of(pilot), "the end of it")
