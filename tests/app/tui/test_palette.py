"""The command palette: all that can be done now is found by its words, and done."""

import time
from collections.abc import Callable
from typing import NoReturn

import pytest
from msgspec.structs import replace
from rich.style import Style
from textual.command import Command, CommandList
from textual.errors import NoWidget
from textual.events import Click
from textual.fuzzy import FuzzySearch
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input

from tests.app.tui import fleetdriving
from tests.app.tui.alarms import alarming
from tests.app.tui.driving import opened, text_of, until
from tests.app.tui.fleets import NOW, TRAINS
from tests.app.tui.hostile import HOSTILE
from tests.app.tui.runs import HEALTHY
from tests.app.tui.test_keys import app_of, part
from trainwatch.app.tui.chart.group import Charts
from trainwatch.app.tui.help import Help
from trainwatch.app.tui.keys import ALERTS, ANYWHERE, CHARTS, FLEET, FLEET_ANYWHERE, IN
from trainwatch.app.tui.palette import Commands, Palette, match
from trainwatch.app.tui.tabs import Tabs
from trainwatch.core.model.fleet import Fleet


def offered(pilot: Pilot[None]) -> list[str]:
    """What the list of the palette says, key and words."""
    listed = pilot.app.screen.query_one(CommandList).options
    return [" ".join(str(option.prompt).split()) for option in listed]


def click_on(widget: Widget) -> Click:
    """At its upper left corner."""
    x, y = widget.region.offset
    return Click(widget, 0, 0, 0, 0, 1, False, False, False, x, y)


async def ask(pilot: Pilot[None], text: str = "") -> list[str]:
    """Open the palette, and type."""
    await pilot.press("ctrl+p")
    await until(pilot, lambda: isinstance(pilot.app.screen, Palette), "the palette")
    await until(pilot, lambda: offered(pilot) != [], "what can be done")
    if text:
        everything = offered(pilot)
        pilot.app.screen.query_one(Input).value = text
        await until(pilot, lambda: offered(pilot) not in ([], everything), f"what has '{text}'")
    return offered(pilot)


async def do(pilot: Pilot[None], text: str) -> None:
    """What fits best."""
    await ask(pilot, text)
    await pilot.press("enter")
    await until(pilot, lambda: not isinstance(pilot.app.screen, Palette), "an end of the palette")


async def test_everything_is_offered_with_its_key() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        told = await ask(pilot)
        for key in (*CHARTS, *ANYWHERE):
            if key.action not in ("app.palette", "metric(1)"):
                assert any(row.startswith(f"{key.shown} {key.says}") for row in told), key
        assert "3 draw grad norm" in told
        assert "colours: high-contrast" in told
        assert told[0] == "→ the cursor to the right"  # the keys of the last line come first


CASES: list[tuple[str, str, Callable[[Pilot[None]], bool]]] = [
    ("draw grad", "draw grad norm", lambda pilot: part(pilot, Charts).shown[0] == "norm"),
    ("norm draw", "draw grad norm", lambda pilot: part(pilot, Charts).shown[0] == "norm"),
    ("sync", "what is sent away (sync)", lambda pilot: part(pilot, Tabs).pane == "sync"),
    ("chkpts", "checkpoints, what", lambda pilot: part(pilot, Tabs).pane == "checkpoints"),
    ("contrast", "colours: high-contrast", lambda pilot: pilot.app.theme == "high-contrast"),
    ("log scale", "log scale, and", lambda pilot: part(pilot, Charts).look.log != frozenset()),
    ("help", "this help", lambda pilot: isinstance(pilot.app.screen, Help)),
    ("panel alone", "this panel alone", lambda pilot: "-only-charts" in pilot.app.screen.classes),
]


@pytest.mark.parametrize(("typed", "first", "done"), CASES, ids=[case[0] for case in CASES])
async def test_what_is_chosen_is_done(
    typed: str, first: str, done: Callable[[Pilot[None]], bool]
) -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        assert not done(pilot)
        assert first in (await ask(pilot, typed))[0]
        await pilot.press("enter")
        await until(pilot, lambda: done(pilot), typed)


@pytest.mark.parametrize("context", IN)
def test_a_key_means_the_same_in_every_panel(context: str) -> None:
    """On the alerts `a` once acknowledged, where the line above underlined it as that of the attempts."""
    anywhere = FLEET_ANYWHERE if context == "fleet" else ANYWHERE
    here = {name for key in IN[context] for name in key.keys.split(",")}
    assert not here & {name for key in anywhere for name in key.keys.split(",")}


async def test_read_only_offers_nothing_that_writes() -> None:
    async with opened(alarming(), (80, 24), read_only=True) as pilot:
        await pilot.press("A")
        told = await ask(pilot)
        for key in (*ALERTS, *ANYWHERE):
            assert any(key.says in row for row in told) is not (
                key.writes or key.action == "app.palette"
            ), key


async def test_escape_changes_nothing() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        focused = pilot.app.focused
        await ask(pilot, "quit")
        await pilot.press("escape")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "the screen")
        assert pilot.app.focused is focused
        assert app_of(pilot).is_running


async def test_a_click_does_it_too() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await ask(pilot, "events")
        await pilot.click(CommandList, offset=(5, 0))
        await until(pilot, lambda: part(pilot, Tabs).pane == "events", "the events")


async def test_what_is_closed_twice_at_once_closes_nothing_else() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await ask(pilot)
        palette = pilot.app.screen
        assert isinstance(palette, Palette)
        palette.dismiss()
        palette.dismiss()
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "the screen")
        assert app_of(pilot).is_running


async def test_a_letter_that_comes_as_it_closes_is_not_searched_for() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await ask(pilot)
        palette = pilot.app.screen
        assert isinstance(palette, Palette)
        palette.dismiss()
        await until(pilot, lambda: not palette.query(CommandList), "its end")
        palette._gather_commands("q")
        await pilot.pause()
        assert app_of(pilot).is_running


async def test_pages_of_a_list_that_was_not_drawn_do_not_turn(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await ask(pilot)
        listed = pilot.app.screen.query_one(Commands)
        monkeypatch.setattr(Commands, "_index_to_line", {})  # as before it is drawn
        listed.action_page_up()
        listed.action_page_down()
        assert app_of(pilot).is_running


async def test_a_click_before_it_is_laid_out_closes_nothing(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await ask(pilot)
        palette = pilot.app.screen
        assert isinstance(palette, Palette)

        def nothing(x: int, y: int) -> NoReturn:
            raise NoWidget(f"{x}, {y}")

        monkeypatch.setattr(palette, "get_widget_at", nothing)
        await palette._on_message(click_on(palette))
        monkeypatch.undo()
        assert app_of(pilot).is_running
        assert pilot.app.screen is palette
        await pilot.click(offset=(0, 23))
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "the screen")


async def test_a_click_at_what_has_just_gone_chooses_nothing() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await ask(pilot, "events")
        listed = pilot.app.screen.query_one(Commands)
        click = click_on(listed)
        click.style = Style(meta={"option": len(listed.options)})  # as the last paint had it
        await listed._on_message(click)
        await pilot.pause()
        assert app_of(pilot).is_running
        assert isinstance(pilot.app.screen, Palette)


async def test_without_colours_the_picked_line_stands_out(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(HEALTHY, (80, 24), colours="terminal") as pilot:
        told = await ask(pilot)
        assert not any("colours:" in row for row in told)
        listed = pilot.app.screen.query_one(CommandList)
        first, second = (listed.render_line(y) for y in range(2))
        assert any(style and style.underline for _, style, _ in first)
        assert not any(style and style.underline for _, style, _ in second)


async def test_runs_are_opened_by_name() -> None:
    async with fleetdriving.opened() as (screen, pilot):
        told = await ask(pilot)
        for key in (*FLEET, *FLEET_ANYWHERE):
            if key.action != "app.palette":
                assert any(row.startswith(f"{key.shown} {key.says}") for row in told), key
        await pilot.press("escape")
        await do(pilot, "open tr8b")
        await until(pilot, lambda: [row.run for row, _ in screen.runs] == ["tr8b-104B-cl"], "it")
        await until(pilot, lambda: len(pilot.app.screen_stack) == 1, "its screen")
        assert "back to all runs" in await ask(pilot)
        await pilot.press("escape")
        await do(pilot, "open tr11")
        await until(pilot, lambda: len(screen.runs) == 2, "another run")
        assert screen.runs[1][0].run == "tr11-176B-ml"
        await until(pilot, lambda: bool(screen.runs[0][1].closed), "the end of the first")
        await do(pilot, "back to all")
        await until(pilot, lambda: screen.listing.is_on_screen, "all runs")


async def test_sorting_by_its_name() -> None:
    async with fleetdriving.opened() as (screen, pilot):
        await do(pilot, "sort tflops")
        await until(pilot, lambda: screen.listing.sort == "tflops", "another order")
        told = "sorted by TFLOPs of a GPU"
        await until(pilot, lambda: told in text_of(pilot), told)


async def test_hostile_names_are_words() -> None:
    rows = tuple(
        replace(TRAINS, key=f"h{n}", run=name[:300] or "x") for n, name in enumerate(HOSTILE)
    )
    async with fleetdriving.opened(Fleet(at=NOW, rows=rows)) as (_, pilot):
        told = await ask(pilot, "open")
        assert "open [default7]: iter [/bold] x [0]" in told
        assert any("[@click=app.quit]leave[/]" in row for row in told)
        for option in pilot.app.screen.query_one(CommandList).options:
            assert isinstance(option, Command)
            assert str(option.hit.text).isprintable()
        await pilot.press("enter")
        await until(pilot, lambda: not isinstance(pilot.app.screen, Palette), "a run")
        assert app_of(pilot).is_running


async def test_what_is_pasted_is_harmless() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await ask(pilot)
        line = pilot.app.screen.query_one(Input)
        line.insert_text_at_cursor("\x1b]0;title\x07 " + "x" * 500)
        await pilot.pause()
        assert line.value.isprintable()
        assert len(line.value) <= 80


def test_no_name_makes_it_slow() -> None:
    """A matcher that tries all ways would take years for this one."""
    search, began = FuzzySearch(), time.process_time()
    assert match(search, "aaaaaaaaaaaaaaaaac", "a" * 200 + " b") is None
    assert match(search, "a" * 60, "open " + "a" * 200) is not None
    assert time.process_time() - began < 1.0


@pytest.mark.parametrize(
    ("asked", "words", "found"),
    [
        ("grad", "draw grad norm", True),
        ("drgn", "draw grad norm", True),
        ("NORM", "draw grad norm", True),
        ("norm loss", "draw grad norm", False),
        ("", "draw grad norm", True),
    ],
)
def test_what_fits(asked: str, words: str, found: bool) -> None:
    assert (match(FuzzySearch(), asked, words) is not None) is found
