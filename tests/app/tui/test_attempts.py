"""The attempts on the screen: one history with why each ended; the most important where it is narrow."""

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from tests.app.tui.attempted import ATTEMPTS, GIVEN, attempted
from tests.app.tui.driving import opened, text_of
from tests.app.tui.histories import NOW
from tests.app.tui.hostile import HOSTILE
from tests.app.tui.states import many_attempts
from tests.app.tui.test_keys import part
from trainwatch.app.tui.attempts import Attempts
from trainwatch.app.tui.tabs import Tabs
from trainwatch.core.model.allocations import Allocation


def rows(pilot: Pilot[None]) -> list[str]:
    return [line.rstrip() for line in part(pilot, Attempts).render().plain.splitlines()]


@pytest.mark.parametrize(
    ("size", "columns"),
    [
        ((60, 15), "began ran iterations end"),
        ((80, 24), "job began ran iterations lost end"),
        ((120, 40), "# job gap began ran iterations lost GPUs end"),
        ((200, 50), "# job nodes gap began ran iterations new again lost GPUs end"),
    ],
    ids=str,
)
async def test_the_most_important_where_it_is_narrow(size: tuple[int, int], columns: str) -> None:
    async with opened(attempted(), size) as pilot:
        await pilot.press("T", "z")
        await pilot.pause()
        shown = rows(pilot)
        assert shown[0].split() == columns.split()
        assert "03-11 05:03   20.0 h  3,251 – 3,900" in shown[1]
        assert shown[1].endswith("running")
        assert "03-10 06:03    1 min  none" in shown[3]
        assert "crashed: wrote no" in shown[3]
        assert "node failure: NCCL: c" in shown[4]
        assert shown[5].endswith("time limit")
        assert "crashed: cuda: Runt" in shown[6]
        assert (" 1.0 h  03-11" in shown[1]) == (size[0] >= 120)  # the gap before it
        assert ("     45  " in shown[6]) == (size[0] >= 80)  # lost


async def test_enter_goes_to_where_it_began_in_the_log() -> None:
    async with opened(attempted(), (120, 40)) as pilot:
        await pilot.press("T", "end", "enter")
        await pilot.pause()
        assert part(pilot, Tabs).pane == "log"
        await pilot.press("T", "home", "down", "down", "enter")  # it never wrote a line
        await pilot.pause()
        assert part(pilot, Tabs).pane == "attempts"


async def test_without_slurm_there_is_no_column_for_what_nobody_knows() -> None:
    nameless = tuple(replace(attempt, job_id=None) for attempt in ATTEMPTS)
    async with opened(attempted(nameless, ()), (200, 50)) as pilot:
        await pilot.press("T")
        await pilot.pause()
        assert rows(pilot)[0].split()[:3] == ["#", "gap", "began"]
        assert len(rows(pilot)) >= 7


@pytest.mark.parametrize(
    ("health", "given", "end"),
    [
        ("ok", (), "20.0 h  3,251 – 3,900  running"),
        ("critical", (), "20.0 h  3,251 – 3,900  running"),
        ("unknown", (), "3.0 h  3,251 – 3,900  unknown: the log tells"),
        ("unknown", GIVEN, "20.0 h  3,251 – 3,900          running"),  # Slurm knows
    ],
)
async def test_a_log_that_just_stops_is_not_said_to_run(
    health: str, given: tuple[Allocation, ...], end: str
) -> None:
    last = replace(ATTEMPTS[-1], began_at=NOW - 20 * 3600, last_at=NOW - 17 * 3600)
    snapshot = attempted((*ATTEMPTS[:-1], last), given)
    snapshot = replace(snapshot, status=replace(snapshot.status, health=health))
    async with opened(snapshot, (80, 24)) as pilot:
        await pilot.press("T")
        await pilot.pause()
        assert " ".join(end.split()) in " ".join(rows(pilot)[1].split())


@pytest.mark.parametrize("number", range(len(HOSTILE)))
async def test_a_hostile_history(number: int) -> None:
    text = HOSTILE[number]
    told = tuple(replace(a, job_id=text, cause=text, end=text, nodes=text) for a in ATTEMPTS)
    given = tuple(
        replace(g, job_id=text, nodes=text, state=text, exit_code=text, reason=text, name=text)
        for g in GIVEN
    )
    async with opened(attempted(told, given), (60, 15)) as pilot:
        await pilot.press("T", "z")
        shown = text_of(pilot)
        await pilot.resize_terminal(200, 50)
        await pilot.press("end")
        await pilot.pause()
        shown += text_of(pilot)
        pilot.app.export_screenshot()
        assert "3,251 – 3,900" in shown
        assert [c for c in shown.replace("\n", "") if not c.isprintable()] == []


async def test_ten_thousand_of_them_are_scrolled_to_the_first() -> None:
    async with opened(many_attempts(), (60, 15)) as pilot:
        await pilot.press("T", "end")
        await pilot.pause()
        assert "1 – 2" in rows(pilot)[-1]
