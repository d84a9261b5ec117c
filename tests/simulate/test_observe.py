"""What a watcher would have observed of a simulated run."""

import msgspec

from tests.simulate.telling import folded, read, simulated
from trainwatch.core.model.observations import (
    CheckpointReading,
    DiskReading,
    LogChunk,
    Observation,
    QueueReading,
    WatcherReading,
)
from trainwatch.simulate.happenings import Broke, Healed, Observed, Present, Wrote
from trainwatch.simulate.observe import Observer
from trainwatch.simulate.scenarios import SCENARIOS

RUN = simulated(msgspec.structs.replace(SCENARIOS["crash-and-restart"], iterations=320))


def observed() -> list[LogChunk | QueueReading | CheckpointReading]:
    observer = Observer()
    return [
        seen
        for happening in RUN.happened
        for seen in observer.see(happening)
        if isinstance(seen, LogChunk | QueueReading | CheckpointReading)
    ]


def test_the_chunks_are_the_log() -> None:
    chunks = [seen for seen in observed() if isinstance(seen, LogChunk)]
    assert b"".join(chunk.data for chunk in chunks) == RUN.log
    offsets = [chunk.offset for chunk in chunks]
    assert offsets == [sum(len(c.data) for c in chunks[:n]) for n in range(len(chunks))]
    assert all(chunk.live for chunk in chunks)


def test_a_checkpoint_is_listed_from_its_first_shard_and_complete_when_it_is() -> None:
    listed = [seen for seen in observed() if isinstance(seen, CheckpointReading)]
    said = [
        (reading.latest, reading.found[-1].name, reading.found[-1].complete) for reading in listed
    ]
    assert said == [
        (None, "global_step100", False),
        ("global_step100", "global_step100", True),
        ("global_step100", "global_step200", False),
        ("global_step200", "global_step200", True),
        ("global_step200", "global_step300", False),
        ("global_step300", "global_step300", True),
    ]
    whole = listed[-1].found[-1]
    assert whole.bytes == round(14 * RUN.scenario.parameters)
    assert (listed[-2].found[-1].bytes or 0) < whole.bytes


def test_live_and_afterwards_come_to_the_same() -> None:
    live, afterwards = folded(observed()), read(RUN.log)
    for name in ("iteration", "attempt", "loss", "step_time_s", "global_batch_size"):
        assert live.column(name) == afterwards.column(name)
    assert live.state.facts == afterwards.state.facts
    assert [a.tally for a in live.state.attempts] == [a.tally for a in afterwards.state.attempts]
    assert live.state.save.count == afterwards.state.save.count
    assert live.state.queue is not None
    assert live.state.queue.jobs[0].state == "RUNNING"
    assert live.state.checkpoints is not None
    assert live.state.checkpoints.latest == "global_step300"


def test_what_was_observed_is_handed_on_and_the_truth_is_not() -> None:
    observer, disk = Observer(), DiskReading(at=5.0, path="scratch", bytes_free=1)
    assert list(observer.see(Observed(5.0, disk))) == [disk]
    assert list(observer.see(Broke(5.0, "disk-full", "scratch"))) == []
    assert list(observer.see(Healed(5.0, "disk-full", "scratch"))) == []


def test_what_was_there_before_is_listed() -> None:
    scenario = msgspec.structs.replace(SCENARIOS["evaluation-hang"], iterations=44_710)
    happened = simulated(scenario).happened
    present = [h for h in happened if isinstance(h, Present)]
    assert [h.checkpoint.iteration for h in present] == [44_600, 44_700]
    observer = Observer()
    readings = [seen for h in present for seen in observer.see(h)]
    last = readings[-1]
    assert isinstance(last, CheckpointReading)
    assert last.latest == "global_step44700"
    assert [found.complete for found in last.found] == [True, True]


def test_a_blind_watcher_reads_afterwards_what_it_missed() -> None:
    observer = Observer()
    seen = list[Observation]()
    for happening in (
        Wrote(1.0, b"a\n"),
        Observed(2.0, WatcherReading(at=2.0, blind="Permission denied")),
        Wrote(3.0, b"b\n"),
        Wrote(4.0, b"c\n"),
        Observed(5.0, WatcherReading(at=5.0)),
        Wrote(6.0, b"d\n"),
    ):
        seen.extend(observer.see(happening))
    chunks = [(c.at, c.data, c.offset, c.live) for c in seen if isinstance(c, LogChunk)]
    assert chunks == [(1.0, b"a\n", 0, True), (5.0, b"b\nc\n", 2, False), (6.0, b"d\n", 6, True)]
