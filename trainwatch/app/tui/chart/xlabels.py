"""Round places on the axis of iterations, tokens or time, and what is written there."""

import math
from datetime import datetime
from typing import NamedTuple

from trainwatch.app import clock
from trainwatch.app.tui.chart.xaxis import Kind
from trainwatch.core.scales import round_step, ticks

_DAY_S = 86400.0
_STEPS_S = (
    *(1.0, 2.0, 5.0, 10.0, 15.0, 30.0),
    *(60.0 * n for n in (1, 2, 5, 10, 15, 30)),
    *(3600.0 * n for n in (1, 2, 3, 6, 12)),
    *(_DAY_S * n for n in (1, 2, 7, 14, 28, 91, 182, 364)),
)
_COLUMNS = {"iteration": 12, "tokens": 9, "time": 11}  # that a label has for itself
_SCALES = ((1e12, "T"), (1e9, "B"), (1e6, "M"), (1e3, "k"))  # as people count tokens


class Tick(NamedTuple):
    """A place, and its label."""

    x: float
    text: str


def labelled(kind: Kind, left: float, right: float, width: int) -> list[Tick]:
    """Round places between two, and their labels."""
    most = max(1, width // _COLUMNS[kind])
    if kind == "time":
        return _times(left, right, most)
    places = ticks(left, right, most)
    if kind == "tokens":
        step = round_step(right - left, most)
        return [Tick(x, tokens(x, step)) for x in places]
    return [Tick(x, f"{x:,.0f}") for x in places if x == math.floor(x)]


def place(kind: Kind, x: float) -> str:
    """A single place, for the title."""
    if kind == "time":
        return _written(x, "%m-%d %H:%M:%S")
    return tokens(x, abs(x) / 1e3) if kind == "tokens" else f"{x:,.0f}"


def length(kind: Kind, x: float) -> str:
    """So many iterations, tokens, or so much time."""
    if kind == "time":
        units = ((_DAY_S, "d"), (3600.0, "h"), (60.0, "min"), (1.0, "s"))
        unit_s, unit = next((u for u in units if x >= u[0]), units[-1])
        return f"{x / unit_s:.2g} {unit}"
    return tokens(x, x) if kind == "tokens" else f"{x:,.0f}"


def round_below(kind: Kind, x: float) -> float:
    """The largest round length that is no longer."""
    if not 0 < x < math.inf:
        return 0.0
    if kind == "time":
        return next((step for step in reversed(_STEPS_S) if step <= x), x)
    power: float = 10.0 ** math.floor(math.log10(x) + 1e-9)
    return next((m * power for m in (5, 2) if m * power <= x), power)


def tokens(x: float, step: float) -> str:
    """`12.3 B`, with as many digits as `step` needs."""
    for scale, letter in _SCALES:
        if abs(x) >= scale:
            finer = -math.floor(math.log10(step / scale) + 1e-9) if step > 0 else 0
            return f"{x / scale:.{min(6, max(0, finer))}f} {letter}"
    return f"{x:.0f}"


def _times(left: float, right: float, most: int) -> list[Tick]:
    """At full hours, days, ... of the local time; the date stands where it is another than before."""
    rough = (right - left) / most
    if not 0 < rough < math.inf:
        return []
    step = next((s for s in _STEPS_S if s >= rough), math.ceil(rough / _DAY_S) * _DAY_S)
    try:
        ahead = clock.local_utc_offset_s(left)
        first = math.ceil((left + ahead) / step)
        places = [(first + n) * step - ahead for n in range(most + 1)]
        return _dated([x for x in places if x <= right], step, right - left)
    except (ValueError, OverflowError, OSError):
        return []  # no calendar has such times


def _dated(places: list[float], step: float, span: float) -> list[Tick]:
    if step >= _DAY_S:
        form = "%Y-%m-%d" if span > 300 * _DAY_S else "%m-%d"
        return [Tick(x, clock.local(x).strftime(form)) for x in places]
    form, found = "%H:%M" if step >= 60 else "%H:%M:%S", list[Tick]()
    before: datetime | None = None
    for x in places:
        then = clock.local(x)
        dated = before is None or then.date() != before.date()
        found.append(Tick(x, then.strftime(f"%m-%d {form}" if dated else form)))
        before = then
    return found


def _written(x: float, form: str) -> str:
    try:
        return clock.local(x).strftime(form)
    except (ValueError, OverflowError, OSError):
        return "?"
