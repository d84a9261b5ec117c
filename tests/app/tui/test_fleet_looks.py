"""Pictures of the screen of all runs, as a person accepted them. After a look: `pytest --snapshot-update`."""

from collections.abc import Callable

import pytest
from textual.pilot import Pilot

from tests.app.tui.driving import steady, until
from tests.app.tui.fleets import app_of, fleet, many
from trainwatch.app.tui.fleetapp import FleetApp
from trainwatch.core.model.fleet import Fleet

Compare = Callable[..., bool]
SIZES = ((80, 24), (120, 40), (200, 60))


def shown(
    snap_compare: Compare,
    seen: Fleet,
    size: tuple[int, int],
    *keys: str,
    colours: str = "dark",
) -> None:
    """The screen after some keys, as it was accepted."""

    async def before(pilot: Pilot[None]) -> None:
        app = pilot.app
        assert isinstance(app, FleetApp)
        await until(pilot, lambda: app.fleet.at > 0 and app.complete, "the runs")
        await steady(pilot)
        await pilot.press(*keys)
        await steady(pilot)

    app = app_of(seen, colours=colours)
    assert snap_compare(app, terminal_size=size, run_before=before)


@pytest.mark.parametrize("theme", ["dark", "light"])
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
def test_some_runs(snap_compare: Compare, theme: str, size: tuple[int, int]) -> None:
    shown(snap_compare, fleet(), size, colours=theme)


@pytest.mark.parametrize("size", [(80, 24), (200, 60)], ids=lambda size: f"{size[0]}x{size[1]}")
def test_many_in_groups(snap_compare: Compare, size: tuple[int, int]) -> None:
    shown(snap_compare, many(), size, "g", "pagedown")


def test_where_there_is_little_room(snap_compare: Compare) -> None:
    shown(snap_compare, fleet(), (60, 15))


def test_without_colours(snap_compare: Compare, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    shown(snap_compare, fleet(), (120, 30), "down", colours="terminal")


@pytest.mark.parametrize(("name", "key"), [("help", "question_mark"), ("sort", "s")])
def test_over_it(snap_compare: Compare, name: str, key: str) -> None:
    shown(snap_compare, fleet(), (120, 40), key)
