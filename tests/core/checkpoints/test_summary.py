"""What a status says of checkpoints: how each stands, every one of a plan once, and never more than fits."""

import msgspec
import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.core.checkpoints.making import DAY_S, NOW, deepspeed
from trainwatch.core import retention
from trainwatch.core.checkpoints.summary import MOST_ROWS, MOST_TICKS, NEWEST_ROWS, summary
from trainwatch.core.model.housekeeping import CheckpointsStatus
from trainwatch.core.model.observations import Checkpoint, CheckpointReading
from trainwatch.core.model.policies import Policy
from trainwatch.core.model.state import Attempt, Row, RunState
from trainwatch.core.model.status import Status
from trainwatch.core.retention import Pinned
from trainwatch.core.rules.settings import PurgeRisk

MONTH = PurgeRisk(purge_after_days=30)
KEPT = Checkpoint(
    name="global_step10",
    iteration=10,
    bytes=100,
    complete=True,
    mtime=NOW - DAY_S,
    atime=NOW - DAY_S,
    state="complete",
    keeps="one of the last 2",
)


def of(*found: Checkpoint, purge: PurgeRisk = MONTH, **more: object) -> CheckpointsStatus:
    reading = CheckpointReading(at=NOW, found=found, **more)  # type: ignore[arg-type]
    made = summary(RunState(run="run", checkpoints=reading), purge, None, None, NOW)
    assert made is not None
    return made


@pytest.mark.parametrize(
    ("changed", "mark", "purge_at"),
    [
        ({}, "kept", NOW + 29 * DAY_S),
        ({"atime": NOW - 22.9 * DAY_S}, "kept", NOW + 7.1 * DAY_S),
        ({"atime": NOW - 23.1 * DAY_S}, "at-risk", NOW + 6.9 * DAY_S),
        ({"atime": NOW - 40 * DAY_S}, "at-risk", NOW - 10 * DAY_S),
        ({"atime": None}, "kept", None),
        ({"keeps": "", "goes": "no policy keeps it"}, "goes", NOW + 29 * DAY_S),
        ({"goes": "no policy keeps it", "atime": 1.0}, "goes", 1.0 + 30 * DAY_S),
        ({"complete": False, "state": "writing"}, "writing", None),
        ({"complete": False, "state": "partial"}, "partial", None),
        ({"complete": None, "state": "unknown"}, "partial", None),
        ({"complete": False, "state": "", "mtime": NOW - 60}, "writing", None),  # a recording's
        ({"complete": False, "state": "", "mtime": NOW - 7200}, "partial", None),
        ({"complete": None, "state": ""}, "partial", None),
    ],
)
def test_how_a_checkpoint_stands(
    changed: dict[str, object], mark: str, purge_at: float | None
) -> None:
    (row,) = of(replace(KEPT, **changed)).rows
    assert row.mark == mark
    assert row.purge_at == (None if purge_at is None else pytest.approx(purge_at))


def test_without_a_site_that_purges_nothing_is_at_risk() -> None:
    (row,) = of(replace(KEPT, atime=1.0), purge=PurgeRisk()).rows
    assert (row.mark, row.purge_at) == ("kept", None)


def test_what_is_said_of_all_of_them() -> None:
    seen = deepspeed({10: 28 * DAY_S, 20: 27 * DAY_S, 30: 26 * DAY_S, 40: DAY_S, 50: 1.0}, 50)
    made = retention.plan("/root", seen, Policy(last=2), Pinned(in_use={20: "in use"}))
    reading = retention.told(seen.reading(), made)
    state = RunState(
        run="run",
        checkpoints=replace(reading, prunable_bytes=made.freed_bytes, policy="the last 2"),
        attempts=(Attempt(index=0, loaded_iteration=20),),
        open=Row(iteration=57, attempt=0, format="", time=None, values={}),
    )
    told = summary(state, MONTH, 3600.0, 10, NOW)
    assert told is not None
    assert [(r.iteration, r.mark, r.loaded, r.tracked, r.why) for r in told.rows] == [
        (50, "kept", False, True, "one of the last 2; the newest complete one; latest names it"),
        (40, "kept", False, False, "one of the last 2"),
        (30, "goes", False, False, "no policy keeps it"),
        (20, "at-risk", True, False, "in use"),
        (10, "goes", False, False, "no policy keeps it"),
    ]
    assert [(t.first, t.last, t.marks) for t in told.ticks][:2] == [
        (10, 10, {"goes": 1}),
        (20, 20, {"at-risk": 1}),
    ]
    assert (told.count, told.complete, told.bytes, told.goes) == (5, 5, 10_000, 2)
    assert (told.prunable_bytes, told.policy) == (4000, "the last 2")
    assert (told.period_s, told.next_save) == (3600.0, 60)


def test_where_no_interval_is_known_the_saves_tell_how_often() -> None:
    times = (0.0, 100.0, 210.0, 310.0, 5000.0)
    found = [
        replace(KEPT, name=f"global_step{n}", iteration=n, mtime=NOW + at)
        for n, at in enumerate(times)
    ]
    assert of(*found).period_s == 105.0


def test_of_thousands_those_are_listed_that_one_asks_about() -> None:
    goes = replace(KEPT, keeps="", goes="no policy keeps it")
    found = [replace(goes, name=f"global_step{n}", iteration=n) for n in range(5000)]
    found[7] = replace(found[7], goes="", keeps="a milestone")
    found[8] = replace(found[8], complete=False, goes="", state="partial")
    found[9] = replace(found[9], goes="", keeps="a milestone", atime=NOW - 25 * DAY_S)
    made = of(*found, latest="global_step3")
    assert len(made.rows) == MOST_ROWS
    listed = [row.iteration for row in made.rows]
    assert listed == sorted(listed, key=lambda n: -(n or 0))
    assert listed[:NEWEST_ROWS] == [*range(4999, 4999 - NEWEST_ROWS, -1)]
    assert listed[-4:] == [9, 8, 7, 3]
    assert len(msgspec.json.encode(made)) < 40_000


def _plans() -> st.SearchStrategy[tuple[set[int], int, set[int]]]:
    iterations = st.sets(st.integers(0, 200_000), min_size=1, max_size=600)
    return st.tuples(iterations, st.integers(2, 20), st.sets(st.integers(0, 200_000), max_size=3))


@given(_plans())
def test_every_checkpoint_of_a_plan_is_in_the_timeline_once(
    drawn: tuple[set[int], int, set[int]],
) -> None:
    iterations, last, used = drawn
    seen = deepspeed(dict.fromkeys(sorted(iterations), 5 * DAY_S), latest=max(iterations))
    pinned = Pinned(in_use=dict.fromkeys(used, "used"))
    made = retention.plan("/root", seen, Policy(last=last, every=1000), pinned)
    told = of(*retention.told(seen.reading(), made).found)
    marks = [(mark, n) for tick in told.ticks for mark, n in tick.marks.items()]
    assert sum(n for mark, n in marks if mark == "goes") == len(made.remove) == told.goes
    assert sum(n for mark, n in marks if mark != "goes") == len(made.keep)
    assert len(told.ticks) <= MOST_TICKS
    assert len(told.rows) == min(len(iterations), MOST_ROWS)
    for tick, after in zip(told.ticks, [*told.ticks[1:], None], strict=True):
        within = [n for n in iterations if tick.first <= n <= tick.last]
        assert len(within) == sum(tick.marks.values())
        assert after is None or tick.last < after.first


def test_a_status_of_an_older_watcher_is_read() -> None:
    status = msgspec.json.decode(b'{"run": "tr11", "health": "ok"}', type=Status)
    assert (status.checkpoints, status.syncs, status.troubles) == (None, (), {})
