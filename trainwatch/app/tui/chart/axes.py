"""Scales and their labels: which part of the values is shown, and where the round numbers are."""

import math
from typing import NamedTuple

import numpy as np

from trainwatch.app.tui.chart.bins import Bins
from trainwatch.core.scales import round_step, ticks

__all__ = ["Span", "log_ticks", "round_step", "span_of", "ticks"]

_OUTLYING = 1.8  # a range so many times the usual one is not worth showing whole
_MARGIN = 0.2


class Span(NamedTuple):
    """What a value axis shows (on a log scale: powers of ten)."""

    low: float
    high: float


def span_of(bins: Bins, *, whole: bool) -> Span | None:
    """The range of the bins; without what is far out and rare unless the `whole` is asked for.

    None for no values.
    """
    values = np.concatenate((bins.low, bins.high))
    values = values[np.isfinite(values)]
    if not len(values):
        return None
    least, most = float(values.min()), float(values.max())
    usual = _usual(bins)
    if not whole and usual is not None and most - least > _OUTLYING * (usual.high - usual.low):
        margin = _MARGIN * (usual.high - usual.low)
        least, most = max(least, usual.low - margin), min(most, usual.high + margin)
    if not most > least:
        margin = abs(least) * 0.05 or 1.0
        return Span(least - margin, least + margin)
    return Span(least, most)


def _usual(bins: Bins) -> Span | None:
    """Where most of the means are, with the noise around them."""
    means = bins.mean[np.isfinite(bins.mean)]
    if not len(means):
        return None
    low, high = (float(v) for v in np.percentile(means, (2, 94)))
    low, high = low + bins.spread[0], high + bins.spread[1]
    return Span(low, high) if high > low else None


def log_ticks(low: float, high: float, most: int) -> list[float]:
    """Exponents of round numbers: whole powers of ten, and 2 and 5 between them where there is room."""
    decades = range(math.ceil(low), math.floor(high) + 1)
    if len(decades) > most:
        stride = math.ceil(len(decades) / most)
        return [float(d) for d in decades if d % stride == 0]
    if high - low < 0.7:
        values = ticks(10**low, 10**high, most)
        return [math.log10(v) for v in values if v > 0]
    finer = [
        d + math.log10(m) for d in range(math.floor(low), math.floor(high) + 1) for m in (1, 2, 5)
    ]
    inside = [t for t in finer if low <= t <= high]
    return inside if len(inside) <= most else [float(d) for d in decades]


def label(value: float, step: float) -> str:
    """A value of an axis in at most seven characters, with as many digits as `step` needs."""
    if value == 0 or not math.isfinite(value):
        return "0" if value == 0 else str(value)
    size = abs(value)
    for scale, letter in ((1e12, "T"), (1e9, "G"), (1e6, "M"), (1e4, "k")):
        if size >= scale:
            unit = 1e3 if letter == "k" else scale
            return _digits(value / unit, step / unit) + letter if size < 1e15 else f"{value:.1e}"
    if size < 1e-3:
        return _power(value, step)
    return _digits(value, step)


def _digits(value: float, step: float) -> str:
    decimals = 0 if step >= 1 else min(5, -math.floor(math.log10(step) + 1e-9))
    return f"{value:.{decimals}f}"


def _power(value: float, step: float) -> str:
    """`6e-05`, or `5.5e-05` where the step asks for it."""
    exponent = math.floor(math.log10(abs(value)) + 1e-9)
    decimals = min(2, max(0, exponent - math.floor(math.log10(step) + 1e-9))) if step > 0 else 1
    return f"{value:.{decimals}e}"


def log_label(exponent: float) -> str:
    """The value that an exponent of ten stands for."""
    if not -300 < exponent < 300:
        return f"1e{exponent:.0f}"
    value = 10**exponent
    return label(value, 10.0 ** math.floor(exponent + 1e-9))
