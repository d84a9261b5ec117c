"""Rows of many runs: made of statuses, judged from outside, sorted, found, grouped and added up."""

import math

import pytest
from msgspec.structs import replace

from trainwatch.core import fleet
from trainwatch.core.fleet import BY_KEY, GROUPINGS, SORTS, grouped, matching, ordered, totals
from trainwatch.core.model.fleet import Firing, FleetRow, Group, Turn
from trainwatch.core.model.observations import Job, QueueReading
from trainwatch.core.model.status import Alert, AttemptStatus, CheckpointStatus, Status

NOW = 1_773_277_380.0
WELL = Status(run="tr11", health="ok", reason="training", phase="train", heartbeat_at=NOW - 5)
ROW = FleetRow(key="a", run="a", health="ok", why="training", heartbeat_at=NOW)
STALL = Firing(severity="critical", rule="stall")
SLOW = Firing(severity="warning", rule="slow-node")


def rows(**values: object) -> list[FleetRow]:
    """A run by each name; a value for each, in order."""
    names = [chr(ord("a") + n) for n in range(len(next(iter(values.values()))))]  # type: ignore[arg-type]
    made = [replace(ROW, key=name, run=name) for name in names]
    for key, each in values.items():
        made = [replace(row, **{key: v}) for row, v in zip(made, each, strict=True)]  # type: ignore[call-overload]
    return made


def names(found: list[FleetRow]) -> str:
    return "".join(row.run for row in found)


def job(job_id: str, state: str, **values: object) -> Job:
    return Job(job_id=job_id, name="tr11", state=state, **values)  # type: ignore[arg-type]


RUNS = job("1", "RUNNING", start=NOW - 3600, time_limit_s=7200.0, user="ada")
WAITS = job("2", "PENDING", start=NOW + 9000, reason="Priority", user="ada")
HELD = job("3", "PENDING", reason="JobHeldUser")
NONE, UNKNOWN = Turn(word="none"), Turn(word="unknown")
T_RUNS = Turn(word="runs", at=NOW + 3600, job_id="1")
T_WAITS = Turn(word="waits", at=NOW + 9000, job_id="2")
T_HELD = Turn(word="held", job_id="3")


@pytest.mark.parametrize(
    ("jobs", "turn", "successor"),
    [
        ((), NONE, NONE),
        ((RUNS,), T_RUNS, NONE),
        ((WAITS, RUNS), T_RUNS, T_WAITS),
        ((HELD, RUNS), T_RUNS, T_HELD),
        ((HELD, WAITS, RUNS), T_RUNS, T_WAITS),
        ((WAITS,), T_WAITS, NONE),
        ((HELD, WAITS), T_WAITS, T_HELD),
        ((HELD,), T_HELD, NONE),
        ((replace(RUNS, end=NOW + 60),), replace(T_RUNS, at=NOW + 60), NONE),
        ((replace(RUNS, time_limit_s=None),), replace(T_RUNS, at=None), NONE),
        ((replace(WAITS, start=math.nan),), replace(T_WAITS, at=None), NONE),
    ],
)
def test_a_place_in_the_queue(jobs: tuple[Job, ...], turn: Turn, successor: Turn) -> None:
    status = replace(WELL, queue=QueueReading(at=NOW, state="ok", jobs=jobs))
    row = fleet.row_of("k", status)
    assert (row.queue, row.successor) == (turn, successor)


def test_a_queue_that_is_not_asked_or_does_not_answer() -> None:
    assert (fleet.row_of("k", WELL).queue, fleet.row_of("k", WELL).successor) == (None, None)
    silent = replace(WELL, queue=QueueReading(at=NOW, state="unknown", jobs=(RUNS,), why="timeout"))
    assert fleet.row_of("k", silent).queue == UNKNOWN
    assert fleet.row_of("k", silent).successor == UNKNOWN


def test_a_row_of_a_status() -> None:
    status = replace(
        WELL,
        progress=math.nan,
        eta_s=math.inf,
        loss=1.9,
        attempts=(AttemptStatus(index=0, end="completed"),),
        checkpoint=CheckpointStatus(iteration=400, at=NOW - 60),
        alerts=(
            Alert(rule="slow-node", severity="warning", since=0, summary="", muted="silenced"),
            Alert(rule="stall", severity="critical", since=0, summary=""),
            Alert(rule="odd", severity="?", since=0, summary=""),
        ),
    )
    row = fleet.row_of("k", status, "BigScience", "ada")
    assert (row.key, row.run, row.project, row.user) == ("k", "tr11", "BigScience", "ada")
    assert (row.progress, row.eta_s, row.loss) == (None, None, 1.9)
    assert (row.done, row.saved_iteration, row.saved_at) == (True, 400, NOW - 60)
    assert [alert.rule for alert in row.alerts] == ["stall", "slow-node", "odd"]
    assert (row.criticals, row.warnings, row.alerts[1].muted) == (1, 1, "silenced")


def test_whose_jobs_run_counts_more_than_who_is_configured() -> None:
    status = replace(WELL, queue=QueueReading(at=NOW, state="ok", jobs=(HELD, RUNS)))
    assert fleet.row_of("k", status, user="eve").user == "ada"


def test_a_health_nobody_knows_is_unknown() -> None:
    assert fleet.row_of("k", replace(WELL, health="splendid")).health == "unknown"


@pytest.mark.parametrize(
    ("heartbeat_at", "published_s", "expected"),
    [
        (NOW - 300, None, ("ok", "training")),
        (NOW - 301, None, ("unknown", "watcher silent for 5 min (it said: ok)")),
        (NOW - 7380, None, ("unknown", "watcher silent for 2 h 3 min (it said: ok)")),
        (NOW - 7380, 8000.0, ("ok", "training")),
        (NOW + 400, None, ("unknown", "its watcher's clock is 6 min ahead (it said: ok)")),
        (None, None, ("unknown", "nobody says when its watcher last looked (it said: ok)")),
    ],
)
def test_silence_is_never_health(
    heartbeat_at: float | None, published_s: float | None, expected: tuple[str, str]
) -> None:
    row = replace(ROW, heartbeat_at=heartbeat_at, silent_after_s=published_s, eta_s=60.0)
    seen = fleet.judged(row, NOW)
    assert (seen.health, seen.why) == expected
    assert (seen.eta_s is None) == (expected[0] == "unknown")


# how, what it is sorted by, the order, and the order turned round
SORTED = [
    ("worst", {"health": ["ok", "unknown", "warning", "critical"]}, "dcba", "abcd"),
    ("worst", {"health": ["unknown"] * 2, "done": [True, False]}, "ba", "ab"),
    ("worst", {"alerts": [(), (SLOW,), (STALL,), (STALL, STALL)]}, "dcba", "abcd"),
    ("run", {"run": ["x-10", "X-9", "a"]}, "ax-9x-10", "x-10x-9a"),
    ("iteration", {"iteration": [1, None, 3]}, "cab", "acb"),
    ("progress", {"progress": [0.1, 0.2, None]}, "bac", "abc"),
    ("step", {"step_time_s": [1.0, 3.0, None]}, "bac", "abc"),
    ("tflops", {"tflops": [1.0, None, 3.0]}, "cab", "acb"),
    ("loss", {"loss": [1.0, None, 3.0], "loss_is_nan": [False, True, False]}, "bca", "acb"),
    ("eta", {"eta_s": [9.0, None, 3.0]}, "cab", "acb"),
    ("last", {"last_progress_at": [9.0, None, 3.0]}, "cab", "acb"),
    ("alerts", {"alerts": [(), (SLOW, SLOW), (STALL,)]}, "cba", "abc"),
    ("queue", {"queue": [T_RUNS, T_HELD, None, NONE, T_WAITS]}, "bdeac", "aedbc"),
    ("next", {"successor": [T_WAITS, NONE, None]}, "bac", "abc"),
    ("saved", {"saved_at": [9.0, None, 3.0]}, "cab", "acb"),
    ("risk", {"hours_at_risk": [1.0, None, 3.0]}, "cab", "acb"),
    ("project", {"project": ["p10", "", "P9"]}, "cab", "acb"),
    ("user", {"user": ["", "eve", "ada"]}, "cba", "bca"),
]


@pytest.mark.parametrize(("sort", "values", "expected", "turned"), SORTED)
def test_sorting(sort: str, values: dict[str, object], expected: str, turned: str) -> None:
    made = rows(**values)
    assert names(ordered(made, sort)).casefold() == expected
    assert names(ordered(made, sort, turned=True)).casefold() == turned


def test_every_way_to_sort_is_tested_and_takes_a_row_of_which_nothing_is_known() -> None:
    assert {sort for sort, *_ in SORTED} == BY_KEY.keys()
    bare = [FleetRow(key="x", run=""), FleetRow(key="y", run="")]
    for sort in SORTS:
        assert [row.key for row in ordered(bare, sort.key)] == ["x", "y"]


def test_ties_are_in_order_of_names_either_way() -> None:
    made = rows(iteration=[5, 5, 5])
    assert names(ordered(reversed(made), "iteration")) == "abc"
    assert names(ordered(reversed(made), "iteration", turned=True)) == "abc"


@pytest.mark.parametrize("name", ["", "9" * 5000, "²", "٣", "\x00", "a" * 10_000, "-1"])
def test_any_name_can_be_sorted(name: str) -> None:
    made = [replace(ROW, key="x", run=name), replace(ROW, key="y", run="run-1")]
    assert len(ordered(made, "run")) == 2


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("", "abc"),
        ("  ", "abc"),
        ("TR11", "a"),
        ("ada", "ab"),
        ("ada tr8", "b"),
        ("llama", "c"),
        ("critical", "b"),
        ("stall", "b"),
        ("runs", "a"),
        ("evaluate", "b"),
        ("[", ""),
        ("(?P<x", ""),
        ("*", ""),
    ],
)
def test_finding(text: str, expected: str) -> None:
    made = [
        replace(ROW, key="a", run="tr11", user="Ada", queue=T_RUNS),
        replace(
            ROW,
            key="b",
            run="tr8",
            user="ada",
            health="critical",
            phase="evaluate",
            alerts=(STALL,),
        ),
        replace(ROW, key="c", run="x", project="Llamas"),
    ]
    assert "".join(row.key for row in matching(made, text)) == expected


def test_groups_stand_in_order_of_their_first_run() -> None:
    made = rows(project=["P", "Q", "P", ""], gpus=[8, 16, None, 4])
    entries = grouped(made, "project")
    told = [e.name if isinstance(e, Group) else e.run for e in entries]
    assert told == ["P", "a", "c", "Q", "b", "", "d"]
    first = entries[0]
    assert isinstance(first, Group)
    assert (first.totals.runs, first.totals.gpus) == (2, 8)
    assert grouped(made, "") == made
    assert GROUPINGS == ("", "project", "user")


def test_totals() -> None:
    made = rows(
        health=["ok", "critical", "unknown"],
        gpus=[8, None, 16],
        done=[False, False, True],
        alerts=[(), (STALL, SLOW), ()],
        gpu_hours_at_risk=[1.5, None, 2.0],
    )
    together = totals(made)
    assert together.health == {"critical": 1, "warning": 0, "unknown": 1, "ok": 1}
    assert (together.runs, together.gpus, together.gpu_hours_at_risk) == (3, 8, 3.5)
    assert (together.criticals, together.warnings) == (1, 1)
    assert totals([]).runs == 0


NAN = math.nan


@pytest.mark.parametrize(
    ("step_times", "batches", "bins", "expected"),
    [
        ([], [], 4, ()),
        ([2.0] * 4, [8.0] * 4, 2, (4.0, 4.0)),
        ([2.0, 4.0], [8.0, 8.0], 4, (4.0, 2.0)),
        ([2.0, 4.0], [NAN, NAN], 2, (0.5, 0.25)),
        ([2.0, NAN, 0.0, -1.0], [8.0] * 4, 2, (4.0, NAN)),
        ([2.0, 2.0], [8.0, NAN], 2, (4.0, NAN)),
        ([1.0] * 5, [1.0] * 5, 2, (1.0, 1.0)),
    ],
)
def test_speeds(
    step_times: list[float], batches: list[float], bins: int, expected: tuple[float, ...]
) -> None:
    assert fleet.speeds(step_times, batches, bins) == pytest.approx(expected, nan_ok=True)
