"""Keys that come faster than the screen: each means what it means when it is typed alone."""

from typing import Any

import pytest
from textual.events import Key, Paste
from textual.keys import _character_to_key
from textual.pilot import Pilot
from textual.widgets import Input

from tests.app.tui.driving import opened, text_of, until
from tests.app.tui.fleetdriving import opened as opened_fleet
from tests.app.tui.runs import HEALTHY
from trainwatch.app.tui import inturn
from trainwatch.app.tui.app import ScreenApp
from trainwatch.app.tui.chart.group import Charts
from trainwatch.app.tui.fleet import FleetScreen
from trainwatch.app.tui.help import Help
from trainwatch.app.tui.logpanel import LogPanel
from trainwatch.app.tui.palette import Palette
from trainwatch.app.tui.prompt import Prompting


def typed(pilot: Pilot[None], *keys: str) -> None:
    """All of them before the screen does anything."""
    for key in keys:
        is_letter = len(key) == 1
        name = _character_to_key(key) if is_letter else key
        pilot.app.post_message(Key(name, key if is_letter else None))


def is_on(pilot: Pilot[None], screen: type[object]) -> bool:
    return isinstance(pilot.app.screen, screen)


async def test_what_is_typed_right_after_the_slash_is_searched_for_and_does_nothing_else() -> None:
    async with opened(HEALTHY) as pilot:
        charts = pilot.app.screen.query_one(Charts)
        look = charts.look
        typed(pilot, "/", *"cxs")
        await until(pilot, lambda: is_on(pilot, Prompting), "the prompt")
        await until(pilot, lambda: pilot.app.screen.query_one(Input).value == "cxs", "the letters")
        assert charts.look == look


async def test_a_search_and_what_comes_behind_it() -> None:
    async with opened(HEALTHY) as pilot:
        log = pilot.app.screen.query_one(LogPanel)
        typed(pilot, "/", *" 1234/", "enter", "?")
        await until(pilot, lambda: is_on(pilot, Help), "help")
        await until(pilot, lambda: not log.follows, "the match")
        typed(pilot, "escape", "/", "7")  # the last word is offered, and typed over
        await until(pilot, lambda: is_on(pilot, Prompting), "another prompt")
        await until(pilot, lambda: pilot.app.screen.query_one(Input).value == "7", "a new word")


async def test_a_place_and_help_leave_the_keys_to_help() -> None:
    async with opened(HEALTHY) as pilot:
        await pilot.press("l")
        typed(pilot, ":", "x", "enter", "?", "escape", ":", "1", "enter", "?")
        await until(pilot, lambda: is_on(pilot, Help), "help")
        await until(pilot, lambda: pilot.app.focused is not None, "its focus")
        assert pilot.app.focused in pilot.app.screen.walk_children()
        await pilot.press("escape")
        await until(pilot, lambda: not is_on(pilot, Help), "the screen")


async def test_a_pane_asked_for_below_help_does_not_take_its_keys() -> None:
    async with opened(HEALTHY) as pilot:
        app = pilot.app
        assert isinstance(app, ScreenApp)
        await pilot.press("?")
        app.action_lower("events")
        app.action_whole()
        await pilot.press("escape")
        await until(pilot, lambda: not is_on(pilot, Help), "the screen")
        assert app.focused is not None
        assert app.focused.id == "events"


async def test_a_word_of_the_palette_typed_in_one_go() -> None:
    async with opened(HEALTHY) as pilot:
        typed(pilot, "ctrl+p", *"events")
        await until(pilot, lambda: is_on(pilot, Palette), "the palette")
        await until(pilot, lambda: pilot.app.screen.query_one(Input).value == "events", "its word")


async def test_enter_and_help_open_a_run_and_its_help() -> None:
    async with opened_fleet() as (screen, pilot):
        typed(pilot, "enter", "?", "escape", "e", "?")
        await until(pilot, lambda: len(screen.runs) == 1 and is_on(pilot, Help), "help of a run")
        await until(pilot, lambda: "the attempts" in text_of(pilot), "what it says")
        typed(pilot, "escape", "escape", "enter")
        await until(pilot, lambda: len(screen.runs) == 2, "another run")
        await until(pilot, lambda: not is_on(pilot, FleetScreen), "its screen")


async def test_a_run_is_shown_whatever_was_opened_over_all_runs_meanwhile() -> None:
    async with opened_fleet() as (screen, pilot):
        app = screen.app
        opens = app._open_run

        def slowly(row: Any) -> Any:
            app.action_keys()  # a click, say
            return opens(row)

        app._open_run = slowly
        await pilot.press("enter")
        await until(pilot, lambda: len(app.screen_stack) == 1, "the run")
        await pilot.press("?")
        await until(pilot, lambda: is_on(pilot, Help), "help")
        await app.action_leave_run()
        assert is_on(pilot, FleetScreen)
        assert len(app.screen_stack) == 2
        await until(pilot, lambda: screen.listing is app.focused, "the list")
        assert app._fleet_feed._looked_at.is_set()


async def test_a_key_held_down_waits_for_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    async with opened(HEALTHY) as pilot:
        app = pilot.app
        assert isinstance(app, ScreenApp)
        sent = list[str]()
        send = app._send

        async def told(event: Key | Paste) -> None:
            sent.append(event.key if isinstance(event, Key) else event.text)
            await send(event)

        monkeypatch.setattr(app, "_send", told)
        for key in ("tab", "tab", "j", "j"):
            await app.on_event(Key(key, None))
        assert sent == ["tab", "tab"]
        await until(pilot, lambda: sent == ["tab", "tab", "j", "j"], "the others")
        app.post_message(Paste("x"))
        await until(pilot, lambda: sent[-1] == "x", "what is pasted")


async def test_what_takes_its_mark_with_it_is_not_waited_for_long(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(inturn, "_PATIENCE_S", 0.01)
    async with opened(HEALTHY) as pilot:
        app = pilot.app
        assert isinstance(app, ScreenApp)
        monkeypatch.setattr(app.focused, "post_message", lambda _: False)
        await app.on_event(Key("j", "j"))
        await app.on_event(Key("question_mark", "?"))
        monkeypatch.undo()
        await until(pilot, lambda: is_on(pilot, Help), "help")


async def test_so_many_wait_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(inturn, "_MOST", 2)
    async with opened(HEALTHY) as pilot:
        app = pilot.app
        assert isinstance(app, ScreenApp)
        for key in "jkjkjk":
            await app.on_event(Key(key, None))
        assert [event.key for event in app._waiting if isinstance(event, Key)] == ["k", "j"]
        await until(pilot, lambda: not app._waiting, "their turn")
        assert app.is_running
