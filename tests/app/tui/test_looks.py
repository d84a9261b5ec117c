"""Pictures of the screen, as a person accepted them. After a look: `pytest --snapshot-update`."""

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from tests.app.tui.accounts import BY_LOG, accounted, hours
from tests.app.tui.alarms import alarming
from tests.app.tui.attempted import attempted
from tests.app.tui.chains import ALONE, CHAIN, SILENT, STOPPED, chained
from tests.app.tui.driving import settled, steady
from tests.app.tui.housed import housed
from tests.app.tui.sources import FixedSource, log_text
from tests.app.tui.states import critical, ended, missing, reading
from trainwatch.app.tui.app import ScreenApp
from trainwatch.core.model.snapshot import Snapshot

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


@pytest.mark.parametrize(("name", "key"), [("help", "question_mark"), ("attempts", "T")])
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


@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_attempts(snap_compare: Compare, size: tuple[int, int]) -> None:
    shown(snap_compare, attempted(), size, "T")


@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_hours(snap_compare: Compare, size: tuple[int, int]) -> None:
    shown(snap_compare, accounted(hours() if size[0] < 100 else BY_LOG), size, "h")


@pytest.mark.parametrize("key", ["p", "d", "y"], ids=["checkpoints", "disks", "sync"])
@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_the_house(snap_compare: Compare, size: tuple[int, int], key: str) -> None:
    shown(snap_compare, housed(), size, key)


def test_checkpoints_without_colours(
    snap_compare: Compare, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    shown(snap_compare, housed(), (100, 40), "p", "z", colours="terminal")


CHAINS = {"ok": CHAIN, "alone": ALONE, "silent": SILENT, "stopped": STOPPED, "none": None}


@pytest.mark.parametrize("name", CHAINS)
def test_the_chain(snap_compare: Compare, name: str) -> None:
    shown(snap_compare, chained(CHAINS[name]), (80, 24), "C")


@pytest.mark.parametrize("name", ["ok", "alone"])
def test_the_chain_where_there_is_room(snap_compare: Compare, name: str) -> None:
    shown(snap_compare, chained(CHAINS[name]), (200, 50), "C")


def test_the_chain_without_colours(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    shown(snap_compare, chained(ALONE), (100, 30), "C", "z", colours="terminal")


def shown(
    snap_compare: Compare,
    snapshot: Snapshot,
    size: tuple[int, int],
    *keys: str,
    colours: str = "dark",
) -> None:
    """The screen after some keys, as it was accepted."""

    async def before(pilot: Pilot[None]) -> None:
        await settled(pilot)
        await pilot.press(*keys)
        await steady(pilot)

    app = ScreenApp(FixedSource(snapshot), colours=colours)
    assert snap_compare(app, terminal_size=size, run_before=before)
