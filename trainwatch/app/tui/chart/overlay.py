"""Lines beside that of a run: its attempts apart from each other, and another run. Pure.

Lines are told apart by a sign on them, not by colour alone.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np

from trainwatch.app.tui.chart.bins import positive
from trainwatch.app.tui.chart.canvas import SIGNS
from trainwatch.app.tui.chart.metrics import Floats
from trainwatch.app.tui.chart.parts import Parts
from trainwatch.app.tui.chart.traces import Trace

OTHER_SIGN = "○"


class Beside(NamedTuple):
    """One more line. `style` is the name of its style."""

    sign: str
    name: str
    style: str
    x: Floats
    y: Floats


class Overlay(NamedTuple):
    """All of them. `attempts`: the run itself is shown as its attempts, of which so many are left out."""

    lines: tuple[Beside, ...] = ()
    attempts: bool = False
    left_out: int = 0


ALONE = Overlay()


class Compared(NamedTuple):
    """Another run, along the same axis."""

    name: str
    traces: Mapping[str, Trace] = {}


class Overlays:
    """Makes them; the same one for the same lines."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[tuple[object, ...], tuple[object, ...], Overlay]] = {}

    def of(
        self,
        key: str,
        parts: Parts | None,
        other: Compared | None,
        sides: tuple[float, float],
        *,
        log: bool,
    ) -> Overlay:
        """What is laid over the chart of a metric."""
        if parts is None and other is None:
            return ALONE
        within = () if parts is None else tuple(parts.within(*sides).tolist())
        wanted = (within, None if other is None else other.name, log)
        made = self._made.get(key)
        trace = None if other is None else other.traces.get(key)
        if made is None or made[0] != wanted or made[1][0] is not parts or made[1][1] is not trace:
            overlay = _overlay(key, parts, within, other, log=log)
            made = self._made[key] = (wanted, (parts, trace), overlay)
        return made[2]


def _overlay(
    key: str, parts: Parts | None, within: tuple[int, ...], other: Compared | None, *, log: bool
) -> Overlay:
    lines = _attempts(key, parts, within) if parts is not None and key in parts.ys else []
    left_out = len(within) - len(lines)
    trace = other.traces.get(key) if other is not None else None
    if other is not None:
        x, y = (np.empty(0), np.empty(0)) if trace is None else (trace.x, trace.y)
        lines.append(Beside(OTHER_SIGN, other.name, "other", x, y))
    if log:
        lines = [line._replace(y=positive(line.y)) for line in lines]
    return Overlay(tuple(lines), parts is not None and key in parts.ys, left_out)


def _attempts(key: str, parts: Parts, within: tuple[int, ...]) -> list[Beside]:
    """The last ones that are in view."""
    lines = []
    for number, index in enumerate(within[-len(SIGNS) :]):
        rows = slice(int(parts.starts[index]), int(parts.stops[index]))
        name = f"{parts.attempts[index]:,}"
        style = f"attempt-{SIGNS[number]}"
        lines.append(Beside(SIGNS[number], name, style, parts.x[rows], parts.ys[key][rows]))
    return lines
