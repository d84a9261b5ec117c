"""What goes wrong in a run, each a small value that a scenario lists.

A fault either changes what iterations measure (`changed`), or ends an attempt (run.py asks for the
crash that is due). To add one, write a value here and its branch there.
"""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from trainwatch.simulate.step import Step


class Crash(msgspec.Struct, frozen=True, kw_only=True):
    """CUDA runs out of memory on one rank after this iteration; the others wait for it and time out.

    It strikes once: the next attempt gets past it.
    """

    iteration: int
    rank: int = 5
    timeout_s: float = 600.0  # of the collectives of the other ranks


class Slowdown(msgspec.Struct, frozen=True, kw_only=True):
    """Iterations `first` to `last` take `factor` times as long, as with one slow GPU."""

    first: int
    last: int
    factor: float


Fault = Crash | Slowdown


def changed(step: Step, faults: Sequence[Fault]) -> Step:
    """What an iteration measures under these faults."""
    for fault in faults:
        if isinstance(fault, Slowdown) and fault.first <= step.iteration <= fault.last:
            step = replace(
                step,
                step_time_s=step.step_time_s * fault.factor,
            )
    return step


def crash_after(iteration: int, faults: Sequence[Fault]) -> Crash | None:
    """The crash that strikes once this iteration is completed."""
    due = (f for f in faults if isinstance(f, Crash) and f.iteration == iteration)
    return next(due, None)
