"""What the fold keeps beside iterations: events, observations, the state before it."""

import pytest

from tests.core.folding import NOW, Run
from tests.core.run.logged import DONE, DUMP, STARTED, trained
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.observations import (
    Checkpoint,
    CheckpointReading,
    DiskReading,
    Job,
    LogChunk,
    Observation,
    QueueReading,
)
from trainwatch.core.model.state import RunState
from trainwatch.core.run import Reader


def test_events_know_the_place_of_their_line() -> None:
    lines = [*trained(1, 2), "words", STARTED.format(2)]
    run = Run(lines)
    data = "".join(f"{line}\n" for line in lines)
    started = next(e for e in run.events if e.kind == "save-started")
    assert started.offset == data.index("saving checkpoint")
    assert started.iteration == 2
    run.read([DONE.format(2)])
    done = next(e for e in run.events if e.kind == "saved")
    assert done.offset == len(data)


def test_what_an_attempt_began_from() -> None:
    loaded = "  successfully loaded checkpoint from /ckpt at iteration 100"
    run = Run([*DUMP, loaded, *trained(101, 103)])
    assert run.attempts[0].loaded_iteration == 100
    assert run.status().iterations_at_risk == 3
    fresh = Run(
        [*DUMP, "    will not load any checkpoints and will start from random", *trained(1, 3)]
    )
    assert fresh.attempts[0].fresh_weights
    assert "fresh-weights" in fresh.kinds()


OBSERVATIONS: list[tuple[str, Observation]] = [
    ("queue", QueueReading(at=5.0, state="ok", jobs=(Job(job_id="1", name="a", state="RUNNING"),))),
    ("queue", QueueReading(at=6.0, state="unknown", why="Socket timed out")),
    ("checkpoints", CheckpointReading(at=7.0, latest="x", found=(Checkpoint(name="x"),))),
]


@pytest.mark.parametrize(("field", "seen"), OBSERVATIONS)
def test_other_observations_are_kept(field: str, seen: Observation) -> None:
    before = Run(trained(1, 3)).state
    step = Reader(Scanner()).advance(before, seen)
    assert getattr(step.state, field) == seen
    assert step.state.seen_at == seen.at
    assert (step.rows.rows, step.events, step.state.open) == (0, (), before.open)


def test_disks_are_kept_by_path() -> None:
    reader, state = Reader(Scanner()), RunState(run="a run")
    for path, free in (("scratch", 1), ("home", 2), ("scratch", 3)):
        state = reader.advance(state, DiskReading(at=1.0, path=path, bytes_free=free)).state
    assert {path: disk.bytes_free for path, disk in state.disks.items()} == {
        "scratch": 3,
        "home": 2,
    }


def test_a_state_is_not_changed_by_what_comes_after_it() -> None:
    run = Run([*DUMP, *trained(1, 5)])
    before, kept = (
        run.state,
        (run.state.open, run.state.attempts[0].tally, run.state.counters.records),
    )
    run.read([*trained(6, 9), STARTED.format(9), "ValueError: x"])
    assert (before.open, before.attempts[0].tally, before.counters.records) == kept


def test_an_empty_chunk_changes_nothing_but_the_time() -> None:
    run = Run(trained(1, 3))
    before = run.state
    step = Reader(Scanner()).advance(before, LogChunk(at=NOW + 9, path="main_log.txt", data=b""))
    assert step.state.seen_at == NOW + 9
    assert (step.state.open, step.state.attempts, step.events) == (before.open, before.attempts, ())


@pytest.mark.parametrize(
    "keep", [(), ("iteration",), ("iteration", "step_time_s", "flags", "attempt", "at_s")]
)
def test_only_the_wanted_columns_are_handed_out(keep: tuple[str, ...]) -> None:
    data = "".join(f"{line}\n" for line in trained(1, 30)).encode()
    chunk = LogChunk(at=NOW, path="x", data=data, live=True)
    step = Reader(Scanner(), keep=keep).advance(RunState(run="a run"), chunk)
    assert set(step.rows.data) == set(keep)
    assert step.state.rows == 29
    assert step.rows.rows == (29 if keep else 0)
