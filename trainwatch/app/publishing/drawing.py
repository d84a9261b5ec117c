"""Curves as lines of an SVG of 1000 by 300, with round numbers beside it: all a template needs, as values.

The picture is stretched to the width of the page, so no text is in it: labels stand around it, by percent.
"""

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from datetime import UTC, datetime
from itertools import pairwise
from typing import Literal, NamedTuple

from trainwatch.app import words
from trainwatch.core.scales import ticks
from trainwatch.core.thinning import Bin

WIDTH, HEIGHT = 1000.0, 300.0
_MOST_MARKS = 300
_MIN_S, _HOUR_S, _DAY_S = 60.0, 3600.0, 86_400.0
_STEPS_S = (
    _MIN_S, 5 * _MIN_S, 15 * _MIN_S, 30 * _MIN_S, _HOUR_S, 3 * _HOUR_S, 6 * _HOUR_S, 12 * _HOUR_S,
    *(n * _DAY_S for n in (1, 2, 4, 7, 14, 28, 56, 91, 182, 365, 730)),
)  # fmt: skip
_MOST_TICKS, _MOST_COUNTS = 5, 8
_LATEST = 32_503_680_000.0  # the year 3000: no calendar has much later ones
_GAP_SHARE, _GAP_TIMES = 0.02, 6.0  # of the width; of the usual distance: a pause is no line

Axis = Literal["iteration", "time"]
Scale = Callable[[Bin], float]


class Tick(NamedTuple):
    """A label, and where, in percent from the left or from the bottom."""

    place: float
    text: str


class Chart(NamedTuple):
    """One picture. Paths are of SVG."""

    title: str
    unit: str
    axis: Axis
    live: str
    lost: str  # what was trained again later
    restarts: str
    x_ticks: Sequence[Tick]
    y_ticks: Sequence[Tick]


class Dot(NamedTuple):
    """A point of a line."""

    x: float
    y: float


Line = list[Dot]


def chart(
    title: str,
    unit: str,
    bins: Sequence[Bin],
    axis: Axis,
    *,
    scale: Scale = lambda _: 1.0,
    from_zero: bool = False,
) -> Chart | None:
    """A chart of these bins; None where there is no line to draw."""
    lines = _lines(bins, axis, scale)
    dots = [dot for line in lines for dot in line]
    if len(dots) < 2:
        return None
    left, right = min(dot.x for dot in dots), max(dot.x for dot in dots)
    bottom, top = _span([dot.y for dot in dots], from_zero)
    if not right > left or not top > bottom:
        return None
    if axis == "time":
        lines = [part for line in lines for part in _parted(line, right - left)]
        live, lost = lines, list[Line]()
    else:
        live, lost = _without_lost(lines)

    def path(some: Iterable[Line]) -> str:
        across, up = WIDTH / (right - left), HEIGHT / (top - bottom)
        placed = (
            [((dot.x - left) * across, HEIGHT - (dot.y - bottom) * up) for dot in line]
            for line in some
        )
        return "".join(_path(line) for line in placed if line)

    begins = [(line[0].x - left) / (right - left) * WIDTH for line in _lines(bins, axis, scale)[1:]]
    marks = "".join(f"M{x:.1f} {HEIGHT:g}v-14" for x in begins[-_MOST_MARKS:])
    x_ticks = _dates(left, right) if axis == "time" else _counts(left, right)
    return Chart(title, unit, axis, path(live), path(lost), marks, x_ticks, _values(bottom, top))


def has_times(bins: Sequence[Bin]) -> bool:
    """Whether nearly all of them have a time: else they are drawn over iterations."""
    known = sum(one.first.at == one.first.at for one in bins)
    return bool(bins) and known >= 0.9 * len(bins)


def _lines(bins: Sequence[Bin], axis: Axis, scale: Scale) -> list[Line]:
    """A line for each attempt."""
    lines, attempt = list[Line](), math.nan
    for one in bins:
        factor = scale(one)
        if one.attempt != attempt:
            attempt = one.attempt
            lines.append([])
        points = (one.first,) if one.rows == 1 else (one.first, one.second)
        for point in points:
            x, y = point.iteration if axis == "iteration" else point.at, point.value * factor
            if math.isfinite(x) and math.isfinite(y) and (axis == "iteration" or 0 <= x < _LATEST):
                lines[-1].append(Dot(x, y))
    return [line for line in lines if line]


def _without_lost(lines: Sequence[Line]) -> tuple[list[Line], list[Line]]:
    """What counts, and what a later attempt trained again."""
    live, lost, lowest = list[Line](), list[Line](), math.inf
    for line in reversed(lines):
        kept = [dot for dot in line if dot.x < lowest]
        gone = [dot for dot in line if dot.x >= lowest]
        live.append(kept)
        if gone:
            lost.append([*kept[-1:], *gone])
        lowest = min(lowest, *(dot.x for dot in line))
    return live[::-1], lost[::-1]


def _parted(line: Line, width: float) -> list[Line]:
    """Where it paused for long, a line ends."""
    gaps = sorted(b.x - a.x for a, b in pairwise(line))
    usual = gaps[len(gaps) // 2] if gaps else 0.0
    least = max(_GAP_SHARE * width, _GAP_TIMES * usual)
    parts: list[Line] = [[]]
    for dot in line:
        if parts[-1] and dot.x - parts[-1][-1].x > least:
            parts.append([])
        parts[-1].append(dot)
    return parts


def _span(values: Sequence[float], from_zero: bool) -> tuple[float, float]:
    """What an axis shows: all but the rarest, so that the first steps and a spike do not flatten the rest."""
    ordered = sorted(values)
    low, high = ordered[int(0.005 * len(ordered))], ordered[int(0.985 * (len(ordered) - 1))]
    if from_zero:
        low = min(0.0, low)
    margin = 0.08 * (high - low) or abs(high) * 0.05 or 1.0
    return (low if from_zero and low == 0 else low - margin), high + margin


def _path(line: Sequence[tuple[float, float]]) -> str:
    (x, y), *rest = line
    if not rest:
        return f"M{x:.1f} {y:.1f}h.1"  # a lone point
    return f"M{x:.1f} {y:.1f}L" + " ".join(f"{x:.1f} {y:.1f}" for x, y in rest)


def _values(low: float, high: float) -> list[Tick]:
    return [Tick(_place(v, low, high), _number(v)) for v in ticks(low, high, _MOST_TICKS)]


def _counts(low: float, high: float) -> list[Tick]:
    return [Tick(_place(v, low, high), words.short(v)) for v in ticks(low, high, _MOST_COUNTS)]


def _dates(low: float, high: float) -> list[Tick]:
    step = next((s for s in _STEPS_S if (high - low) / s <= _MOST_TICKS), _STEPS_S[-1])
    form = "%b %Y" if step >= 56 * _DAY_S else "%d %b" if step >= _DAY_S else "%H:%M"
    first = math.ceil(low / step)
    places = [(first + n) * step for n in range(math.floor(high / step) - first + 1)]
    texts = [datetime.fromtimestamp(at, UTC).strftime(form) for at in places]
    return [Tick(_place(at, low, high), text) for at, text in zip(places, texts, strict=True)]


def _place(value: float, low: float, high: float) -> float:
    return round((value - low) / (high - low) * 100, 2)


def _number(value: float) -> str:
    if abs(value) >= 10_000:
        return words.short(value)
    return f"{value:.4g}"


def by_attempt(ratios: Mapping[int, float], factor: float) -> Scale:
    """A factor that differs from attempt to attempt."""
    return lambda one: factor * ratios.get(int(one.attempt), 1.0)
