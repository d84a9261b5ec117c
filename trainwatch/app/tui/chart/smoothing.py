"""A line without its noise. The band of the values themselves stays as it is: no spike is hidden. Pure.

The window is a share of the view, so that the line is as smooth at any zoom; the title says how long it is.
It is taken over bins: a running sum over a million values would keep the rounding errors of one large spike.
"""

import math

import numpy as np

from trainwatch.app.tui.chart import xlabels
from trainwatch.app.tui.chart.bins import Bins
from trainwatch.app.tui.chart.canvas import Sides
from trainwatch.app.tui.chart.metrics import Floats
from trainwatch.app.tui.chart.xaxis import Kind

LEVELS = ("off", "light", "strong")
_PARTS = (math.inf, 60.0, 15.0)  # windows that a view has
_LEAST = (0.0, 5.0, 20.0)  # iterations, about; fewer smooth nothing
_FEWEST = (math.inf, 10.0, 4.0)  # windows that a view has at least: else nothing but a mean is left
_MOST = 2000  # bins in a window


def window(level: int, kind: Kind, sides: Sides) -> float:
    """How much of the axis a point of the line is the mean of; 0 for one that is not smoothed."""
    if not level:
        return 0.0
    view = sides.right - sides.left
    wanted = max(view / _PARTS[level], _LEAST[level] * sides.unit)
    return xlabels.round_below(kind, min(wanted, view / _FEWEST[level]))


def margin(length: float, sides: Sides, count: int) -> int:
    """Bins that half a window has: so many more are needed at either side of the view."""
    each = (sides.right - sides.left + sides.unit) / max(1, count)
    return min(_MOST // 2, math.ceil(length / each / 2)) if each > 0 else 0


def wider(sides: Sides, count: int, more: int) -> Sides:
    """The sides of a view with so many more bins at each."""
    each = (sides.right - sides.left + sides.unit) / max(1, count)
    return Sides(sides.left - more * each, sides.right + more * each, sides.unit)


def smoothed(bins: Bins, more: int) -> Floats:
    """The mean over `more` bins at either side of each, of all but the `more` bins at either end.

    A straight line where no bin of a window has a value; nothing before the first and behind the last.
    """
    known = ~np.isnan(bins.mean)
    weights = np.where(known, bins.rows, 0.0)
    shape = np.ones(2 * more + 1)
    counts = np.convolve(weights, shape, "same")
    with np.errstate(all="ignore"):  # of values near the largest that there are
        sums = np.convolve(np.where(known, bins.mean, 0.0) * weights, shape, "same")
        line = np.where(counts > 0.5, sums / counts, np.nan)
    inner = slice(more, len(line) - more)
    line, places = line[inner], np.flatnonzero(known[inner])
    drawn = np.flatnonzero(np.isfinite(line))
    if not len(places) or not len(drawn):
        return np.full(len(line), np.nan)
    columns = np.arange(len(line), dtype=np.float64)
    columns[: places[0]] = columns[places[-1] + 1 :] = np.nan
    return np.interp(columns, drawn, line[drawn], left=np.nan, right=np.nan)


def cropped(bins: Bins, more: int) -> Bins:
    """Without the bins beyond the view."""
    inner = slice(more, len(bins.mean) - more)
    return Bins(
        bins.low[inner],
        bins.mean[inner],
        bins.high[inner],
        bins.bad[inner],
        bins.spread,
        bins.rows[inner],
    )
