"""A point for TensorBoard: how fast a run is, and what a crash would cost, at its last iteration."""

from collections.abc import Callable, Mapping
from typing import Protocol

from trainwatch.app.publishing.making import Kept, Reckoning
from trainwatch.core.facts import Facts
from trainwatch.core.model.goodput import Hours
from trainwatch.core.model.status import Status

_TAGS: dict[str, Callable[[Status], float | None]] = {
    "speed/step_time_s": lambda status: status.step_time_s,
    "speed/samples_per_s": lambda status: status.samples_per_s,
    "speed/tokens_per_s": lambda status: status.tokens_per_s,
    "speed/tflops_per_gpu": lambda status: status.tflops,
    "speed/mfu": lambda status: status.mfu,
    "run/hours_at_risk": lambda status: status.hours_at_risk,
    "run/gpu_hours_at_risk": lambda status: status.gpu_hours_at_risk,
}
_GOODPUT = "run/goodput"


class Sink(Protocol):
    """Where points go (adapters/scalars.py)."""

    def last_step(self) -> int | None: ...

    def write(self, step: int, at: float, values: Mapping[str, float]) -> bool: ...


class Points:
    """Writes those of one run."""

    def __init__(self, kept: Kept, facts: Facts, sink: Sink) -> None:
        self._kept, self._sink = kept, sink
        self._reckoning = Reckoning(kept, facts)

    def write(self, now: float) -> bool:
        """Write a point, if there is a new iteration. Raises OSError, TrainwatchError."""
        status = self._kept.status()
        if status is None or status.iteration is None:
            return False
        last = self._sink.last_step()
        if last is not None and status.iteration <= last:
            return True
        saved = self._kept.load()
        hours = self._reckoning.look(now, saved.state.rows) if saved is not None else Hours()
        values = values_of(status, hours)
        at = status.last_progress_at if status.last_progress_at is not None else now
        return not values or self._sink.write(status.iteration, at, values)


def values_of(status: Status, hours: Hours) -> dict[str, float]:
    """What is known, by tag."""
    told = {tag: value_of(status) for tag, value_of in _TAGS.items()}
    told[_GOODPUT] = hours.told.goodput if hours.told is not None else None
    return {tag: value for tag, value in told.items() if value is not None and value - value == 0}
