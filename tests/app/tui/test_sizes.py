"""From 60x15 up health and iteration can be read; below, nothing fails."""

import random
from functools import partial

import pytest
from textual.events import Resize
from textual.geometry import Size
from textual.pilot import Pilot

from tests.app.tui import fleetdriving
from tests.app.tui.driving import opened, settled, steady, text_of, until
from tests.app.tui.fleets import many
from tests.app.tui.sources import FixedSource, log_text
from tests.app.tui.states import STATES
from trainwatch.app.tui.header import HEALTH
from trainwatch.core.model.snapshot import Snapshot

TINY = ((1, 1), (20, 5), (5, 2), (59, 14), (1, 50), (300, 1), (3, 3))
READ = ((60, 15), (61, 15), (60, 17), (79, 18), (80, 24), (111, 33), (112, 34), (200, 46), (60, 60))
# every pane, and what lies over a run
KEYS = ("l", "A", "Q", "p", "d", "y", "h", "C", "e", "T", "r", "z", "z", "ctrl+p", "escape")


def readable(text: str, snapshot: Snapshot, size: tuple[int, int]) -> None:
    """What has to be seen of a run."""
    lines, status = text.splitlines(), snapshot.status
    assert len(lines) == size[1]
    assert {len(line) for line in lines if line.isascii()} <= {size[0]}
    sign, word, _ = HEALTH[status.health]
    assert lines[0].startswith(f" {sign} {word} ")
    assert status.run[:8] in lines[0]
    wanted = "reading the log" if snapshot.reading else f"{status.iteration or 0:,}"
    if status.iteration is not None or snapshot.reading:
        assert any(wanted in line for line in lines[1:8]), text


@pytest.mark.parametrize("name", [name for name in STATES if name != "empty"])
async def test_health_and_iteration_are_read_in_any_state(name: str) -> None:
    source = FixedSource(STATES[name], [] if name == "missing" else log_text())
    async with opened(source, (80, 24)) as pilot:
        for size in READ:
            await resized(pilot, size)
            readable(text_of(pilot), STATES[name], size)


@pytest.mark.parametrize("size", [(60, 15), (112, 34)], ids=str)
async def test_with_any_pane_below(size: tuple[int, int]) -> None:
    async with opened(STATES["alarming"], size) as pilot:
        for key in KEYS:
            await pilot.press(key)
            await pilot.pause()
            if key != "ctrl+p":
                readable(text_of(pilot), STATES["alarming"], size)


@pytest.mark.parametrize("over", ["", "question_mark", "ctrl+p", "slash", "z"])
async def test_nothing_fails_however_small(over: str) -> None:
    async with opened(STATES["alarming"], (80, 24)) as pilot:
        if over:
            await pilot.press(over)
        for size in TINY:
            await resized(pilot, size)
            await pilot.press("down", "up")
            assert pilot.app.is_running
        await pilot.press("escape")
        await resized(pilot, (60, 15))
        await settled(pilot)
        assert "CRITICAL" in text_of(pilot)


async def test_any_order_of_sizes() -> None:
    """As when somebody drags the corner of a window; the same every time."""
    chance = random.Random(0)
    async with opened(STATES["critical"], (80, 24)) as pilot:
        for _ in range(40):
            size = (chance.randint(1, 220), chance.randint(1, 70))
            await resized(pilot, size)
            if size[0] >= 60 and size[1] >= 15:
                readable(text_of(pilot), STATES["critical"], size)


async def test_a_size_is_taken_also_where_the_timer_for_it_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """As Textual's is when this process waits longer for its turn than the 8 ms that it is set to."""
    async with opened(STATES["critical"]) as pilot:
        once = pilot.app.set_timer
        lost = partial(once, pause=True)
        monkeypatch.setattr(pilot.app, "set_timer", lost)
        for size in ((100, 30), (60, 20), (90, 40)):
            pilot.app.post_message(Resize(Size(*size), Size(*size)))
            await until(pilot, partial(is_as_large, pilot, size), f"{size}")


def is_as_large(pilot: Pilot[None], size: tuple[int, int]) -> bool:
    """Whether what is shown has so many columns and rows."""
    rows = text_of(pilot).split("\n")
    return (len(rows[0]), len(rows)) == size


async def test_all_runs_in_any_size() -> None:
    async with fleetdriving.opened(many(), size=(80, 24)) as (screen, pilot):
        for size in (*TINY, *READ):
            await resized(pilot, size)
            assert pilot.app.is_running
            if size[0] >= 60 and size[1] >= 15:
                text = text_of(pilot)
                assert f"{len(screen.listing.matches):,} runs" in text
                assert "›✖ crit" in text.lower()
                assert "? help" in text


async def test_at_60_columns_nothing_is_cut_in_two() -> None:
    async with opened(STATES["alarming"], (60, 15)) as pilot:
        first, tabs = (text_of(pilot).splitlines()[n] for n in (0, 9))
        assert "training" in first
        assert "tr11-176B-ml" in first
        assert "…" not in first
        assert "run" in tabs
        assert "…" not in tabs
        assert "17 h 30 min to go " in text_of(pilot)


async def resized(pilot: Pilot[None], size: tuple[int, int]) -> None:
    await pilot.resize_terminal(*size)
    await steady(pilot)
