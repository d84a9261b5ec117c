"""What one iteration measures, or the mean over a log interval that ends with it."""

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
