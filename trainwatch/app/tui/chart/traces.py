"""A metric along the axis, ready to be binned: made once per snapshot, in the reader's thread."""

from typing import NamedTuple

import numpy as np

from trainwatch.app.tui.chart.metrics import Floats, Metric, Table, bad_rows, bounded, table_of
from trainwatch.app.tui.chart.orders import NOTHING, Order, order_of, ordered
from trainwatch.app.tui.chart.parts import COLUMN as ATTEMPT
from trainwatch.app.tui.chart.parts import Parts, parts_of
from trainwatch.app.tui.chart.xaxis import COLUMNS, ITERATIONS, Axis, Kind
from trainwatch.core.model.snapshot import Snapshot
from trainwatch.core.model.status import Status

__all__ = ["BATCH_SIZE", "NOTHING", "Trace", "Traces", "changes", "trace_of"]

BATCH_SIZE = "global_batch_size"


class Trace(NamedTuple):
    """Values by place. Every x rises (against iterations strictly); values are finite or NaN.

    What was trained again is kept apart (`old`), so that the line that counts can be searched.
    """

    x: Floats = NOTHING
    y: Floats = NOTHING
    old_x: Floats = NOTHING
    old_y: Floats = NOTHING
    bad: Floats = NOTHING  # places whose value was NaN or infinite


def trace_of(metric: Metric, table: Table, order: Order, status: Status) -> Trace:
    """The trace of one metric."""
    with np.errstate(all="ignore"):
        values = metric.values(table, status)
        infinite = np.isinf(bounded(values))
        if infinite.any():
            values = np.where(infinite, np.nan, values)
        bad = order.places(table, bad_rows(metric, table, infinite))
    return Trace(
        x=order.x,
        y=values[order.live],
        old_x=order.old_x,
        old_y=values[order.old],
        bad=bad,
    )


class Traces:
    """The traces of the metrics that are looked at, made anew when history or what they depend on changed."""

    def __init__(self) -> None:
        self._made: dict[str, tuple[object, Trace]] = {}
        self._order: tuple[object, Order] = ((), order_of(NOTHING))
        self._batches: tuple[object, Floats] = ((), NOTHING)
        self._parts: tuple[object, Parts] = ((), Parts())

    def of(self, snapshot: Snapshot, metrics: tuple[Metric, ...]) -> dict[str, Trace]:
        """By key, along the axis that was asked for last; a metric whose columns are not read is left out."""
        return {
            metric.key: self._trace(snapshot, metric)
            for metric in metrics
            if snapshot.history.columns.keys() >= {*metric.columns, "iteration"}
        }

    def along(self, snapshot: Snapshot, kind: Kind) -> Axis:
        """The axis of this kind, or why it cannot be had; traces are made along it from now on."""
        columns = snapshot.history.columns
        if "iteration" not in columns:
            return ITERATIONS
        if not columns.keys() >= {*COLUMNS[kind]}:
            kind = "iteration"
        state = (_state(snapshot), kind, snapshot.status.seq_length if kind == "tokens" else None)
        if self._order[0] != state:
            names = ("iteration", *COLUMNS[kind])
            table = table_of(columns, names)
            self._order = (state, ordered(kind, table, snapshot.status))
        return self._order[1].axis

    def parts(self, snapshot: Snapshot, metrics: tuple[Metric, ...]) -> Parts | None:
        """Its attempts, along the axis; None while what they are made of is not read."""
        columns, status = snapshot.history.columns, snapshot.status
        there = tuple(m for m in metrics if columns.keys() >= {*m.columns})
        if not columns.keys() >= {"iteration", ATTEMPT}:
            return None
        key = (self._order[0], there, status.tflops, status.step_time_s)
        if self._parts[0] != key:
            table = table_of(columns, columns)
            self._parts = (key, parts_of(there, table, self._order[1], status))
        return self._parts[1]

    def batches(self, snapshot: Snapshot) -> Floats:
        """Where the batch size is another than before, along the axis; nothing while that is not read."""
        column = snapshot.history.columns.get(BATCH_SIZE)
        if column is None or not len(column):
            return NOTHING
        if self._batches[0] != self._order[0]:
            self._batches = (self._order[0], changes(bounded(np.asarray(column)), self._order[1]))
        return self._batches[1]

    def _trace(self, snapshot: Snapshot, metric: Metric) -> Trace:
        history, status = snapshot.history, snapshot.status
        now = (status.tflops, status.tokens_per_s, status.step_time_s, len(status.attempts))
        key = (self._order[0], now if "step_time_s" in metric.columns else None)
        made = self._made.get(metric.key)
        if made is not None and made[0] == key:
            return made[1]
        names = {"iteration", "at_s", *metric.columns} & history.columns.keys()
        table = table_of(history.columns, names)
        trace = trace_of(metric, table, self._order[1], status)
        self._made[metric.key] = (key, trace)
        return trace


def changes(column: Floats, order: Order) -> Floats:
    """The places at which a value that counts is another than the one before."""
    values = column[order.live]
    known = np.isfinite(values)
    places = order.x
    if not known.all():
        values, places = values[known], places[known]
    found: Floats = places[1:][values[1:] != values[:-1]]
    return found


def _state(snapshot: Snapshot) -> tuple[int, float | None]:
    """Changes when history does."""
    values = np.asarray(snapshot.history.columns["iteration"])
    return snapshot.history.rows, float(values[-1]) if len(values) else None
