"""Whatever is observed, in whatever order, with whatever numbers: nothing raises."""

import math

from hypothesis import given
from hypothesis import strategies as st

from tests.core.judging import T0, Judged
from tests.core.logs.making import iteration
from tests.core.test_properties import logs
from trainwatch.adapters.store.files import encode_exactly
from trainwatch.core.model.observations import (
    AlertRequest,
    Checkpoint,
    CheckpointReading,
    DiskReading,
    Job,
    LogChunk,
    Observation,
    QueueReading,
    ScriptReading,
    SyncReading,
    WatcherReading,
)
from trainwatch.core.rules.table import RULES

MOST_BYTES = 64 * 1024
STARTUP = "using world size: 16, data-parallel-size: 1, tensor-model-parallel size: 4"

times = st.one_of(
    st.floats(T0, T0 + 1e5),
    st.sampled_from([0.0, -1e9, T0, T0 + 1e5, 1e11, 1e18, 1e300]),
)
maybe_times = st.one_of(st.none(), times)
sizes = st.one_of(st.none(), st.sampled_from([0, 1, -1, 10**12, 2**53]))
names = st.sampled_from(["", "a", "7_1", "global_step100", "x" * 300, "\x1b[2J\n", "ä\ud7ff"])
words = st.one_of(names, st.text(max_size=20))
jobs = st.builds(
    Job,
    job_id=words,
    name=words,
    state=st.sampled_from(["RUNNING", "PENDING", "COMPLETING", "", "??"]),
    reason=st.sampled_from(["", "Priority", "JobHeldUser", "x" * 300]),
    nodes=st.lists(names, max_size=3).map(tuple),
    time_limit_s=maybe_times,
    start=maybe_times,
)
checkpoints = st.builds(
    Checkpoint,
    name=words,
    iteration=st.one_of(st.none(), st.integers(-1, 50), st.just(2**53)),
    bytes=sizes,
    files=sizes,
    complete=st.sampled_from([None, True, False]),
    mtime=maybe_times,
    atime=maybe_times,
)
readings = st.one_of(
    st.builds(
        QueueReading,
        at=times,
        state=st.sampled_from(["ok", "ok", "unknown"]),
        jobs=st.lists(jobs, max_size=4).map(tuple),
        why=words,
    ),
    st.builds(
        CheckpointReading,
        at=times,
        latest=st.one_of(st.none(), names),
        found=st.lists(checkpoints, max_size=4).map(tuple),
    ),
    st.builds(
        DiskReading,
        at=times,
        path=names,
        bytes_total=sizes,
        bytes_free=sizes,
        inodes_total=sizes,
        inodes_free=sizes,
    ),
    st.builds(
        SyncReading,
        at=times,
        route=names,
        ok=st.booleans(),
        last_ok_at=maybe_times,
        permanent=st.booleans(),
        why=words,
    ),
    st.builds(
        ScriptReading,
        at=times,
        script=names,
        exit_code=st.sampled_from([None, 0, 1, -9]),
        took_s=maybe_times,
        why=words,
    ),
    st.builds(WatcherReading, at=times, blind=words),
    st.builds(
        AlertRequest,
        at=times,
        ask=st.sampled_from(["ack", "silence", "unmute"]),
        rule=st.sampled_from(["", *(rule.name for rule in RULES)]),
        key=names,
        until=maybe_times,
    ),
)
chunks = st.builds(LogChunk, at=times, path=st.just("log"), data=logs, live=st.booleans())
looks = times.map(lambda at: at)
streams = st.lists(st.one_of(chunks, readings, looks), max_size=20)


def test_the_memory_stays_small_whatever_comes_for_long() -> None:
    """Days of torn lines, crashes, hundreds of held jobs and nodes, every disk and script failing."""
    run = Judged()
    nodes = tuple(f"r{n // 10}i{n % 10}n0" for n in range(400))
    held = [
        Job(job_id=f"7_{n}", name="run", state="PENDING", reason="JobHeldUser") for n in range(500)
    ]
    for hour in range(60):
        job = Job(job_id=f"{hour}", name="run", state="RUNNING", nodes=nodes, start=run.at)
        run.queue(job, *held)
        run.read([STARTUP, *(iteration(n, grad_norm="inf") for n in range(hour, hour + 60))])
        run.read(["x" * 100_000, f"[r1i0n0]: RuntimeError: {'y' * 5_000}"])
        run.see(DiskReading(at=run.at, path="scratch", bytes_total=10**14, bytes_free=10**9))
        run.see(ScriptReading(at=run.at, script="du", exit_code=None, why="z" * 1_000))
        run.see(SyncReading(at=run.at, route="hub", ok=False, why="w" * 1_000))
        run.wait(3600.0)
    assert len(encode_exactly(run.memory)) < MOST_BYTES


@given(stream=streams)
def test_nothing_raises_and_a_life_can_be_kept(stream: list[Observation | float]) -> None:
    run = Judged()
    for seen in stream:
        if isinstance(seen, float):
            run.judge.pass_time(run.state, seen)
        else:
            run.see(seen)
    kept = run.memory
    assert run.reborn().memory == kept or "nan" in encode_exactly(kept).decode()
    assert all(math.isfinite(change.at) for change in run.changes)
