"""What is no log -> run state: the newest answer of each kind, and the allocations that answers add up to."""

from msgspec.structs import replace

from trainwatch.core import allocations
from trainwatch.core.model.observations import (
    AccountingReading,
    CheckpointReading,
    DiskReading,
    Observation,
    QueueReading,
)
from trainwatch.core.model.state import RunState


def remember(state: RunState, seen: Observation) -> RunState:
    """The state after an observation that is no log."""
    match seen:
        case QueueReading():
            state = _with_queue(state, seen)
        case AccountingReading():
            ended = allocations.accounted(state.allocations, seen.ended)
            state = replace(state, allocations=ended)
        case CheckpointReading():
            state = replace(state, checkpoints=seen)
        case DiskReading():
            state = replace(state, disks={**state.disks, seen.path: seen})
        case _:
            return state
    return replace(state, seen_at=seen.at)


def _with_queue(state: RunState, seen: QueueReading) -> RunState:
    """An answer that could not be had ends nothing."""
    known = state.allocations
    if seen.state == "ok":
        known = allocations.answered(known, seen.jobs, seen.at)
    return replace(state, queue=seen, allocations=known)
