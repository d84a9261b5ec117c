"""The least and the greatest of what falls into each dot column: nothing that stands out is lost.

A million rows take under a millisecond, where drawing each would take hundreds.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainwatch.app.tui.chart.metrics import Floats

_SAMPLE = 32  # values a bin that its mean is made of, evenly spread
_MOST = 97  # percent of the values: the rest is no noise

_NONE: Floats = np.empty(0)


class Bins(NamedTuple):
    """By bin; NaN where nothing is known. `bad` bins hold a value that was NaN or infinite.

    `spread` is how far most values lie below and above the mean of their bin: the noise.
    """

    low: Floats
    mean: Floats
    high: Floats
    bad: NDArray[np.bool_]
    spread: tuple[float, float] = (0.0, 0.0)
    rows: Floats = _NONE  # in each


def binned(
    x: Floats, y: Floats, bad: Floats, left: float, right: float, count: int, unit: float = 1.0
) -> Bins:
    """Bin what lies in `left`..`right`. `x` rises, about a `unit` at a time; `y` is finite or NaN."""
    low, high, mean = (np.full(max(0, count), np.nan) for _ in range(3))
    hit = np.zeros(len(low), bool)
    if count < 1 or not 0 < right - left < np.inf:
        return Bins(low, mean, high, hit, rows=np.zeros(len(low)))
    # An iteration n is drawn in the middle of n-0.5..n+0.5, so that the first and the last are seen;
    # likewise with a unit of tokens or time.
    edges = np.linspace(left - unit / 2, right + unit / 2, count + 1)
    starts = np.searchsorted(x, edges)
    full = starts[1:] > starts[:-1]
    spread = (0.0, 0.0)
    if full.any():
        values, firsts = y[starts[0] : starts[-1]], starts[:-1][full] - starts[0]
        low[full] = np.fmin.reduceat(values, firsts)
        high[full] = np.fmax.reduceat(values, firsts)
        with np.errstate(all="ignore"):
            mean, spread = _means(values, starts - starts[0], low / 2 + high / 2)
    marks = np.searchsorted(bad, edges)
    hit |= marks[1:] > marks[:-1]
    return Bins(low, mean, high, hit, spread, np.diff(starts).astype(np.float64))


def _means(
    values: Floats, starts: NDArray[np.int64], middle: Floats
) -> tuple[Floats, tuple[float, float]]:
    """The mean of each bin from a sample of its values, else its middle; and the spread around it."""
    stride = max(1, len(values) // (_SAMPLE * len(middle)))
    sample, starts = values[::stride], -(-starts // stride)
    full = starts[1:] > starts[:-1]
    known = ~np.isnan(sample)
    firsts = starts[:-1][full]
    sums = np.add.reduceat(np.where(known, sample, 0.0), firsts)
    counts = np.add.reduceat(known, firsts, dtype=np.int64)
    found = sums / counts
    means = middle.copy()
    means[full] = np.where(np.isfinite(found), found, middle[full])
    apart = sample - np.repeat(means, np.diff(starts))
    apart = apart[np.isfinite(apart)]
    if not len(apart):
        return means, (0.0, 0.0)
    below, above = np.percentile(apart, (100 - _MOST, _MOST))
    return means, (float(below), float(above))


def joined(bins: Bins) -> Floats:
    """The means, with a straight line where few points are far apart; broken where values are bad."""
    known = ~np.isnan(bins.mean)
    places = np.flatnonzero(known)
    if len(places) < 2 or len(places) == len(known):
        return bins.mean
    columns = np.arange(len(known))
    line = np.interp(columns, places, bins.mean[places], left=np.nan, right=np.nan)
    line[bins.bad & ~known] = np.nan
    return line


def positive(y: Floats) -> Floats:
    """The values on a log scale; what cannot be shown on one is NaN."""
    with np.errstate(all="ignore"):
        return np.log10(np.where(y > 0, y, np.nan))
