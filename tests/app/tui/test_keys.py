"""Every key that the help shows does something, in every spelling; and what the more important ones do."""

from collections.abc import Awaitable, Callable
from typing import TypeVar

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input

from tests.app.tui.alarms import alarming
from tests.app.tui.driving import opened, settled, text_of, until
from tests.app.tui.histories import LAST
from tests.app.tui.runs import HEALTHY
from tests.app.tui.sources import FixedSource
from trainwatch.app.tui.app import ScreenApp
from trainwatch.app.tui.chart.group import Charts, Look
from trainwatch.app.tui.chart.view import View
from trainwatch.app.tui.help import Help
from trainwatch.app.tui.hints import Hints
from trainwatch.app.tui.keys import ALERTS, ANYWHERE, CHARTS, LISTS, LOG, Key
from trainwatch.app.tui.lists import Events
from trainwatch.app.tui.logpanel import LogPanel, marks_of
from trainwatch.app.tui.lower import Lower
from trainwatch.app.tui.tabs import Tabs

W = TypeVar("W", bound=Widget)
ZOOMED = Look(View(400.0, 1500.0), cursor=1300.0)


def app_of(pilot: Pilot[None]) -> ScreenApp:
    app = pilot.app
    assert isinstance(app, ScreenApp)
    return app


def part(pilot: Pilot[None], kind: type[W]) -> W:
    return pilot.app.screen_stack[0].query_one(kind)


def state(pilot: Pilot[None]) -> dict[str, object]:
    """Everything that a key may change."""
    app, charts, log = app_of(pilot), part(pilot, Charts), part(pilot, LogPanel)
    events = part(pilot, Events)
    return {
        "look": charts.look,
        "shown": tuple(charts.shown),
        "focused": app.focused.id if app.focused else None,
        "classes": frozenset(app.screen_stack[0].classes),
        "screens": len(app.screen_stack),
        "pane": part(pilot, Tabs).pane,
        "theme": app.theme,
        "message": part(pilot, Hints).message,
        "events": (events.at, events.top),
        "log": (log.top, log.follows, log.marks, log._aside, log._target, log._rows.folds),
        "running": app.is_running and app._exit is False,
    }


async def in_charts(pilot: Pilot[None]) -> None:
    charts = part(pilot, Charts)
    charts.look, charts.shown[0] = ZOOMED, "norm"
    part(pilot, Lower).choose("log")
    charts.query_one("#chart-0").focus()
    charts.renew()


async def in_events(pilot: Pilot[None]) -> None:
    app_of(pilot).action_lower("events")
    part(pilot, Events).at = 5
    part(pilot, Events).renew()


async def in_log(pilot: Pilot[None]) -> None:
    log = part(pilot, LogPanel)
    app_of(pilot).action_lower("log")
    log.marks, log._aside = marks_of("2300"), 16
    part(pilot, Lower).searched = "23.."
    log.go(FixedSource().offsets[2299])
    await until(pilot, lambda: not log._coming)


async def in_alerts(pilot: Pilot[None]) -> None:
    app_of(pilot).action_lower("alerts")


UNSEEN = ("app.quit", "app.redraw")  # below; test_line.py
CONTEXTS = [
    ("charts", CHARTS, in_charts),
    ("events", LISTS, in_events),
    ("log", (*LOG, *(key for key in LISTS if key.action != "choose")), in_log),
    ("alerts", ALERTS, in_alerts),
    ("anywhere", tuple(key for key in ANYWHERE if key.action not in UNSEEN), in_charts),
]


@pytest.mark.parametrize(("name", "keys", "prepare"), CONTEXTS, ids=[c[0] for c in CONTEXTS])
async def test_every_key_does_something(
    name: str, keys: tuple[Key, ...], prepare: Callable[[Pilot[None]], Awaitable[None]]
) -> None:
    saves = {n: lambda _, n=n: n for n in ("save_picture", "save_view", "save_png")}
    async with opened(alarming(), (120, 40), **saves) as pilot:
        for spelling in [each for key in keys for each in key.keys.split(",")]:
            while len(pilot.app.screen_stack) > 1:
                await pilot.press("escape")
                await pilot.pause()
            await prepare(pilot)
            await pilot.pause()
            await changed_by(pilot, spelling, name)


async def changed_by(pilot: Pilot[None], key: str, where: str) -> None:
    before = state(pilot)
    await pilot.press(key)
    await until(pilot, lambda: state(pilot) != before, f"the effect of {key} in {where}")


@pytest.mark.parametrize("key", ["q", "ctrl+c"])
async def test_leaving(key: str) -> None:
    async with opened(HEALTHY) as pilot:
        await pilot.press(key)
        await until(pilot, lambda: app_of(pilot)._exit, "the end")


@pytest.mark.parametrize("number", range(1, 9))
async def test_a_number_chooses_what_is_drawn(number: int) -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await pilot.press(str(number))
        charts = part(pilot, Charts)
        metric = charts.metrics[number - 1]
        await until(pilot, lambda: metric.key in charts.traces, metric.key)
        assert charts.shown[0] == metric.key
        await until(pilot, lambda: f" {metric.title}" in text_of(pilot), "its title")


async def test_help_lists_every_key() -> None:
    async with opened(HEALTHY, (200, 60)) as pilot:
        await pilot.press("question_mark")
        await until(pilot, lambda: isinstance(pilot.app.screen, Help))
        await pilot.pause()
        text = text_of(pilot)
        for key in (*ANYWHERE, *CHARTS, *LISTS, *LOG, *ALERTS):
            assert key.says in text
            assert key.shown in text
        await pilot.press("escape")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1)


async def test_the_cursor_tells_the_value() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        part(pilot, Charts).look = Look(cursor=1000.0)
        part(pilot, Charts).renew()
        await pilot.pause()
        assert " at 1,000 " in text_of(pilot)
        await pilot.press("escape")
        assert " at 1,000 " not in text_of(pilot)


async def test_zoom_goes_around_the_cursor_and_back() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        charts = part(pilot, Charts)
        charts.look = Look(cursor=700.0)
        await pilot.press("plus", "plus", "plus")
        left, right = charts.look.view.range(*charts.first_and_last())
        assert left < 700 < right
        assert right - left == pytest.approx(LAST / 8, rel=0.01)
        await pilot.press("0")
        assert charts.look.view == View()


async def test_at_the_newest_the_view_goes_along() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await pilot.press("plus", "plus")
        assert part(pilot, Charts).look.view.end is None


async def test_search_from_the_end_goes_up() -> None:
    async with opened(HEALTHY, (120, 40)) as pilot:
        await search(pilot, "iteration  *1234/")
        assert "iteration     1234/" in text_of(pilot)
        assert not part(pilot, LogPanel).follows


async def test_search_from_a_pane_that_hides_the_log() -> None:
    source = FixedSource(HEALTHY)
    size = replace(HEALTHY.status, log_bytes=source.offsets[-1])
    source.snapshot = replace(HEALTHY, status=size)
    async with opened(source) as pilot:
        await pilot.press("e")
        log = part(pilot, LogPanel)
        await until(pilot, lambda: log.count() == 0, "a page that nobody asked for")
        await search(pilot, "iteration  *1234/")
        await until(pilot, lambda: "iteration     1234/" in text_of(pilot), "the line")


async def test_next_and_previous_match() -> None:
    async with opened(HEALTHY, (120, 40)) as pilot:
        log, offsets = part(pilot, LogPanel), FixedSource().offsets
        await search(pilot, r" \d*00/")
        assert log._target == offsets[2399]
        await pilot.press("N")
        await until(pilot, lambda: log._target == offsets[2299], "the match before")
        await pilot.press("N")
        await until(pilot, lambda: log._target == offsets[2199], "one more before")
        await pilot.press("n")
        await until(pilot, lambda: log._target == offsets[2299], "the next match")
        await pilot.press("G", "g")
        await until(pilot, lambda: "iteration        1/" in text_of(pilot), "the beginning")
        await pilot.press("N")
        await until(
            pilot, lambda: "no " in text_of(pilot) and "above" in text_of(pilot), "an answer"
        )


async def test_going_to_an_iteration_and_to_a_share() -> None:
    async with opened(HEALTHY, (120, 40)) as pilot:
        await pilot.press("l", "colon", *"801", "enter")
        await until(pilot, lambda: "iteration      801/" in text_of(pilot), "iteration 801")
        await pilot.press("colon", *"50%", "enter")
        await until(pilot, lambda: "iteration     1201/" in text_of(pilot), "the middle")
        await pilot.press("colon", *"x", "enter")
        await until(pilot, lambda: "neither" in text_of(pilot), "an answer")


async def test_what_is_not_in_the_log_is_told_in_words() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await pilot.press("l", "colon", *"99,999", "enter")
        await until(pilot, lambda: "no iteration 99,999 in the log" in text_of(pilot), "an answer")
        pilot.app.answer("search", "x[")  # type: ignore[attr-defined]
        await until(pilot, lambda: "no 'x[' above; n looks below" in text_of(pilot), "an answer")
        await pilot.press("n")
        await until(pilot, lambda: "no 'x[' below; N looks above" in text_of(pilot), "an answer")


async def test_from_the_chart_to_the_log() -> None:
    async with opened(HEALTHY, (120, 40)) as pilot:
        part(pilot, Charts).look = Look(cursor=1500.0)
        await pilot.press("enter")
        await until(pilot, lambda: "iteration     1500/" in text_of(pilot), "iteration 1500")


async def test_from_an_attempt_to_the_log() -> None:
    async with opened(HEALTHY, (120, 40)) as pilot:
        await pilot.press("T", "down", "enter")
        await until(pilot, lambda: "iteration        1/" in text_of(pilot), "where it began")
        assert part(pilot, Tabs).pane == "log"


async def test_scrolling_up_and_to_the_end_again() -> None:
    async with opened(HEALTHY, (120, 40)) as pilot:
        log = part(pilot, LogPanel)
        await pilot.press("l", "colon", *"7%", "enter")
        await until(pilot, lambda: log._target is not None and not log._coming, "a place")
        for _ in range(40):
            await pilot.press("pageup")
        await until(pilot, lambda: log._in_view[0] == 0, "the beginning")
        assert "iteration        1/" in text_of(pilot)
        await pilot.press("G")
        await until(pilot, lambda: "iteration     2400/" in text_of(pilot), "the end")
        assert log.follows


async def test_a_picture_says_where_it_is() -> None:
    async with opened(HEALTHY, save_picture=lambda svg: svg[:4] + "/x.svg") as pilot:
        await pilot.press("S")
        assert "saved <svg/x.svg" in text_of(pilot)


async def test_a_panel_alone_and_back() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await pilot.press("l", "z")
        await settled(pilot)
        assert part(pilot, LogPanel).size.height > 12
        await pilot.press("z")
        await settled(pilot)
        assert part(pilot, LogPanel).size.height < 12


async def search(pilot: Pilot[None], text: str) -> None:
    await pilot.press("slash")
    await until(pilot, lambda: len(pilot.app.screen_stack) == 2, "the prompt")
    pilot.app.screen.query_one(Input).value = text
    await pilot.press("enter")
    log = part(pilot, LogPanel)
    await until(pilot, lambda: log._target is not None and not log._coming, "a match")
    await pilot.pause()
