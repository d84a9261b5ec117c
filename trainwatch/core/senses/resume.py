"""The learning rate across a restart: the first iterations of an attempt against the curve they go on with.

The trap: what is trained again has a known rate, what is new has none yet and is extrapolated.
"""

from itertools import pairwise

import msgspec

_POINTS = 96
_POINTS_A_SAVE = 32  # an attempt goes back by a save interval at most, as a rule
_CHECKED = 10  # iterations of an attempt
_TOLERANCE = 0.05
_SETTLED = 200  # iterations after which the new rate is what is trained with


class Jump(msgspec.Struct, frozen=True):
    """The rate that was expected, and the one that was found."""

    iteration: int
    at: float
    expected: float
    found: float


class ResumeSense(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Points of the learning-rate curve (iteration, rate), and whether this attempt left it."""

    points: list[tuple[int, float]] = []
    attempt: int = -1
    first: int | None = None  # iteration of this attempt
    jump: Jump | None = None

    def row(self, at: float, iteration: int, rate: float, attempt: int, save_interval: int) -> bool:
        """Take an iteration; True if it left the curve, or is long past the leap."""
        if attempt != self.attempt:
            self.attempt, self.first = attempt, iteration
        turned = False
        if self.jump is not None and iteration >= self.jump.iteration + _SETTLED:
            self.jump, turned = None, True
        if rate != rate:
            return turned
        if self.first is not None and attempt > 0 and iteration < self.first + _CHECKED:
            return self._check(at, iteration, rate) or turned  # not learned from while in doubt
        self._remember(iteration, rate, max(1, save_interval // _POINTS_A_SAVE))
        return turned

    def _check(self, at: float, iteration: int, rate: float) -> bool:
        expected = self._expected(iteration)
        if expected is None:
            return False
        value, tolerance = expected
        leapt = abs(rate - value) > tolerance
        if leapt == (self.jump is not None):
            return False
        self.jump = Jump(iteration, at, value, rate) if leapt else None
        return True

    def _expected(self, iteration: int) -> tuple[float, float] | None:
        """The rate at an iteration, and how far from it is still on the curve."""
        points = self.points
        if len(points) < 2 or iteration < points[0][0]:
            return None
        for (left, low), (right, high) in pairwise(points):
            if left <= iteration <= right:
                value = low + (high - low) * (iteration - left) / (right - left)
                return value, _TOLERANCE * value + abs(high - low)
        (left, low), (right, high) = points[-2:]
        leap = (high - low) * (iteration - right) / (right - left)
        value = high + leap
        return (value, _TOLERANCE * value + abs(leap)) if value > 0 else None

    def _remember(self, iteration: int, rate: float, stride: int) -> None:
        if not self.points or iteration >= self.points[-1][0] + stride:
            self.points.append((iteration, rate))
            if len(self.points) > _POINTS:
                del self.points[0]
