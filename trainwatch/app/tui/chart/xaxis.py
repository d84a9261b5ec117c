"""What charts are drawn against: iterations, tokens, or the time on the clock. Pure.

The trap: neither tokens nor times need be known, and a sum of step times is no clock. What is not known is
said, and the charts stay against iterations.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

import numpy as np

from trainwatch.app.tui.chart.metrics import Floats

Kind = Literal["iteration", "tokens", "time"]
KINDS: tuple[Kind, ...] = ("iteration", "tokens", "time")
# the columns of history that an axis is made of, beside the iteration
COLUMNS: Mapping[Kind, tuple[str, ...]] = {
    "iteration": (),
    "tokens": ("consumed_tokens", "consumed_samples", "global_batch_size"),
    "time": ("at_s", "flags"),
}
CALLED: Mapping[Kind, str] = {"iteration": "iterations", "tokens": "tokens", "time": "time"}
_NOTHING: Floats = np.empty(0)
_SAMPLE = 1000  # distances that the usual one is taken of


class Axis(NamedTuple):
    """Where iterations are. Both arrays rise; an axis of iterations needs none."""

    kind: Kind = "iteration"
    iterations: Floats = _NOTHING
    x: Floats = _NOTHING
    unit: float = 1.0  # about one iteration
    trouble: str = ""  # why it is not the one that was asked for
    note: str = ""  # what whoever reads it should know

    def place(self, iterations: Floats) -> Floats:
        """Where these iterations are; NaN for those of which that is not known."""
        if self.kind == "iteration":
            return iterations
        if not len(self.x):
            return np.full(len(iterations), np.nan)
        return np.interp(iterations, self.iterations, self.x, left=np.nan, right=np.nan)

    def iteration(self, x: float) -> float:
        """The iteration at a place, or the nearest that is known."""
        if self.kind == "iteration" or not len(self.x):
            return x
        return float(between(np.array([x]), self.x, self.iterations)[0])


ITERATIONS = Axis()


def between(at: Floats, known: Floats, values: Floats) -> Floats:
    """As `np.interp`; between places so near that no float is their slope, the value at the next one."""
    found = np.interp(at, known, values)
    lost = ~np.isfinite(found)
    if lost.any():
        found[lost] = values[np.minimum(np.searchsorted(known, at[lost]), len(known) - 1)]
    return found


def usual_distance(x: Floats) -> float:
    """Between neighbours of what rises; 1 where there are none, or all are at one place."""
    stride = max(1, len(x) // _SAMPLE)
    apart = np.diff(x[::stride]) / stride
    apart = apart[apart > 0]
    return float(np.median(apart)) if len(apart) else 1.0


def moved(place: float, before: Axis, after: Axis) -> float | None:
    """The same iteration on another axis; the nearest that is known there, None for none."""
    iteration = before.iteration(place)
    if after.kind == "iteration":
        return float(round(iteration))
    if not len(after.x):
        return None
    return float(between(np.array([iteration]), after.iterations, after.x)[0])
