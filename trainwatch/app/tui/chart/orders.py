"""Which rows of history count, and where each is on the axis: rows -> places that rise.

Iterations go backwards when a run goes back to a checkpoint: what was trained again is `old`. On a clock it
has a place of its own; on the other axes it lies under what replaced it.
"""

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainwatch.app.tui.chart.metrics import Floats, Table, bounded, whole
from trainwatch.app.tui.chart.xaxis import ITERATIONS, Axis, Kind, between, usual_distance
from trainwatch.core.columns import AT_DERIVED
from trainwatch.core.model.status import Status

NOTHING: Floats = np.empty(0)
Rows = NDArray[np.bool_] | NDArray[np.int64] | slice


class Order(NamedTuple):
    """Which rows count (a slice where all do) and the others by place; with their places."""

    live: Rows
    old: NDArray[np.int64]
    x: Floats
    old_x: Floats
    axis: Axis = ITERATIONS

    def places(self, table: Table, rows: NDArray[np.int64]) -> Floats:
        """Where some rows are, rising; those of which that is not known are left out."""
        timed = self.axis.kind == "time"
        found = table["at_s"][rows] if timed else self.axis.place(table["iteration"][rows])
        return np.sort(found[np.isfinite(found)])


def order_of(iteration: Floats) -> Order:
    """Rows that no later row goes back behind, and the rest; against iterations."""
    nothing = np.empty(0, np.int64)
    ends = iteration[[0, -1]] if len(iteration) else iteration
    if bool(np.all(iteration[1:] > iteration[:-1])) and bool(np.all(np.isfinite(ends))):
        return Order(slice(None), nothing, iteration, NOTHING)
    finite = np.isfinite(iteration)
    known = iteration if finite.all() else np.where(finite, iteration, np.inf)
    lowest_from_here = np.minimum.accumulate(known[::-1])[::-1]
    live = finite.copy()
    live[:-1] &= lowest_from_here[1:] > known[:-1]
    old = np.flatnonzero(~live & finite)
    old = old[np.argsort(iteration[old], kind="stable")]
    return Order(live, old, iteration[live], iteration[old])


def ordered(kind: Kind, table: Table, status: Status) -> Order:
    """The order on an axis; that of iterations, with the axis' `trouble`, where it cannot be had."""
    base = order_of(table["iteration"])
    if kind == "tokens":
        return _by_tokens(base, table, status)
    return _by_time(base, table) if kind == "time" else base


def _by_tokens(base: Order, table: Table, status: Status) -> Order:
    tokens, note = _tokens(base, table, status)
    tokens = bounded(tokens)
    known = np.flatnonzero(np.isfinite(tokens))
    if len(known) < 2:
        trouble = "tokens are not known: the log tells neither tokens nor samples"
        if not status.seq_length:
            trouble = "tokens are not known: the log tells none, and no sequence length"
        return base._replace(axis=Axis(trouble=trouble))
    first, stop = int(known[0]), int(known[-1]) + 1
    iterations, x = base.x[first:stop], tokens[first:stop]
    if len(known) < stop - first:
        x = between(iterations, base.x[known], tokens[known])
    x = np.maximum.accumulate(x)
    axis = Axis("tokens", iterations, x, usual_distance(x), note=note)
    old_x = axis.place(base.old_x)
    there = np.isfinite(old_x)
    live = _part(base.live, first, stop)
    return Order(live, base.old[there], x, old_x[there], axis)


def _part(live: Rows, first: int, stop: int) -> Rows:
    if isinstance(live, slice):
        return slice(first, stop)
    return np.flatnonzero(live)[first:stop]


def _tokens(base: Order, table: Table, status: Status) -> tuple[Floats, str]:
    """Tokens trained at each row that counts, NaN for unknown; and how they are known."""
    tokens, length = table["consumed_tokens"][base.live], status.seq_length
    if length:
        samples = table["consumed_samples"][base.live] * length
        tokens = np.where(np.isnan(tokens), samples, tokens)
        if not np.isfinite(tokens).any():
            return _added_up(base, table, length)
    return tokens, ""


def _added_up(base: Order, table: Table, length: int) -> tuple[Floats, str]:
    """From the batch size of each iteration, if it is known from the first on (or never changed)."""
    batches = table["global_batch_size"][base.live]
    steps = np.diff(base.x, prepend=0.0)
    if not len(steps) or not np.isfinite(batches).all():
        return NOTHING, ""
    late = len(steps) > 1 and steps[0] > 2 * usual_distance(base.x)
    if late and (batches != batches[0]).any():
        return NOTHING, ""
    with np.errstate(all="ignore"):  # of batches as large as numbers can be
        tokens = np.cumsum(batches * steps) * length
    return tokens, "tokens are added up from the batch size"


def _by_time(base: Order, table: Table) -> Order:
    at = table["at_s"]
    live, x = _timed(_indices(base.live, len(at)), at)
    if len(x) < 2:
        trouble = "times are not known: the log has no clock, and a sum of step times is none"
        return base._replace(axis=Axis(trouble=trouble))
    old, old_x = _timed(np.sort(base.old), at)
    iterations = table["iteration"][live]
    rises = np.argsort(iterations, kind="stable")
    places = np.maximum.accumulate(x[rises])  # a clock that was set back
    axis = Axis("time", iterations[rises], places, usual_distance(x), note=_note(table, live, base))
    return Order(live, old, x, old_x, axis)


def _indices(live: Rows, count: int) -> NDArray[np.int64]:
    return np.arange(count, dtype=np.int64)[live]


def _timed(rows: NDArray[np.int64], at: Floats) -> tuple[NDArray[np.int64], Floats]:
    """Rows whose time is known, by time."""
    x = at[rows]
    known = np.isfinite(x)
    if not known.all():
        rows, x = rows[known], x[known]
    if (x[1:] < x[:-1]).any():
        order = np.argsort(x, kind="stable")
        rows, x = rows[order], x[order]
    return rows, x


def _note(table: Table, live: NDArray[np.int64], base: Order) -> str:
    """How times are known."""
    missing = len(base.x) - len(live)
    flags = whole(table["flags"][live])
    added = np.count_nonzero(flags & AT_DERIVED) / len(live)
    said = []
    if missing:
        said.append(f"{missing:,} without a time are not shown")
    if added > 0:
        said.append(f"{max(1, round(added * 100))} % of the times are added up since a time stamp")
    return "; ".join(said)
