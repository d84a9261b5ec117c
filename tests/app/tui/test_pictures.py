"""Every screen in three sizes, dark and light, as a person accepted it: panes, and what lies over one.

After a look: `pytest tests/app/tui/test_pictures.py --snapshot-update`.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

import pytest
from textual.pilot import Pilot

from tests.app.tui import driving, fleetdriving
from tests.app.tui.driving import steady, until
from tests.app.tui.everything import everything
from tests.app.tui.pictures import FOLDER, Album
from trainwatch.app.tui.keys import ANYWHERE
from trainwatch.app.tui.tabs import PANES

SIZES = ((80, 24), (120, 40), (200, 60))
THEMES = ("dark", "light")


class Screen(NamedTuple):
    """What it is called, and the keys that lead there and back."""

    name: str
    there: tuple[str, ...]
    back: tuple[str, ...] = ()


_PANE_KEYS = {
    key.action.partition("'")[2].rstrip("')"): key.keys
    for key in ANYWHERE
    if key.action.startswith("app.lower(")
}
RUN = (
    *(Screen(name, (key,)) for name, key in _PANE_KEYS.items()),
    Screen("charts", ("l", "tab", "z"), ("z",)),
    Screen("cursor", ("left", "left"), ("escape",)),
    Screen("help", ("question_mark",), ("escape",)),
    Screen("evidence", ("A", "enter"), ("escape",)),
    Screen("silence", ("A", "s"), ("escape",)),
    Screen("search", ("slash",), ("escape",)),
    Screen("go-to", ("l", "colon"), ("escape",)),
)
FLEET = (
    Screen("list", ()),
    Screen("groups", ("g",), ("g", "g")),
    Screen("sort", ("s",), ("escape",)),
    Screen("filter", ("slash",), ("escape",)),
    Screen("help", ("question_mark",), ("escape",)),
)


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_a_run(
    size: tuple[int, int], theme: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    async with driving.opened(everything(), size, colours=theme) as pilot:
        await walk(pilot, RUN, f"run-{{}}-{theme}-{size[0]}x{size[1]}", Album(request, tmp_path))


@pytest.mark.parametrize("theme", THEMES)
@pytest.mark.parametrize("size", SIZES, ids=lambda size: f"{size[0]}x{size[1]}")
async def test_all_runs(
    size: tuple[int, int], theme: str, request: pytest.FixtureRequest, tmp_path: Path
) -> None:
    async with fleetdriving.opened(size=size) as (screen, pilot):
        screen.app.theme = theme
        await until(pilot, lambda: screen.app.complete, "how fast they are")
        name = f"fleet-{{}}-{theme}-{size[0]}x{size[1]}"
        await walk(pilot, FLEET, name, Album(request, tmp_path))


async def walk(pilot: Pilot[None], screens: Sequence[Screen], called: str, album: Album) -> None:
    """To every screen and back."""
    for screen in screens:
        for key in screen.there:
            await pilot.press(key)
        await steady(pilot)
        album.look(pilot, called.format(screen.name))
        for key in screen.back:
            await pilot.press(key)
            await pilot.pause()
    album.close()


def test_every_pane_has_its_picture() -> None:
    assert _PANE_KEYS.keys() == set(PANES)
    names = {
        f"{kind}-{screen.name}-{theme}-{width}x{height}.svgz"
        for kind, screens in (("run", RUN), ("fleet", FLEET))
        for screen in screens
        for theme in THEMES
        for width, height in SIZES
    }
    assert {path.name for path in FOLDER.iterdir()} == names
