"""The view as a table (CSV): the rows themselves, not what was made of them to be drawn. Pure.

The trap: a million rows are long text. It is made a piece at a time, by whoever writes it down.
"""

import csv
import io
from collections.abc import Iterator, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainwatch.app import words
from trainwatch.app.tui.chart.metrics import Floats, Metric, Table, bad_rows, columns_of
from trainwatch.app.tui.chart.orders import ordered
from trainwatch.app.tui.chart.xaxis import COLUMNS, Kind
from trainwatch.core.model.snapshot import History
from trainwatch.core.model.status import Status

_CHUNK = 16384
_LARGEST = 2.0**53
_FORMULA = ("=", "+", "-", "@")  # what a spreadsheet would run
# beside what is drawn, as history has it
_ALWAYS = frozenset({"iteration", "attempt", *COLUMNS["tokens"], *COLUMNS["time"]})
# a metric is called as in `trainwatch export`
_NAMES = {
    "norm": "grad_norm",
    "lr": "learning_rate",
    "step": "step_time_s",
    "tokens": "tokens_per_s",
    "batch": "global_batch_size",
}


class Rows(NamedTuple):
    """A run, as it was read."""

    run: str
    history: History
    status: Status


class Tabled(NamedTuple):
    """What is in view of which runs."""

    runs: tuple[Rows, ...]
    metrics: tuple[Metric, ...]
    kind: Kind
    left: float
    right: float


def needed(metrics: Sequence[Metric]) -> frozenset[str]:
    """The columns of history that a table is made of."""
    return _ALWAYS.union(*(columns_of(metric) for metric in metrics))


def lines(view: Tabled) -> Iterator[str]:
    """A header, then a line a row, in the order in which they were trained; a piece of many at a time."""
    names = (_NAMES.get(metric.key, metric.key) for metric in view.metrics)
    yield _text(
        [("run", "iteration", "consumed_tokens", "at_s", "attempt", "trained_again", *names)]
    )
    for rows in view.runs:
        yield from _of(rows, view)


def _of(rows: Rows, view: Tabled) -> Iterator[str]:
    table = {name: np.asarray(column) for name, column in rows.history.columns.items()}
    tokens = ordered("tokens", table, rows.status).axis
    counted = tokens.place(table["iteration"]) if tokens.kind == "tokens" else None
    counted = np.full(len(table["iteration"]), np.nan) if counted is None else counted
    places = {"iteration": table["iteration"], "tokens": counted, "time": table["at_s"]}[view.kind]
    with np.errstate(invalid="ignore"):
        chosen = np.flatnonzero((places >= view.left) & (places <= view.right))
    again = np.zeros(len(places), bool)
    again[ordered("iteration", table, rows.status).old] = True
    values = [_values(metric, table, rows.status) for metric in view.metrics]
    columns = [table["iteration"], counted, table["at_s"], table["attempt"]]
    run = _harmless(rows.run)
    for start in range(0, len(chosen), _CHUNK):
        part = chosen[start : start + _CHUNK]
        cells = [_cells(column[part]) for column in columns]
        cells.append(["true" if old else "false" for old in again[part].tolist()])
        cells += [_cells(column[part], bad[part]) for column, bad in values]
        yield _text(zip([run] * len(part), *cells, strict=True))


def _values(metric: Metric, table: Table, status: Status) -> tuple[Floats, NDArray[np.bool_]]:
    """A metric in each row, and where it was NaN: that is not the same as unknown."""
    with np.errstate(all="ignore"):
        values = metric.values(table, status)
    bad = np.zeros(len(values), bool)
    bad[bad_rows(metric, table, np.zeros(len(values), bool))] = True
    return values, bad


def _cells(column: Floats, bad: NDArray[np.bool_] | None = None) -> list[str]:
    """10.0 as 10; nothing for what is unknown."""
    texts = [
        "" if v != v else str(int(v)) if v.is_integer() and abs(v) < _LARGEST else repr(v)
        for v in column.tolist()
    ]
    for row in () if bad is None else np.flatnonzero(bad).tolist():
        texts[row] = texts[row] or "nan"
    return texts


def _harmless(run: str) -> str:
    run = words.clean(run)
    return f"'{run}" if run.startswith(_FORMULA) else run


def _text(rows: "Sequence[tuple[str, ...]] | zip[tuple[str, ...]]") -> str:
    out = io.StringIO()
    csv.writer(out, lineterminator="\n").writerows(rows)
    return out.getvalue()
