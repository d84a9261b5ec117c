"""A metric over the iterations, ready to be binned: made once per snapshot, in the reader's thread.

Iterations go backwards when a run goes back to a checkpoint. What was trained again is kept apart (`old`),
so that the line that counts rises from left to right and can be searched.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainwatch.app.tui.chart.metrics import Floats, Metric, Table, bad_rows
from trainwatch.core.model.snapshot import Snapshot
from trainwatch.core.model.status import Status

NOTHING: Floats = np.empty(0)


class Trace(NamedTuple):
    """Values by iteration. Every x rises strictly; values are finite or NaN."""

    x: Floats = NOTHING
    y: Floats = NOTHING
    old_x: Floats = NOTHING
    old_y: Floats = NOTHING
    bad: Floats = NOTHING  # iterations whose value was NaN or infinite


class Order(NamedTuple):
    """Which rows count (a slice where all do) and the others by iteration; with their iterations."""

    live: NDArray[np.bool_] | slice
    old: NDArray[np.int64]
    x: Floats
    old_x: Floats


def order_of(iteration: Floats) -> Order:
    """Rows that no later row goes back behind, and the rest."""
    nothing = np.empty(0, np.int64)
    if bool(np.all(iteration[1:] > iteration[:-1])) and bool(np.all(np.isfinite(iteration[:1]))):
        return Order(slice(None), nothing, iteration, NOTHING)
    finite = np.isfinite(iteration)
    known = iteration if finite.all() else np.where(finite, iteration, np.inf)
    lowest_from_here = np.minimum.accumulate(known[::-1])[::-1]
    live = finite.copy()
    live[:-1] &= lowest_from_here[1:] > known[:-1]
    old = np.flatnonzero(~live & finite)
    old = old[np.argsort(iteration[old], kind="stable")]
    return Order(live, old, iteration[live], iteration[old])


def trace_of(metric: Metric, table: Table, order: Order, status: Status) -> Trace:
    """The trace of one metric."""
    with np.errstate(all="ignore"):
        values = metric.values(table, status)
        infinite = np.isinf(values)
        if infinite.any():
            values = np.where(infinite, np.nan, values)
        bad = table["iteration"][bad_rows(metric, table, infinite)]
    return Trace(
        x=order.x,
        y=values[order.live],
        old_x=order.old_x,
        old_y=values[order.old],
        bad=np.sort(bad[np.isfinite(bad)]),
    )


class Traces:
    """The traces of the metrics that are looked at, made anew when history or what they depend on changed."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[object, Trace]] = {}
        self._order: tuple[object, Order] = ((), order_of(NOTHING))

    def of(self, snapshot: Snapshot, metrics: tuple[Metric, ...]) -> dict[str, Trace]:
        """By key; a metric whose columns are not read yet is left out."""
        return {
            metric.key: self._trace(snapshot, metric)
            for metric in metrics
            if snapshot.history.columns.keys() >= {*metric.columns, "iteration"}
        }

    def _trace(self, snapshot: Snapshot, metric: Metric) -> Trace:
        history, status = snapshot.history, snapshot.status
        state = (history.rows, _last(history.columns["iteration"]))
        now = (status.tflops, status.tokens_per_s, status.step_time_s, len(status.attempts))
        key = (state, now if "step_time_s" in metric.columns else None)
        made = self._made.get(metric.key)
        if made is not None and made[0] == key:
            return made[1]
        table = {name: np.asarray(column) for name, column in history.columns.items()}
        if self._order[0] != state:
            self._order = (state, order_of(table["iteration"]))
        trace = trace_of(metric, table, self._order[1], status)
        self._made[metric.key] = (key, trace)
        return trace


def _last(column: object) -> float | None:
    values = np.asarray(column)
    return float(values[-1]) if len(values) else None
