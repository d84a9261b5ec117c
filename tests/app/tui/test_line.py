"""What goes over the line: enough for the terminal to show the screen, and no more."""

import inspect
import os
import re
import signal
import sys
from pathlib import Path

import pytest
from rich.console import Console, RenderableType
from rich.segment import Segment
from rich.style import Style
from textual._compositor import CompositorUpdate, LayoutUpdate
from textual.geometry import Region
from textual.screen import Screen
from textual.strip import Strip

from benchmarks.terminal import Terminal
from tests.app.tui.driving import settled, steady, until
from tests.app.tui.runs import HEALTHY
from tests.app.tui.sources import FixedSource
from tests.app.tui.states import critical
from tests.app.viewed import iteration
from trainwatch.app.tui.app import ScreenApp
from trainwatch.app.tui.line import Line, turn

_SECOND_BYTES = 960  # of a line of 9,600 baud
_SEQUENCE = re.compile(r"\x1b\[([\d;]*)([HCm])|([^\x1b])")


class Shown:
    """A terminal, as far as what we send goes: places, letters, styles."""

    def __init__(self) -> None:
        self.cells: dict[tuple[int, int], tuple[str, frozenset[str]]] = {}

    def take(self, sent: str) -> None:
        x = y = 0
        style = frozenset[str]()
        for found in _SEQUENCE.finditer(sent):
            numbers, what, letter = found.groups()
            if what == "H":
                y, x = (int(n) - 1 for n in numbers.split(";"))
            elif what == "C":
                x += int(numbers)
            elif what == "m":
                style = drawn(style, numbers)
            else:
                self.cells[y, x] = (letter, style)
                x += 1


def drawn(style: frozenset[str], codes: str) -> frozenset[str]:
    """How a terminal draws after a sequence: colours replace colours, attributes are added."""
    kept = set(style)
    for code in re.findall(r"[34]8;2;\d+;\d+;\d+|[34]8;5;\d+|\d+", codes) or ["0"]:
        if code == "0":
            kept.clear()
            continue
        kind = {3: "fg", 9: "fg", 4: "bg", 10: "bg"}.get(int(code.split(";")[0]) // 10, "")
        kind = kind if int(code.split(";")[0]) > 29 else ""
        kept = {one for one in kept if not kind or not one.startswith(kind)} | {kind + code}
    return frozenset(kept)


class Sending(ScreenApp):
    """Sends, though there is no terminal."""

    CSS_PATH = str(Path(inspect.getfile(ScreenApp)).with_name("screen.tcss"))

    def __init__(self, source: FixedSource) -> None:
        super().__init__(source)
        self.shown, self.line, self.counts = Shown(), Line(), list[int]()

    def _display(
        self, screen: Screen[object], renderable: RenderableType | CompositorUpdate | None
    ) -> None:
        if isinstance(renderable, CompositorUpdate) and not self._batch_count:
            sent = self.line.changes(renderable, (self.size.width, self.size.height), self.console)
            self.counts.append(len(sent.encode()))
            self.shown.take(sent)
        super()._display(screen, renderable)

    def wrong(self) -> list[str]:
        """Cells that the terminal does not show as they should be."""
        found = list[str]()
        colours = self.console._color_system
        assert colours is not None
        for y, strip in enumerate(self.screen._compositor.render_strips()):
            x = 0
            for text, style, _ in strip:
                wanted = drawn(frozenset(), Strip.render_ansi(style, colours) if style else "0")
                for letter in text:
                    shown, how = self.shown.cells.get((y, x), ("nothing", frozenset()))
                    how = how if letter != " " else behind(how)
                    if (shown, how) != (letter, wanted if letter != " " else behind(wanted)):
                        found.append(f"{y}:{x} {shown!r} is not {letter!r}")
                    x += 1
        return found


def behind(style: frozenset[str]) -> frozenset[str]:
    """What a blank shows of it."""
    return frozenset(one for one in style if one.startswith("bg") or one in ("4", "7", "9"))


KEYS = (
    "question_mark",
    "escape",
    "A",
    "enter",
    "escape",
    "t",
    "c",
    "plus",
    "Q",
    "e",
    "z",
    "z",
    "l",
)


@pytest.mark.parametrize("size", [(80, 24), (130, 50)], ids=str)
async def test_what_was_sent_is_what_is_shown(size: tuple[int, int]) -> None:
    app = Sending(FixedSource(critical()))
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        assert app.wrong() == []
        for key in KEYS:
            await pilot.press(key)
            await steady(pilot)
            assert app.wrong() == [], f"after {key}"
        await pilot.resize_terminal(61, 17)
        await steady(pilot)
        assert app.wrong() == []


async def test_what_is_shown_already_is_not_sent_again() -> None:
    app = Sending(FixedSource(HEALTHY))
    async with app.run_test(size=(80, 24)) as pilot:
        await settled(pilot)
        first, app.counts = sum(app.counts), []
        app.refresh(layout=True)
        await until(pilot, lambda: app.counts != [], "an update")
        await steady(pilot)
        assert sum(app.counts) == 0
        app.line.forget()
        app.refresh()
        await until(pilot, lambda: sum(app.counts) > 2000, "all of it")
        assert first > 2000


@pytest.mark.parametrize(
    ("before", "now", "sent"),
    [
        ("loss 1", "loss 2", "\x1b[1;6H2"),
        ("loss 1 of 5", "loss 2 of 5", "\x1b[1;6H2"),
        ("loss 1", "loss 1", ""),
        # terminals do not agree on how wide these are: what stands behind them is sent with them
        ("\u8bad\u7ec3 loss 1", "\u8bad\u7ec3 loss 2", "\x1b[1;1H\u8bad\u7ec3 loss 2"),
        ("e\u0301 loss 1", "e\u0301 loss 2", "\x1b[1;1He\u0301 loss 2"),
        ("\u8bad\u7ec3", "loss", "\x1b[1;1Hloss"),
    ],
)
def test_what_differs_of_a_row_is_sent(before: str, now: str, sent: str) -> None:
    line, console = Line(), Console()
    line.changes(row_of(before), (12, 1), console)
    assert line.changes(row_of(now), (12, 1), console) == sent


def row_of(text: str) -> CompositorUpdate:
    return LayoutUpdate([[Strip([Segment(text)])]], Region(0, 0, 12, 1))


@pytest.mark.parametrize(
    ("before", "now", "sent"),
    [
        ("", "1;31;42", "\x1b[1;31;42m"),
        ("31;42", "32;42", "\x1b[32m"),
        ("1;31", "31", "\x1b[0;31m"),
        ("38;2;1;2;3;48;5;9", "38;2;1;2;4;48;5;9", "\x1b[38;2;1;2;4m"),
        ("31;42", "31", "\x1b[0;31m"),
        ("31", "", "\x1b[0m"),
    ],
)
def test_only_what_changes_of_a_style_is_said(before: str, now: str, sent: str) -> None:
    assert turn(before, now) == sent


@pytest.fixture
def terminal(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Terminal:
    log = tmp_path / "tr1-13B.log"
    log.write_text("".join(iteration(n) for n in range(1, 301)))
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.delenv("NO_COLOR", raising=False)
    return Terminal([sys.executable, "-m", "trainwatch", "tui", str(log)], (80, 24))


def quiet(terminal: Terminal, for_s: float = 2.5) -> int:
    """Bytes that came until nothing came for so long: at least two looks at the run."""
    total = 0
    while count := terminal.read_for(for_s):
        total += count
    return total


def test_a_slow_line_is_enough(terminal: Terminal, tmp_path: Path) -> None:
    """On a real terminal: idle is silence, an iteration is less than a second of 9,600 baud."""
    with terminal:
        terminal.wait_for(b"watching")
        quiet(terminal)
        assert terminal.read_for(3.2) == 0
        sent = list[int]()
        for number in (301, 302, 303):
            with (tmp_path / "tr1-13B.log").open("a") as file:
                file.write(iteration(number))
            sent.append(quiet(terminal))
        assert 0 < min(sent[1:]) <= max(sent[1:]) < _SECOND_BYTES
        os.write(terminal._ours, b"\x0c")  # ctrl+l
        assert quiet(terminal, 1.5) > 2000
        os.kill(terminal._process.pid, signal.SIGTSTP)
        assert quiet(terminal, 1.0) < 200
        os.kill(terminal._process.pid, signal.SIGCONT)
        assert quiet(terminal, 1.5) > 2000


def test_where_a_text_stands_is_not_remembered() -> None:
    line, console = Line(), Console(color_system="truecolor")
    before = Strip.render_ansi.cache_info().currsize
    for row in range(50):
        style = Style(color="#123456", bold=True, meta={"offset": (0, row)})
        strip = Strip([Segment("loss", style)])
        line.changes(LayoutUpdate([[strip]], Region(0, row, 4, 1)), (80, 50), console)
    assert Strip.render_ansi.cache_info().currsize <= before + 1
