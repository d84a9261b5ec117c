"""What the mouse does, a key does, too: these are the mouse's ways."""

from textual.events import MouseScrollDown, MouseScrollUp
from textual.pilot import Pilot

from tests.app.tui.driving import opened, text_of, until
from tests.app.tui.runs import HEALTHY
from tests.app.tui.test_keys import part
from trainwatch.app.tui.chart.group import Charts
from trainwatch.app.tui.chart.view import WHOLE, View
from trainwatch.app.tui.help import Help
from trainwatch.app.tui.lists import Events
from trainwatch.app.tui.logpanel import LogPanel
from trainwatch.app.tui.tabs import Tabs


async def wheel(pilot: Pilot[None], kind: type, place: str, offset: tuple[int, int]) -> None:
    await pilot._post_mouse_events([kind], place, offset)
    await pilot.pause()


async def test_the_wheel_zooms_where_it_points() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        charts = part(pilot, Charts)
        await wheel(pilot, MouseScrollUp, "#chart-0", (8 + 36, 4))
        left, right = charts.look.view.range(*charts.first_and_last())
        assert 0 < left < 1200 < right < 2400
        await wheel(pilot, MouseScrollDown, "#chart-0", (8 + 36, 4))
        assert charts.look.view == WHOLE


async def test_a_drag_pans() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        charts = part(pilot, Charts)
        charts.look = charts.look._replace(view=View(400.0, 1500.0))
        await pilot.mouse_down("#chart-0", (30, 4))
        await pilot.hover("#chart-0", (48, 4))
        await pilot.mouse_up("#chart-0", (48, 4))
        await until(pilot, lambda: charts.look.view.end == 1400.0, "the drag")
        assert charts.look.cursor is None


async def test_a_click_sets_the_cursor() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await pilot.mouse_down("#chart-0", (8 + 36, 4))
        await pilot.mouse_up("#chart-0", (8 + 36, 4))
        cursor = part(pilot, Charts).look.cursor
        assert cursor is not None
        assert 1180 < cursor < 1240


async def test_the_wheel_scrolls_the_log_and_the_lists() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await wheel(pilot, MouseScrollUp, "#log", (5, 2))
        assert not part(pilot, LogPanel).follows
        await wheel(pilot, MouseScrollDown, "#log", (5, 2))
        assert part(pilot, LogPanel).follows
        await pilot.press("e")
        await wheel(pilot, MouseScrollDown, "#events", (5, 2))
        assert part(pilot, Events).at == 3


async def test_two_clicks_show_an_event_in_the_log() -> None:
    async with opened(HEALTHY, (120, 40)) as pilot:
        await pilot.press("e")
        await pilot.pause()
        await pilot.click("#events", (5, 1))
        assert part(pilot, Events).at == 1
        await pilot.click("#events", (5, 1), times=2)
        await until(pilot, lambda: part(pilot, Tabs).pane == "log", "the log")


async def test_tabs_and_hints_can_be_clicked() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        tabs = text_of(pilot).splitlines()[part(pilot, Tabs).region.y]
        await pilot.click("Tabs", (tabs.index("aTtempts") + 2, 0))
        await until(pilot, lambda: part(pilot, Tabs).pane == "attempts", "the attempts")
        hints = text_of(pilot).splitlines()[-1]
        await pilot.click("Hints", (hints.index("? help") + 2, 0))
        await until(pilot, lambda: isinstance(pilot.app.screen, Help), "the help")
