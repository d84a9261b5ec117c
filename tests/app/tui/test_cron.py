"""The cron pane: health without colours, who watches what, the scripts; silence is never health."""

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from tests.app.tui.chains import (
    ALONE,
    CHAIN,
    OK_SCRIPT,
    SILENT,
    STOPPED,
    UNREADABLE,
    chained,
    hostile_chain,
)
from tests.app.tui.driving import opened, text_of
from tests.app.tui.hostile import HOSTILE
from tests.app.tui.test_keys import part
from trainwatch.app.tui.cron import Cron
from trainwatch.core.model.cron import CronStatus


def rows(pilot: Pilot[None]) -> list[str]:
    return [line.rstrip() for line in part(pilot, Cron).render().plain.splitlines()]


@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=str)
async def test_the_chain_first_then_who_watches_then_the_scripts(size: tuple[int, int]) -> None:
    async with opened(chained(CHAIN), size) as pilot:
        await pilot.press("C", "z")
        await pilot.pause()
        shown = rows(pilot)
        assert "● OK   job 70123 on prepost1, until 06:03:00 (5 h left)" in shown[0]
        assert "70124 waits for another job; begins 06:02:00 or later" in shown[1]
        assert "prepost1, looked <1 min ago; 2 runs: tr11-176B-ml, tr12" in shown[2]
        names = [line.split()[0] for line in shown[3:9]]
        assert names[:2] == ["script", "cron.daily/quota-report"]  # what failed stands first
        assert len(names) == 6
        assert "✖ failed, exit 2" in shown[4]
        assert ("15:03:00" in shown[4]) == (size[0] >= 100)  # the next run
        assert "never ran" in shown[8]
        assert "daemon, handed over 31 times since 2026-02-14 01:03, next 06:03:00" in shown[9]
        assert "trouble    2026-03-11 19:02: sbatch did not answer" in shown[10]


@pytest.mark.parametrize(
    ("cron", "texts"),
    [
        (
            ALONE,
            [
                "▲ WARNING   job 70123 on prepost1, until 06:03:00 (5 h left); no",
                "no successor: sbatch: error",
            ],
        ),
        (
            SILENT,
            ["✖ DEAD   last seen 2026-03-11 23:03: job 70123", "no heartbeat for 2 h"],
        ),
        (
            STOPPED,
            ["■ STOPPED   stopped by hand", "by jo, for the move"],
        ),
        (UNREADABLE, ["? UNKNOWN   nothing is known of it", "/state/cron/status.json cannot be"]),
        (None, ["no chain watches this state folder; on a cluster: trainwatch cron start", ""]),
    ],
)
async def test_health_is_read_without_colours(
    monkeypatch: pytest.MonkeyPatch, cron: CronStatus | None, texts: list[str]
) -> None:
    monkeypatch.setenv("NO_COLOR", "1")
    async with opened(chained(cron), (80, 24)) as pilot:
        await pilot.press("C")
        await pilot.pause()
        shown = [*rows(pilot), ""]
        assert texts[0] in shown[0]
        assert texts[1] in shown[1]


@pytest.mark.parametrize(
    ("cron", "tab"), [(CHAIN, "Cron run"), (ALONE, "Cron▲"), (SILENT, "Cron✖")]
)
async def test_the_tab_tells_what_is_amiss(cron: CronStatus, tab: str) -> None:
    async with opened(chained(cron), (80, 24)) as pilot:
        assert tab in text_of(pilot)


async def test_of_several_watchers_a_late_one_stands_out() -> None:
    async with opened(chained(ALONE), (200, 50)) as pilot:
        await pilot.press("C")
        await pilot.pause()
        watchers = [line for line in rows(pilot) if line.startswith(" watcher")]
        assert "taken over from others: tr13" in watchers[0]
        assert "✖ late: prepost2, looked 2 h ago" in watchers[1]
        assert "not watched: tr14: no log" in watchers[1]


@pytest.mark.parametrize("number", range(len(HOSTILE)))
@pytest.mark.parametrize("size", [(60, 15), (200, 50)], ids=str)
async def test_a_hostile_chain(number: int, size: tuple[int, int]) -> None:
    text = HOSTILE[number]
    async with opened(chained(hostile_chain(text)), size) as pilot:
        await pilot.press("C", "z")
        shown = []
        for key in ("home", "end"):
            await pilot.press(key)
            await pilot.pause()
            shown.append(text_of(pilot))
        pilot.app.export_screenshot()
        assert pilot.app.is_running
        assert "WARNING" in shown[0]
        assert [c for c in "".join(shown).replace("\n", "") if not c.isprintable()] == []


async def test_five_hundred_scripts_are_scrolled_to_the_end() -> None:
    scripts = tuple(replace(OK_SCRIPT, name=f"cron.hourly/{n:03}") for n in range(500))
    async with opened(chained(replace(CHAIN, scripts=scripts, troubles=())), (60, 15)) as pilot:
        await pilot.press("C", "end")
        await pilot.pause()
        assert "cron.hourly/499" in rows(pilot)[-2]
        assert "● ok" in rows(pilot)[-2]
