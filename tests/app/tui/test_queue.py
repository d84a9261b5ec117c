"""The queue on the screen: what runs, what waits and why, what was before; unknown is told as unknown."""

import math

import pytest
from msgspec.structs import replace
from textual.pilot import Pilot

from tests.app.tui.driving import opened, text_of
from tests.app.tui.histories import NOW
from tests.app.tui.hostile import HOSTILE
from tests.app.tui.runs import HEALTHY
from tests.app.tui.test_keys import part
from trainwatch.app.tui.queue import Queue
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.observations import Job, QueueReading, Reservation
from trainwatch.core.model.predictions import Prediction
from trainwatch.core.model.snapshot import Snapshot

HOUR_S = 3600.0
RUNNING = Job(
    job_id="682842_3",
    name="tr11-176B",
    state="RUNNING",
    nodes=("r1i0n0", "r1i0n1"),
    start=NOW - 2 * HOUR_S,
    time_limit_s=20 * HOUR_S,
)
NEXT = Job(job_id="682842_[4-10%1]", name="tr11-176B", state="PENDING", reason="JobArrayTaskLimit")
HELD = Job(job_id="682900", name="tr11-176B", state="PENDING", reason="JobHeldUser")
BEFORE = (
    Allocation(
        job_id="682842_1",
        start=NOW - 40 * HOUR_S,
        end=NOW - 20 * HOUR_S,
        state="TIMEOUT",
        nodes="r1i0n[0-1]",
    ),
    Allocation(
        job_id="682842_2",
        start=NOW - 19 * HOUR_S,
        end=NOW - 3 * HOUR_S,
        state="FAILED",
        exit_code="1:0",
    ),
)
EXPECTED = ["job", "682842_3", "682842_[4-10%1]", "682900", "before", "682842_2"]


def queued(*jobs: Job, past: tuple[Allocation, ...] = (), why: str = "") -> Snapshot:
    reading = QueueReading(at=NOW, state="unknown" if why else "ok", jobs=jobs, why=why)
    status = replace(HEALTHY.status, queue=reading, allocations=past)
    return replace(HEALTHY, status=status)


def rows(pilot: Pilot[None]) -> list[str]:
    return [line.rstrip() for line in part(pilot, Queue).render().plain.splitlines()]


@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=str)
async def test_what_runs_stands_first_then_what_waits_and_why_then_the_past(
    size: tuple[int, int],
) -> None:
    snapshot = queued(HELD, NEXT, RUNNING, past=BEFORE)
    async with opened(snapshot, size) as pilot:
        await pilot.press("Q")
        await pilot.pause()
        shown = rows(pilot)
        assert "Queue·3" in text_of(pilot)
        ids = [line.lstrip(" ›└").split()[0] for line in shown]
        assert len(ids) >= 6
        assert ids == [*EXPECTED, "682842_1"][: len(ids)]
        assert "waits for its turn in the array" in shown[2]
        assert "held by its owner: will" in shown[3]  # and more where there is room
        assert "failed" in shown[5]
        assert "after 16 h, exit 1:0" in shown[5]
        assert ("2: r1i0n0" in shown[1]) == (size[0] >= 100)


async def test_a_predicted_start_says_how_it_moved_and_none_that_there_is_none() -> None:
    priority = Job(job_id="7", name="tr11", state="PENDING", reason="Priority")
    moved = Prediction(
        job_id="7", first=NOW + HOUR_S, first_at=NOW - 24 * HOUR_S, start=NOW + 3 * HOUR_S, at=NOW
    )
    jobs = (replace(priority, start=NOW + 3 * HOUR_S), replace(priority, job_id="8"))
    snapshot = queued(*jobs)
    status = replace(snapshot.status, predictions=(moved,))
    said = {
        120: "waits for its turn; 2 h later than said 1 d ago",
        80: "2 h later; waits for its turn",
    }
    for width, text in said.items():
        async with opened(replace(snapshot, status=status), (width, 24)) as pilot:
            await pilot.press("Q")
            await pilot.pause()
            shown = rows(pilot)
            assert text in shown[1]
            assert "no prediction" in shown[2]


@pytest.mark.parametrize(
    ("snapshot", "text"),
    [
        (HEALTHY, 'not asked: "trainwatch watch" does, where [runs.slurm] has'),
        (queued(), "no job of this run is in the queue"),
        (queued(why="slurm_load_jobs error: Socket timed out"), "unknown: slurm_load_jobs error"),
    ],
)
async def test_nothing_to_list(snapshot: Snapshot, text: str) -> None:
    async with opened(snapshot, (80, 24)) as pilot:
        await pilot.press("Q")
        await pilot.pause()
        assert text in rows(pilot)[0]


MAINTENANCE = Reservation(
    name="m", start=NOW + 5 * HOUR_S, end=NOW + 9 * HOUR_S, nodes="r1i0n[0-7]", node_count=8
)


@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=str)
async def test_a_chain_is_a_tree_and_what_it_waits_for_is_named(size: tuple[int, int]) -> None:
    after = replace(HELD, job_id="682901", reason="Dependency", dependency="afterany:682842_*")
    last = replace(after, job_id="682902", dependency="afternotok:682901(unfulfilled)")
    async with opened(queued(last, after, NEXT, RUNNING), size) as pilot:
        await pilot.press("Q")
        await pilot.pause()
        shown = [line[1:18].rstrip(" …") for line in rows(pilot)[1:]]
        assert shown == ["682842_3", "└ 682842_[4-10%1]"[:17], "  └ 682901", "    └ 682902"]
        assert "starts after 682842 ends" in rows(pilot)[3]
        assert "starts after 682901 fails" in rows(pilot)[4]


@pytest.mark.parametrize("size", [(80, 24), (200, 50)], ids=str)
async def test_a_maintenance_is_shown_under_the_jobs(size: tuple[int, int]) -> None:
    snapshot = queued(RUNNING, past=BEFORE)
    assert snapshot.status.queue is not None
    reading = replace(snapshot.status.queue, maintenance=(MAINTENANCE,))
    status = replace(snapshot.status, queue=reading)
    async with opened(replace(snapshot, status=status), size) as pilot:
        await pilot.press("Q")
        await pilot.pause()
        assert rows(pilot)[2].startswith(" maintenance from ")
        assert ("on 8 nodes: jobs whose limit" in rows(pilot)[2]) or size[0] == 80


async def test_no_key_is_offered_that_does_nothing_here() -> None:
    async with opened(queued(RUNNING), (120, 30)) as pilot:
        await pilot.press("T")
        await pilot.pause()
        assert "show in log" in text_of(pilot).splitlines()[-1]
        await pilot.press("Q")
        await pilot.pause()
        assert "show in log" not in text_of(pilot).splitlines()[-1]
        assert "? help" in text_of(pilot).splitlines()[-1]


async def test_a_hostile_queue() -> None:
    jobs, past = list[Job](), list[Allocation]()
    for text in HOSTILE:
        job = Job(
            job_id=text, name=text, state=text, reason=text, nodes=(text,) * 3, start=math.inf
        )
        jobs += [job, replace(job, state="RUNNING", time_limit_s=math.nan)]
        jobs += [replace(job, dependency=f"afterok:{text}", reason="Dependency", submit=math.nan)]
        end = Allocation(job_id=text, start=-math.inf, end=1e308, nodes=text, state=text)
        past.append(replace(end, exit_code=text, reason=text))
    snapshot = queued(*jobs, past=tuple(past))
    async with opened(snapshot, (100, 30)) as pilot:
        shown = []
        await pilot.press("Q", "z")  # the whole screen: all rows in two pages
        for key in ("home", "end"):
            await pilot.press(key)
            await pilot.pause()
            shown.append(text_of(pilot))
        pilot.app.export_screenshot()
        assert pilot.app.is_running
        assert len(part(pilot, Queue).render().plain.splitlines()) > 20
        assert [c for c in "".join(shown).replace("\n", "") if not c.isprintable()] == []
