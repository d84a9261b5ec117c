"""Pictures of the screen, as a person accepted them. After a look: `pytest --snapshot-update`."""

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from tests.app.tui.driving import settled, steady
from tests.app.tui.runs import (
    FixedSource,
    alarming,
    critical,
    ended,
    log_text,
    missing,
    reading,
)
from trainwatch.app.tui.app import ScreenApp

Compare = Callable[..., bool]
SIZES = ((80, 24), (120, 40), (200, 60))


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_a_healthy_run(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    app = ScreenApp(FixedSource(), colours=theme)
    assert snap_compare(app, terminal_size=size, run_before=settled)


STATES = {"critical": critical(), "ended": ended(), "missing": missing(), "reading": reading()}


@pytest.mark.parametrize("name", STATES)
def test_a_state(snap_compare: Compare, name: str) -> None:
    source = FixedSource(STATES[name], [] if name == "missing" else log_text())
    assert snap_compare(ScreenApp(source), terminal_size=(80, 24), run_before=settled)


def test_without_colours(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    app = ScreenApp(FixedSource(critical()), colours="terminal")
    assert snap_compare(app, terminal_size=(80, 24), run_before=settled)


@pytest.mark.parametrize(("name", "key"), [("help", "question_mark"), ("attempts", "a")])
def test_a_view(snap_compare: Compare, name: str, key: str) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await pilot.press(key)
        await steady(pilot)

    app = ScreenApp(FixedSource(ended()))
    assert snap_compare(app, terminal_size=(120, 40), run_before=before)


@pytest.mark.parametrize("keys", [("A",), ("A", "enter")], ids=["list", "evidence"])
@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_alerts(snap_compare: Compare, size: tuple[int, int], keys: tuple[str, ...]) -> None:
    async def before(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await pilot.press(*keys)
        await steady(pilot)

    app = ScreenApp(FixedSource(alarming()))
    assert snap_compare(app, terminal_size=size, run_before=before)
