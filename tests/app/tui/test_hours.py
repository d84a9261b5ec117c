"""The hours pane: shares that add up, what is unknown is said so, and no number breaks it."""

import math
import re

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from tests.app.tui.accounts import BY_LOG, NO_CLOCK, NO_GPUS, SECONDS, accounted, hours
from tests.app.tui.driving import opened, text_of, until
from tests.app.tui.sources import FixedSource
from tests.app.tui.test_keys import part
from trainwatch.app.tui.hours import HoursPane
from trainwatch.core.model.goodput import Hours
from trainwatch.core.model.snapshot import Snapshot, Wanted


def rows(pilot: Pilot[None]) -> list[str]:
    return [line.rstrip() for line in part(pilot, HoursPane).render().plain.splitlines()]


@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=str)
async def test_where_the_hours_went_the_longest_first(size: tuple[int, int]) -> None:
    async with opened(accounted(hours()), size) as pilot:
        await pilot.press("h", "z")
        await pilot.pause()
        shown = rows(pilot)
        assert "86.3 % trained new tokens; 9 of 34 attempts failed, one in 2 d 5 h" in shown[0]
        assert shown[1].split() == ["where", "the", "time", "went", "hours", "share", "GPU-hours"]
        assert "new tokens                412.7  86.3 %     158,477  ████" in shown[2]
        assert ("iterations that were trained before, and lost" in shown[3]) == (size[0] == 200)
        shares = [float(n) for n in re.findall(r"([\d.]+) % ", "\n".join(shown[2:9]))]
        assert sum(shares) == pytest.approx(100, abs=0.5)
        assert shares == sorted(shares, reverse=True)
        assert "waiting for nodes          61.0" in shown[9]
        assert shown[9].endswith("queue, or not submitted")
        assert shown[10] == " GPU-hours lost to failures: crashed 9,000, node failure 5,100"
        assert "from 2026-02-17 14:03 to 01:03:00: nodes held for 19 d 22 h, on 384" in shown[11]
        assert shown[12] == " nothing went to: evaluation"


@pytest.mark.parametrize(
    ("told", "said", "unsaid"),
    [
        (BY_LOG, "queue: unknown, no Slurm", "not submitted"),
        (
            BY_LOG,
            "nodes held before its first and after its last line are unknown",
            "not submitted",
        ),
        (NO_GPUS, "new tokens                412.7  86.3 %  ███", "GPU"),
        (NO_CLOCK, "the log holds no time of day", "%"),
        (Hours(why="[/bold] state.json is damaged"), "[/bold] state.json is damaged", "%"),
        (None, "adding up where the hours went ...", "%"),
    ],
)
async def test_what_is_unknown_is_said(told: Hours | None, said: str, unsaid: str) -> None:
    async with opened(accounted(told), (100, 30)) as pilot:
        await pilot.press("h", "z")
        await pilot.pause()
        assert said in "\n".join(rows(pilot))
        assert unsaid not in "\n".join(rows(pilot))


@pytest.mark.parametrize("value", [math.nan, math.inf, 1e308, 5e-324, 0.0, -1.0])
async def test_every_number_is_nothing_one_can_draw(value: float) -> None:
    told = hours(dict.fromkeys(SECONDS, value))
    assert told.told is not None
    told.told.begin = told.told.end = value
    told.told.lost_gpu_s = {"[/bold] \x1b[2J": value}
    async with opened(accounted(told), (60, 15)) as pilot:
        await pilot.press("h", "z")
        await pilot.pause()
        assert pilot.app.is_running
        assert "trained new tokens" in "\n".join(rows(pilot))
        assert "\x1b" not in text_of(pilot)


async def test_it_is_wanted_only_while_it_is_looked_at() -> None:
    class Counting(FixedSource):
        def read(self, wanted: Wanted) -> Snapshot:
            seen = super().read(wanted)
            return replace(seen, hours=seen.hours if wanted.hours else None)

    source = Counting(accounted(hours()))
    async with opened(source, (80, 24)) as pilot:
        assert not source.asked[-1].hours
        await pilot.press("h")
        await until(pilot, lambda: "86.3 %" in text_of(pilot), "the account")
        await pilot.press("l")
        await until(pilot, lambda: not source.asked[-1].hours, "that it is not wanted any more")
