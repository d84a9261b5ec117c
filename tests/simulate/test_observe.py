"""What a watcher would have observed of a simulated run."""

import msgspec

from tests.simulate.telling import folded, read, simulated
from trainwatch.core.model.observations import CheckpointReading, LogChunk, QueueReading
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
