"""The end of the log before there is a screen: soon, harmless, and gone without a trace where it fails."""

import gc
import sys
from io import StringIO
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.app.running.driving import OnTerminal
from tests.app.tui.driving import opened
from tests.app.tui.hostile import HOSTILE, hostile
from tests.app.tui.runs import HEALTHY
from tests.app.viewed import iteration
from trainwatch.app.loading import loading
from trainwatch.app.tui.app import ScreenApp
from trainwatch.app.tui.curtain import Curtain, picture
from trainwatch.app.tui.feed import Seen
from trainwatch.app.tui.header import Header
from trainwatch.core.model.snapshot import EMPTY, Line, Page

_RISE, _FALL = "\x1b[?1049h", "\x1b[?1049l"
_LOGGED = replace(HEALTHY, page=Page(lines=tuple(Line(n, f"line {n}") for n in range(100))))


def test_it_is_the_end_of_the_log_below_the_name() -> None:
    rows = picture(_LOGGED, 80, 24).split("\r\n")
    assert rows[0] == f"trainwatch  {HEALTHY.status.run}"
    assert rows[2:] == [f"line {n}" for n in range(78, 100)]


@pytest.mark.parametrize("height", range(1, 5))
def test_it_fits_where_there_is_little_room(height: int) -> None:
    assert len(picture(_LOGGED, 80, height).split("\r\n")) == height


@pytest.mark.parametrize("text", HOSTILE)
def test_foreign_text_does_nothing_to_a_terminal(text: str) -> None:
    rows = picture(hostile(text), 80, 24).split("\r\n")
    assert len(rows) <= 24
    assert all(row.isprintable() and len(row) <= 160 for row in rows)


def test_it_is_drawn_once_and_left_to_the_screen() -> None:
    terminal = StringIO()
    curtain = Curtain(terminal, 80, 24)
    with curtain.until_the_screen():
        curtain.show(Seen(EMPTY, {}))
        assert not terminal.getvalue()  # nothing to show
        curtain.show(Seen(_LOGGED, {}))
        drawn = terminal.getvalue()
        curtain.show(Seen(_LOGGED, {}))
    curtain.show(Seen(_LOGGED, {}))
    assert terminal.getvalue() == drawn
    assert drawn.startswith(_RISE)
    assert drawn.endswith("line 99\x1b[?7h")


def test_a_failure_gives_the_terminal_back() -> None:
    terminal = StringIO()
    with pytest.raises(RuntimeError, match="no app"):
        _fails(terminal)
    assert terminal.getvalue().endswith(f"{_FALL}\x1b[?25h")
    assert gc.isenabled()
    gc.unfreeze()


def _fails(terminal: StringIO) -> None:
    curtain = Curtain(terminal, 80, 24)
    with curtain.until_the_screen(), loading():
        assert not gc.isenabled()
        curtain.show(Seen(_LOGGED, {}))
        raise RuntimeError("no app")


def test_what_was_never_drawn_need_not_be_given_back() -> None:
    terminal = StringIO()
    with pytest.raises(RuntimeError), Curtain(terminal, 80, 24).until_the_screen():
        raise RuntimeError
    assert not terminal.getvalue()


@pytest.mark.parametrize("closed", [True, False])
def test_without_a_terminal_it_does_nothing(closed: bool) -> None:
    terminal = StringIO()
    terminal.close()
    curtain = Curtain(terminal if closed else None, 80, 24)
    with curtain.until_the_screen():
        curtain.show(Seen(_LOGGED, {}))


async def test_nothing_is_sent_before_the_panels_are_filled() -> None:
    async with opened(HEALTHY) as pilot:
        app = pilot.app
        assert isinstance(app, ScreenApp)
        header = app.query_one(Header)
        app._holds_back, header._made_for = True, 0  # as a first layout finds it
        assert app.holds_back()
        header.renew()
        assert not app.holds_back()
        header._made_for = 0
        assert not app.holds_back()  # what is seen once stays


def test_where_there_is_no_run_yet_nothing_is_held_back() -> None:
    assert not ScreenApp(None).holds_back()


def test_on_a_terminal_the_log_comes_first_and_then_a_screen_that_is_filled(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    log = tmp_path / "main_log.txt"
    log.write_text("".join(iteration(n) for n in range(1, 51)) + "the last line of it\n")
    monkeypatch.setenv("TRAINWATCH_STATE_DIR", str(tmp_path / "state"))
    monkeypatch.setenv("TERM", "xterm-256color")
    command = OnTerminal([sys.executable, "-m", "trainwatch", "tui", str(log)])
    command.resize(24, 80)
    got = command.until(b"commands")
    assert b"the last line of it" in got.split(b"\x1b[?2026", 1)[0]  # what Textual asks for first
    command.type(b"q")
    assert command.wait() == 0
