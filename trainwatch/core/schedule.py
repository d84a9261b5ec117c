"""Batch-size ramp-up, targets and the way to them: how far, how much longer, which saves are possible."""

import math
from typing import NamedTuple

_MOST_STEPS = 10_000  # of a ramp-up: more than that is no ramp-up, and would take ages to walk


class Rampup(NamedTuple):
    """Megatron's `--rampup-batch-size start increment samples`, towards `final`. All in samples."""

    start: int
    increment: int
    samples: int
    final: int

    def batch_size(self, consumed: int) -> int:
        """Global batch size once `consumed` samples are trained (megatron/microbatches.py)."""
        steps_in_all = (self.final - self.start) // self.increment if self.increment else 0
        if consumed > self.samples or self.samples <= 0 or not 0 < steps_in_all <= _MOST_STEPS:
            return self.final
        steps = int(consumed / (self.samples / steps_in_all))
        return min(self.start + steps * self.increment, self.final)

    def consumed(self, iterations: int) -> int:
        """Samples trained after so many iterations. Stage by stage, not iteration by iteration."""
        samples = 0
        while iterations > 0 and samples <= self.samples:
            size = self.batch_size(samples)
            if size <= 0 or size == self.final:
                break
            stage = min(iterations, self._left_in_stage(samples, size))
            samples += stage * size
            iterations -= stage
        return samples + iterations * self.final

    def iterations(self, samples: int) -> int:
        """Iterations that Megatron plans for so many samples: the last, smaller part is left out."""
        done, iterations = 0, 0
        while done < min(samples, self.samples + 1):
            size = self.batch_size(done)
            if size <= 0 or size == self.final:
                break
            stage = min(self._left_in_stage(done, size), math.ceil((samples - done) / size))
            done += stage * size
            iterations += stage
        return iterations + max(0, (samples - done) // self.final)

    def _left_in_stage(self, consumed: int, size: int) -> int:
        """Iterations of this batch size until the next, at least one."""
        low, high = 1, 2
        while self.batch_size(consumed + high * size) == size:
            low, high = high, high * 2
        while low < high:
            middle = (low + high) // 2
            if self.batch_size(consumed + middle * size) == size:
                low = middle + 1
            else:
                high = middle
        return low


class Progress(NamedTuple):
    """How far a run is, in the unit of its target."""

    unit: str  # "tokens", "samples" or "iterations"
    done: float
    target: float

    @property
    def share(self) -> float:
        """0..1, and never more."""
        return min(1.0, self.done / self.target) if self.target > 0 else 0.0


def eta_s(progress: Progress | None, rate_per_s: float | None) -> float | None:
    """Seconds to the target at a rate in the target's unit."""
    if progress is None or not rate_per_s or not rate_per_s > 0:
        return None
    return max(0.0, progress.target - progress.done) / rate_per_s


def last_save(target: int, interval: int) -> int:
    """The last iteration not beyond the target that is saved: 990 for 1000 every 18."""
    return target // interval * interval if interval > 0 else 0
