"""What one iteration measures, or the mean over a log interval that ends with it."""

import math

import msgspec


class Step(msgspec.Struct, frozen=True, kw_only=True):
    """Numbers of an iteration, for any flavour to print."""

    iteration: int
    samples: int  # trained since the very beginning, this iteration's included
    batch: int  # samples
    step_time_s: float
    loss: float
    grad_norm: float
    learning_rate: float
    iterations: int = 1  # that the numbers are means over
    skipped: int = 0  # of them, because fp16 overflowed
    loss_scale: float | None = None  # of fp16; None: the usual one

    @property
    def tells_loss(self) -> bool:
        """Megatron leaves the loss out when it is NaN, and when all iterations were skipped."""
        return self.skipped < self.iterations and math.isfinite(self.loss)


def mean(steps: list[Step], overhead_s: float) -> Step:
    """What is printed: the last iteration, its time (with what came between) and loss as means."""
    last, count = steps[-1], len(steps)
    if count == 1 and not overhead_s:
        return last
    losses = [step.loss for step in steps if not step.skipped] or [last.loss]
    return msgspec.structs.replace(
        last,
        step_time_s=(sum(step.step_time_s for step in steps) + overhead_s) / count,
        loss=sum(losses) / len(losses),
        iterations=count,
        skipped=sum(step.skipped for step in steps),
    )
