"""The attempts of a run as lines of their own: stretches of rows in which one attempt goes forward.

Made once per snapshot, in the reader's thread, and only while attempts are laid over each other.
"""

from collections.abc import Mapping
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainwatch.app.tui.chart.metrics import Floats, Metric, Table, bounded, whole
from trainwatch.app.tui.chart.orders import NOTHING, Order
from trainwatch.core.model.status import Status

COLUMN = "attempt"
_NONE: NDArray[np.int64] = np.empty(0, np.int64)


class Parts(NamedTuple):
    """Stretches in order: their attempts (from 1), and which of the rows they have. `ys` by metric."""

    attempts: NDArray[np.int64] = _NONE
    starts: NDArray[np.int64] = _NONE
    stops: NDArray[np.int64] = _NONE
    x: Floats = NOTHING
    ys: Mapping[str, Floats] = {}

    def within(self, left: float, right: float) -> NDArray[np.int64]:
        """The stretches of which something lies between two places."""
        if not len(self.starts):
            return _NONE
        first, last = self.x[self.starts], self.x[self.stops - 1]
        return np.flatnonzero((first <= right) & (last >= left))


def parts_of(metrics: tuple[Metric, ...], table: Table, order: Order, status: Status) -> Parts:
    """The stretches, along the axis of an order."""
    timed = order.axis.kind == "time"
    x = table["at_s"] if timed else order.axis.place(table["iteration"])
    known = np.isfinite(x)
    rows: slice | NDArray[np.int64] = slice(None) if known.all() else np.flatnonzero(known)
    x, attempt = x[rows], whole(table[COLUMN][rows])
    if not len(x):
        return Parts()
    cuts = np.flatnonzero((attempt[1:] != attempt[:-1]) | ~(x[1:] > x[:-1])) + 1
    starts = np.concatenate(([0], cuts))
    stops = np.concatenate((cuts, [len(x)]))
    ys = {metric.key: _finite(metric, table, status)[rows] for metric in metrics}
    return Parts(attempt[starts] + 1, starts, stops, x, ys)


def _finite(metric: Metric, table: Table, status: Status) -> Floats:
    with np.errstate(all="ignore"):
        values = bounded(metric.values(table, status))
        return np.where(np.isinf(values), np.nan, values)
