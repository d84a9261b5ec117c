"""What is no log -> run state: the newest answer of each kind, and what they add up to."""

from msgspec.structs import replace

from trainwatch.core import allocations, predictions
from trainwatch.core.model.observations import (
    AccountingReading,
    CheckpointReading,
    DiskReading,
    Observation,
    ProcessReading,
    QueueReading,
)
from trainwatch.core.model.state import RunState
from trainwatch.core.processes import says_the_same


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
    if seen.state != "ok":
        return replace(state, queue=seen)
    return replace(
        state,
        queue=seen,
        allocations=allocations.answered(state.allocations, seen.jobs, seen.at),
        predictions=predictions.predicted(state.predictions, seen.jobs, seen.at),
    )


def is_said_again(seen: Observation, before: RunState) -> bool:
    """Whether it only says again what was known: not worth a write to a shared disk a minute."""
    if isinstance(seen, ProcessReading):
        return says_the_same(seen, before.processes)
    known = before.queue
    if not isinstance(seen, QueueReading) or known is None:
        return False
    says = (seen.state, seen.jobs, seen.maintenance)
    return (known.state, known.jobs, known.maintenance) == says
