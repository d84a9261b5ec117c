"""Faults that change what iterations measure: slow, spiking, diverging, NaN, skipped, with a wrong rate.

`place` is how many iterations ago a fault began, None where it does not strike. The trap: after a restart
an iteration comes again, and such a fault with it, as with the same data in the same order.
"""

import math
from typing import ClassVar

import msgspec
from msgspec.structs import replace

from trainwatch.simulate.step import Step

FOREVER = 10**9
_LEAST_SCALE = 1.0


class Slowdown(msgspec.Struct, frozen=True, kw_only=True):
    """Iterations `first` to `last` take `factor` times as long, as with one slow GPU."""

    at_start: ClassVar[bool] = False
    first: int
    last: int = FOREVER
    factor: float
    rule: str = "throughput-drop"

    def place(self, iteration: int, attempt: int, loaded: int) -> int | None:
        """Iterations since it began."""
        return _within(iteration - self.first, self.last - self.first + 1)

    def changed(self, step: Step, place: int) -> Step:
        """What the iteration measures."""
        return replace(step, step_time_s=step.step_time_s * self.factor)


class Spike(msgspec.Struct, frozen=True, kw_only=True):
    """The loss jumps by `height` and is back after `lasts` iterations; again `every` so many, if set."""

    at_start: ClassVar[bool] = False
    first: int
    lasts: int = 25
    height: float
    norm: float = 5.0  # times the usual gradient norm, at the top
    every: int | None = None
    rule: str = "loss-spike"

    def place(self, iteration: int, attempt: int, loaded: int) -> int | None:
        """Iterations since it began."""
        since = iteration - self.first
        return _within(since % self.every if self.every and since >= 0 else since, self.lasts)

    def changed(self, step: Step, place: int) -> Step:
        """What the iteration measures."""
        left = math.exp(-4.0 * place / self.lasts)
        norm = step.grad_norm * (1 + (self.norm - 1) * left)
        return replace(step, loss=step.loss + self.height * left, grad_norm=norm)


class Divergence(msgspec.Struct, frozen=True, kw_only=True):
    """The loss jumps to `jump`, climbs to `peak`, comes down to `plateau` in `settles`, and stays there."""

    at_start: ClassVar[bool] = False
    first: int
    jump: float
    peak: float
    plateau: float
    climbs: int = 12  # iterations from the jump to the peak
    settles: int = 60
    norm: float = 20.0  # times the usual gradient norm, at the top
    rule: str = "loss-spike"

    def place(self, iteration: int, attempt: int, loaded: int) -> int | None:
        """Iterations since it began."""
        return _within(iteration - self.first, FOREVER)

    def changed(self, step: Step, place: int) -> Step:
        """What the iteration measures."""
        if place < self.climbs:
            level = self.jump + (self.peak - self.jump) * place / self.climbs
            return replace(step, loss=level, grad_norm=step.grad_norm * self.norm)
        left = math.exp(-4.0 * (place - self.climbs) / self.settles)
        level = self.plateau + (self.peak - self.plateau) * left
        norm = step.grad_norm * (1 + (self.norm - 1) * left)
        return replace(step, loss=level + 0.02 * math.sin(place), grad_norm=norm)


class NanLoss(msgspec.Struct, frozen=True, kw_only=True):
    """The loss is no number. Megatron then leaves it out of its line and counts no NaN iteration."""

    at_start: ClassVar[bool] = False
    first: int
    last: int = FOREVER
    rule: str = "loss-nan"

    def place(self, iteration: int, attempt: int, loaded: int) -> int | None:
        """Iterations since it began."""
        return _within(iteration - self.first, self.last - self.first + 1)

    def changed(self, step: Step, place: int) -> Step:
        """What the iteration measures."""
        return replace(step, loss=math.nan, grad_norm=math.nan)


class NormSurge(msgspec.Struct, frozen=True, kw_only=True):
    """Iterations `first` to `last` have `factor` times the usual gradient norm, and the usual loss."""

    at_start: ClassVar[bool] = False
    first: int
    last: int
    factor: float
    rule: str = "grad-norm-surge"

    def place(self, iteration: int, attempt: int, loaded: int) -> int | None:
        """Iterations since it began."""
        return _within(iteration - self.first, self.last - self.first + 1)

    def changed(self, step: Step, place: int) -> Step:
        """What the iteration measures."""
        return replace(step, grad_norm=step.grad_norm * self.factor)


class Overflows(msgspec.Struct, frozen=True, kw_only=True):
    """fp16 overflows: `count` iterations are skipped, and the loss scale is halved with each."""

    at_start: ClassVar[bool] = False
    first: int
    count: int = 1
    every: int | None = None
    scale: float = 4_194_304.0  # before the first
    rule: str = "overflow-streak"

    def place(self, iteration: int, attempt: int, loaded: int) -> int | None:
        """Iterations since it began."""
        since = iteration - self.first
        return _within(since % self.every if self.every and since >= 0 else since, self.count)

    def changed(self, step: Step, place: int) -> Step:
        """What the iteration measures: nothing but the new scale."""
        scale = max(_LEAST_SCALE, self.scale / 2 ** (place + 1))
        return replace(step, skipped=1, loss_scale=scale)


class WrongRate(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt (from 0) trains with `factor` times the learning rate that is due."""

    at_start: ClassVar[bool] = True  # the trouble begins with the attempt
    attempt: int
    factor: float
    rule: str = "lr-jump"

    def place(self, iteration: int, attempt: int, loaded: int) -> int | None:
        """Iterations since the attempt began."""
        return iteration - loaded - 1 if attempt == self.attempt else None

    def changed(self, step: Step, place: int) -> Step:
        """What the iteration measures."""
        return replace(step, learning_rate=step.learning_rate * self.factor)


class ResumeBump(msgspec.Struct, frozen=True, kw_only=True):
    """After each resume the loss is higher for `lasts` iterations: something was not restored."""

    at_start: ClassVar[bool] = True
    height: float
    lasts: int = 10
    norm: float = 4.0
    rule: str = "resume-mismatch"

    def place(self, iteration: int, attempt: int, loaded: int) -> int | None:
        """Iterations since the resume; the very first attempt was in order."""
        return _within(iteration - loaded - 1, self.lasts) if attempt else None

    def changed(self, step: Step, place: int) -> Step:
        """What the iteration measures."""
        left = 1 - place / self.lasts
        norm = step.grad_norm * (1 + (self.norm - 1) * left)
        return replace(step, loss=step.loss + self.height * left, grad_norm=norm)


StepFault = Slowdown | Spike | Divergence | NanLoss | NormSurge | Overflows | WrongRate | ResumeBump


def _within(since: int, count: int) -> int | None:
    return since if 0 <= since < count else None
