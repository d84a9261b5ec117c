"""Whatever a log says, and whatever numbers come of it, the screen lives and shows it as it is."""

import math
import threading

import pytest
from msgspec.structs import replace
from textual.events import Paste
from textual.pilot import Pilot
from textual.widget import Widget
from textual.widgets import Input

from tests.app.tui.driving import opened, settled, steady, text_of, until
from tests.app.tui.hostile import HOSTILE, hostile, numberless, timeless
from tests.app.tui.runs import HEALTHY
from tests.app.tui.sources import FixedSource
from tests.app.tui.states import STATES, many_attempts
from trainwatch.app.tui.chart.group import Charts
from trainwatch.app.tui.logpanel import LogPanel
from trainwatch.app.tui.prompt import Prompting
from trainwatch.core.model.snapshot import Page, Snapshot, Wanted

PANES = ("l", "e", "T", "r", "A", "C", "h", "p", "d", "y")
CHARTS = ("tab", "c", "s", "o", "plus", "left", "x", "0")
NUMBERS = (math.nan, math.inf, -math.inf, 1e308, -1e308, 5e-324, 0.0, -1.0)


async def walk(pilot: Pilot[None], *keys: str) -> str:
    """Press keys. Returns all that was shown meanwhile."""
    shown = [text_of(pilot)]
    for key in keys:
        await pilot.press(key)
        await pilot.pause()
        shown.append(text_of(pilot))
    return "\n".join(shown)


@pytest.mark.parametrize("number", range(len(HOSTILE)))
async def test_a_hostile_line_in_every_widget(number: int) -> None:
    text = HOSTILE[number]
    source = FixedSource(hostile(text), [*HOSTILE, text])
    async with opened(source, (100, 30), save_picture=lambda svg: text) as pilot:
        shown = await walk(pilot, *PANES, "S")
        assert pilot.app.is_running
        assert sorted({c for c in shown.replace("\n", "") if not c.isprintable()}) == []
        pilot.app.export_screenshot()


@pytest.mark.parametrize("number", range(len(HOSTILE)))
async def test_a_hostile_line_where_one_has_to_ask_for_it(number: int) -> None:
    """In a chart of a column that the log names, the prompt, what a search says, and the pane's excuse."""
    text = HOSTILE[number]
    unreadable = replace(hostile(text), page=Page(trouble=text))
    async with opened(FixedSource(unreadable, []), (100, 30)) as pilot:
        pilot.app.answer("search", text)  # type: ignore[attr-defined]
        shown = await walk(pilot, "n", "N", "slash")
        assert isinstance(pilot.app.screen, Prompting)
        shown += await walk(pilot, "escape", "tab", "x", "question_mark", "escape")
        pilot.app.answer("go to", text)  # type: ignore[attr-defined]
        shown += await walk(pilot, "S")
        assert pilot.app.is_running
        assert sorted({c for c in shown.replace("\n", "") if not c.isprintable()}) == []


async def test_an_escape_sequence_that_is_pasted_into_the_prompt() -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await pilot.press("slash")
        await until(pilot, lambda: isinstance(pilot.app.screen, Prompting), "the prompt")
        pilot.app.screen.query_one(Input).post_message(Paste(HOSTILE[2]))
        await until(pilot, lambda: "[1;31mred" in text_of(pilot), "the text")
        assert "\x1b" not in text_of(pilot)


async def test_markup_is_shown_as_it_is() -> None:
    lines = [HOSTILE[0], HOSTILE[1], HOSTILE[10]]
    async with opened(FixedSource(hostile(HOSTILE[0]), lines), (120, 40)) as pilot:
        shown = await walk(pilot, *PANES)
        assert shown.count(HOSTILE[0]) > 5
        assert "[@click=app.quit]leave[/]" in shown
        assert "\\[escaped\\] $success {braces} %s %(x)s" in shown


async def test_a_hostile_search() -> None:
    async with opened(FixedSource(HEALTHY, list(HOSTILE)), (100, 30)) as pilot:
        for text in ("[/bold]", "(", "*", "\\", "[0", "a{99999999}", "(?P<x", "💥"):
            pilot.app.answer("search", text)  # type: ignore[attr-defined]
            await pilot.pause()
        pilot.app.answer("go to", "[/bold] 99999999999999999999%")  # type: ignore[attr-defined]
        pilot.app.answer("go to", "9" * 40)  # type: ignore[attr-defined]
        await pilot.pause()
        assert pilot.app.is_running


@pytest.mark.parametrize("value", NUMBERS)
async def test_every_number_is_nothing_one_can_draw(value: float) -> None:
    async with opened(numberless(value), (200, 60)) as pilot:
        await walk(pilot, "e", *CHARTS)
        assert pilot.app.is_running


@pytest.mark.parametrize("at", [*NUMBERS, 1e18, -1e12, 253_402_300_799.0])
async def test_every_time_is_one_that_no_calendar_has(at: float) -> None:
    async with opened(timeless(at), (120, 40)) as pilot:
        await walk(pilot, *PANES, "A", "enter", "escape")
        assert pilot.app.is_running


@pytest.mark.parametrize("name", STATES)
async def test_a_bad_state(name: str) -> None:
    async with opened(FixedSource(STATES[name], [])) as pilot:
        await walk(pilot, *PANES, *CHARTS)
        assert pilot.app.is_running


async def test_ten_thousand_attempts() -> None:
    async with opened(many_attempts(), (120, 40)) as pilot:
        assert "10,000" in await walk(pilot, *CHARTS)
        await pilot.press("T", "end")
        await pilot.pause()
        assert "     1  " in text_of(pilot)


@pytest.mark.parametrize("size", [(1, 1), (5, 2), (20, 5), (40, 10), (80, 12), (300, 100)])
async def test_any_size(size: tuple[int, int]) -> None:
    async with opened(HEALTHY, (80, 24)) as pilot:
        await pilot.resize_terminal(*size)
        await walk(pilot, *PANES, "z", "z", "plus", "left")
        await pilot.resize_terminal(200, 60)
        await settled(pilot)
        assert "learning rate" in text_of(pilot)


async def test_nothing_is_drawn_again_while_nothing_changes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Over a slow line, what is the same is not sent again."""
    async with opened(HEALTHY, (120, 40)) as pilot:
        await steady(pilot)
        drawn: list[str] = []
        refresh = Widget.refresh

        def counted(self: Widget, *args: object, **options: object) -> object:
            drawn.append(repr(self))
            return refresh(self, *args, **options)  # type: ignore[arg-type]

        monkeypatch.setattr(Widget, "refresh", counted)
        charts, log = pilot.app.query_one(Charts), pilot.app.query_one(LogPanel)
        for _ in range(3):
            seen = pilot.app.snapshot  # type: ignore[attr-defined]
            later = Snapshot(**{n: getattr(seen, n) for n in seen.__struct_fields__})
            pilot.app.show(charts._seen._replace(snapshot=later))  # type: ignore[attr-defined]
            await pilot.pause()
        assert log.snapshot is later
        assert drawn == []


class HangingSource(FixedSource):
    """A source whose reads hang from a moment on, as on a network filesystem whose server is gone."""

    def __init__(self, snapshot: Snapshot) -> None:
        super().__init__(snapshot)
        self.goes_on = threading.Event()
        self.goes_on.set()
        self.hangs = threading.Event()

    def read(self, wanted: Wanted) -> Snapshot:
        if not self.goes_on.is_set():
            self.hangs.set()
            self.goes_on.wait()
        return super().read(wanted)


async def test_a_source_that_hangs_is_told_and_that_it_goes_on() -> None:
    source = HangingSource(HEALTHY)
    async with opened(source) as pilot:
        try:
            source.goes_on.clear()
            await until(pilot, source.hangs.is_set, "a read that hangs")
            await pilot.pause()  # what was read before it is shown by now
            for _ in range(5):
                pilot.app._check()  # type: ignore[attr-defined]
            await until(pilot, lambda: "reading hangs" in text_of(pilot), "the remark")
        finally:
            source.goes_on.set()
        await until(pilot, lambda: "reading hangs" not in text_of(pilot), "the end of it")
