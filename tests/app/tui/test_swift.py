"""What makes a key's paint come soon: little of it, all at once, and its turn among the threads."""

import os
import subprocess
import sys

import pytest
from textual._compositor import LayoutUpdate

from tests.app.tui.driving import opened, steady, text_of
from tests.app.tui.runs import HEALTHY
from trainwatch.app.tui.app import ScreenApp
from trainwatch.app.tui.hints import Hints
from trainwatch.app.tui.tabs import Tabs


@pytest.mark.parametrize("key", ["tab", "shift+tab"])
async def test_panels_that_a_key_does_not_change_are_not_painted(
    key: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with opened(HEALTHY) as pilot:
        app, painted = pilot.app, list[object]()
        paint = app._display

        def seen(screen: object, update: object) -> None:
            painted.append(update)
            paint(screen, update)  # type: ignore[arg-type]

        monkeypatch.setattr(app, "_display", seen)
        before = app.focused
        await pilot.press(key)
        await steady(pilot)
        assert app.focused is not before
        assert painted
        assert not [update for update in painted if isinstance(update, LayoutUpdate)]


async def test_another_pane_its_rule_and_its_keys_come_in_one_paint() -> None:
    async with opened(HEALTHY) as pilot:
        app = pilot.app
        assert isinstance(app, ScreenApp)
        app.action_lower("events")
        rows = app.query_one(Tabs).render().plain, app.query_one(Hints).render().plain
        assert rows[0].startswith("━━ log")
        assert "Enter show in log" in rows[1]
        await steady(pilot)
        assert rows[1] in text_of(pilot)


async def test_who_paints_waits_not_long_for_other_threads() -> None:
    async with opened(HEALTHY):
        assert sys.getswitchinterval() <= 1e-3


def test_a_paint_waits_not_long_for_its_beat() -> None:
    look = "import trainwatch.app.tui.feed; from textual import constants; print(constants.MAX_FPS)"
    environment = {key: value for key, value in os.environ.items() if key != "TEXTUAL_FPS"}
    for asked, given in (({}, "240"), ({"TEXTUAL_FPS": "30"}, "30")):
        said = subprocess.run(
            [sys.executable, "-c", look],
            capture_output=True,
            text=True,
            check=True,
            env=environment | asked,
        )
        assert said.stdout.strip() == given
