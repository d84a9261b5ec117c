"""The tour in a real browser, by `trainwatch tui --web`: keys as a keyboard has them."""

import asyncio
import hashlib
import os
import subprocess
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path

import pytest

from tests.app.web.chromium import CHROMIUM, Page, chromium
from tests.tour.steps import (
    ALL_RUNS,
    BACK,
    DEMO,
    HOUSE,
    LEAVING,
    NAN,
    Step,
    is_seen,
    of_all_runs,
    of_run,
    opened,
)
from tests.tour.world import configured

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium here (apt-get install chromium)"
)
_PATIENCE_S = 60.0
_HELD = {"shift": 8, "ctrl": 2}  # as the protocol counts them
# names of ours -> of a keyboard, and its number
_KEYS = {
    "enter": ("Enter", 13),
    "escape": ("Escape", 27),
    "tab": ("Tab", 9),
    "home": ("Home", 36),
    "end": ("End", 35),
    "pageup": ("PageUp", 33),
    "pagedown": ("PageDown", 34),
    "left": ("ArrowLeft", 37),
    "up": ("ArrowUp", 38),
    "right": ("ArrowRight", 39),
    "down": ("ArrowDown", 40),
    "f1": ("F1", 112),
    "f2": ("F2", 113),
}
_LETTERS = {"question_mark": "?", "slash": "/", "colon": ":", "plus": "+"}


class Walker:
    """A page, and who presses its keys."""

    def __init__(self, page: Page) -> None:
        self._page = page

    async def walk(self, steps: Sequence[Step]) -> None:
        """Each step, once the one before is seen."""
        for step in steps:
            before = await self._painted() if step.repaints else ""
            for key in step.keys:
                await self._press(key)
            await self.until(step, before)

    async def until(self, step: Step, before: str = "") -> None:
        shown = ""
        try:
            async with asyncio.timeout(_PATIENCE_S):
                while not is_seen(step, shown) or (
                    step.repaints and await self._painted() == before
                ):
                    await asyncio.sleep(0.05)
                    shown = await self._page.screen() + "\n" + await self._page.text()
        except TimeoutError:
            raise AssertionError(f"never seen of {step}:\n{shown}") from None

    async def _press(self, key: str) -> None:
        held, _, name = key.rpartition("+")
        if held == "ctrl":
            _KEYS.setdefault(name, (name, ord(name.upper())))
        elif name not in _KEYS:
            for letter in _LETTERS.get(key, key):
                await self._page.press(letter)
            return
        called, number = _KEYS[name]
        told = {"key": called, "code": called, "windowsVirtualKeyCode": number}
        for kind in ("rawKeyDown", "keyUp"):
            modifiers = _HELD.get(held, 0)
            await self._page.call("Input.dispatchKeyEvent", type=kind, modifiers=modifiers, **told)
        if name == "escape":
            await asyncio.sleep(0.15)  # else it would be the beginning of the next key

    async def _painted(self) -> str:
        picture = await self._page.call("Page.captureScreenshot", format="png")
        return hashlib.sha256(picture["data"].encode()).hexdigest()


@asynccontextmanager
async def served(folder: Path, config: Path) -> AsyncIterator[str]:
    """The link of `trainwatch tui --web` on all runs."""
    words = (sys.executable, "-m", "trainwatch", "tui", "--all", "--web", "--writable")
    with (folder / "said").open("w") as said:
        process = await asyncio.create_subprocess_exec(
            *(*words, "--config", str(config)),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=said,
            cwd=folder,
            env={**os.environ, "TRAINWATCH_STATE_DIR": str(folder / "state")},
        )
        try:
            assert process.stdout is not None
            yield (await process.stdout.readline()).decode().strip()
        finally:
            process.terminate()
            await process.wait()
    assert "Traceback" not in (folder / "said").read_text()


async def test_all_runs_and_each_of_them(tmp_path: Path) -> None:
    with configured(tmp_path) as config:
        async with served(tmp_path, config) as link, chromium(tmp_path / "profile") as page:
            await page.open(link)
            walker = Walker(page)
            await walker.until(Step((), (ALL_RUNS,)))
            await walker.walk(of_all_runs())
            for run, row in ((DEMO, "first"), (NAN, "second")):
                await walker.walk((opened(run, row), *of_run(run, HOUSE), BACK))
            await walker.walk(LEAVING)
            complaints = [each for each in page.complaints if "WebGL" not in each]
            assert complaints == []
