"""What is no log, taken into the memory: the queue, disks, checkpoints, our own deeds, and what people ask.

The trap: foreign words are kept without secrets, for they go to disk, screens and people.
"""

from msgspec.structs import replace

from trainwatch.core import muting
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.observations import (
    AccountingReading,
    AlertRequest,
    CheckpointReading,
    DeedReading,
    DiskReading,
    Observation,
    ProcessReading,
    QueueReading,
    ScriptReading,
    SyncReading,
    WatcherReading,
)
from trainwatch.core.model.state import RunState
from trainwatch.core.redact import redact
from trainwatch.core.senses.processes import ProcessSense


def take(memory: Memory, seen: Observation, state: RunState) -> None:
    """Take what was observed of the world; `state` is that after it."""
    match seen:
        case QueueReading():
            memory.queue.take(seen)
            memory.deeds.heed(seen, memory.book)
        case AccountingReading():
            memory.queue.account(seen)
        case CheckpointReading():
            named = [c.iteration for c in seen.found if c.name == seen.latest]
            memory.tracker = named[0] if named and named[0] is not None else memory.tracker
        case DiskReading():
            memory.disks.take(seen)
        case ProcessReading():
            _take_processes(memory, seen, state)
        case _:
            _take_ours(memory, seen)


def _take_processes(memory: Memory, seen: ProcessReading, state: RunState) -> None:
    if seen.began_at != memory.processes.began_at:
        memory.processes = ProcessSense(began_at=seen.began_at)
    memory.processes.take(seen)
    memory.crash.take(state, seen.at, moved=memory.pace.iteration_at is not None)


def _take_ours(memory: Memory, seen: Observation) -> None:
    """Take what we did, how we are, and what people ask of us."""
    match seen:
        case SyncReading():
            memory.hands.synced(replace(seen, why=redact(seen.why)))
        case ScriptReading():
            memory.hands.ran(replace(seen, why=redact(seen.why), how=redact(seen.how)))
        case WatcherReading():
            memory.hands.looked(seen)
        case DeedReading():
            memory.deeds.take(replace(seen, detail=redact(seen.detail)))
        case AlertRequest(ask="apply"):
            memory.deeds.asked(seen)
        case AlertRequest():
            memory.book = muting.asked(memory.book, seen)
