"""Keys, messages and snapshots that come faster than the screen: none of them ends it."""

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from tests.app.tui import driving
from tests.app.tui.alarms import alarming
from tests.app.tui.driving import text_of, until
from tests.app.tui.fleetdriving import Opened, opened
from tests.app.tui.runs import HEALTHY
from tests.app.tui.sources import FixedSource
from trainwatch.app.tui import feed
from trainwatch.app.tui.app import ScreenApp
from trainwatch.app.tui.chart.group import Charts
from trainwatch.app.tui.feed import Seen
from trainwatch.app.tui.fleet import FleetScreen
from trainwatch.app.tui.fleetsort import Sorting
from trainwatch.app.tui.help import Help
from trainwatch.app.tui.logpanel import LogPanel
from trainwatch.app.tui.over import Over
from trainwatch.app.tui.palette import Palette
from trainwatch.app.tui.prompt import Prompting
from trainwatch.core.model.snapshot import Snapshot, Wanted

KINDS: tuple[tuple[str, type[Help | Prompting | Sorting]], ...] = (
    ("question_mark", Help),
    ("slash", Prompting),
    ("s", Sorting),
)


async def test_what_is_closed_twice_at_once_closes_nothing_else() -> None:
    async with opened() as (screen, pilot):
        for opens, kind in KINDS:
            await pilot.press(opens)
            await until(pilot, lambda: isinstance(pilot.app.screen, Over), opens)
            over = pilot.app.screen
            assert isinstance(over, kind)
            over.dismiss(None)
            over.dismiss(None)
            await until(pilot, lambda: isinstance(pilot.app.screen, FleetScreen), "all runs")
            await pilot.pause()
            assert [type(each) for each in screen.app.screen_stack[1:]] == [FleetScreen]


async def test_the_evidence_is_closed_once() -> None:
    async with driving.opened(alarming()) as pilot:
        await pilot.press("A", "enter")
        over = pilot.app.screen
        assert isinstance(over, Over)
        over.dismiss("acknowledge")
        over.dismiss("acknowledge")
        await pilot.pause()
        assert len(pilot.app.screen_stack) == 1
        assert pilot.app.is_running


async def test_keys_of_a_run_that_was_just_left() -> None:
    async with opened() as (screen, pilot):
        await pilot.press("enter")
        await until(pilot, lambda: "2,400 / 3,000" in text_of(pilot), "the run")
        charts, log = screen.app.query_one(Charts), screen.app.query_one(LogPanel)
        await screen.app.action_leave_run()
        late = (Charts.Wanted(), Charts.Pointed(7), LogPanel.Asked(), LogPanel.GoTo())
        for message in (*late, LogPanel.Chosen(0)):
            screen.app.post_message(message)
        for do in (screen.app.action_search, screen.app.action_whole):
            do()
        screen.app.action_lower("alerts")
        screen.app.answer("go to", "7")
        await pilot.pause()
        assert pilot.app.is_running
        assert isinstance(pilot.app.screen, FleetScreen)
        assert (charts.is_attached, log.is_attached) == (False, False)
        await _again(screen, pilot)


async def test_charts_that_are_being_taken_down() -> None:
    async with driving.opened(HEALTHY) as pilot:
        charts = pilot.app.query_one(Charts)
        await charts.query("Chart").last().remove()
        charts.renew()
        charts._seen_others()
        await pilot.pause()
        assert pilot.app.is_running


async def _again(screen: Opened, pilot: Pilot[None]) -> None:
    await pilot.press("enter")
    await until(pilot, lambda: "2,400 / 3,000" in text_of(pilot), "the run again")
    assert len(screen.runs) == 2


async def test_of_many_snapshots_only_the_last_is_shown(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else a machine that shows slower than it reads would show older and older ones, and grow."""
    async with driving.opened(HEALTHY) as pilot:
        app, shown = pilot.app, list[Seen]()
        assert isinstance(app, ScreenApp)
        monkeypatch.setattr(app, "show", shown.append)
        many = [Seen(HEALTHY, {}) for _ in range(100)]
        for each in many:
            app.post_message(ScreenApp.Fresh(each))
        await until(pilot, lambda: bool(shown), "one of them")
        await pilot.pause()
        assert any(each is many[-1] for each in shown)
        assert len(shown) < 10


async def test_a_log_that_becomes_shorter_while_it_is_not_seen() -> None:
    source = FixedSource(HEALTHY)
    async with driving.opened(source) as pilot:
        log = pilot.app.query_one(LogPanel)
        await pilot.press("l", "pageup", "pageup", "e")
        assert log.top > 3
        short = source.page(Wanted(lines=2))
        log.show(replace(HEALTHY, page=short))
        assert log.search_place(up=True) == short.lines[1].offset


async def test_all_runs_are_told_to_end_once_more() -> None:
    """As by a signal that comes while they are being taken down."""
    async with opened() as (screen, _):
        app = screen.app
    app.exit()
    assert not app.is_running


async def test_what_a_key_asks_for_is_read_after_its_paint(monkeypatch: pytest.MonkeyPatch) -> None:
    order = list[str]()
    source = FixedSource(HEALTHY)
    async with driving.opened(source, (120, 40)) as pilot:
        display, read = type(pilot.app)._display, source.read

        def displays(*arguments: object) -> None:
            order.append("painted")
            display(*arguments)  # type: ignore[arg-type]

        def reads(wanted: Wanted) -> Snapshot:
            order.append("read")
            return read(wanted)

        monkeypatch.setattr(type(pilot.app), "_display", displays)
        monkeypatch.setattr(source, "read", reads)
        monkeypatch.setattr(feed, "_PAINT_S", 0.5)
        monkeypatch.setattr(feed, "INTERVAL_S", 60.0)
        hushed = source.hushed
        await until(pilot, lambda: "read" in order, "a read, the last that a clock asks for")
        order.clear()
        await pilot.press("T")
        await until(pilot, lambda: "read" in order, "what it asks for")
        assert order[0] == "painted"
        assert source.hushed > hushed


async def test_a_palette_may_open_while_the_one_before_is_closing() -> None:
    async with driving.opened(HEALTHY, (80, 24)) as pilot:
        await pilot.press("ctrl+p")
        before = pilot.app.screen
        before.dismiss()
        pilot.app.action_palette()  # type: ignore[attr-defined]
        await pilot.pause()
        assert isinstance(pilot.app.screen, Palette)
        assert pilot.app.screen is not before


async def test_the_log_is_not_read_on_before_the_first_picture(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(feed, "_UNPAINTED_S", 1e9)
    source = FixedSource(HEALTHY)
    async with driving.opened(source, (80, 24)) as pilot:
        await until(pilot, lambda: source.asked[-1].watch, "a read that watches")
    assert not source.asked[0].watch
