"""One chart as rows of styled text: title, plot with its value axis, iteration axis. Pure.

Styles are names: the widget knows their colours.
"""

import math
from itertools import groupby
from typing import NamedTuple

import numpy as np

from trainwatch.app import words
from trainwatch.app.tui.chart import axes, canvas
from trainwatch.app.tui.chart.bins import Bins, binned, joined
from trainwatch.app.tui.chart.canvas import Cells
from trainwatch.app.tui.chart.metrics import Floats, Metric
from trainwatch.app.tui.chart.traces import NOTHING, Trace

Run = tuple[str, str]  # text and the name of its style
GUTTER = 8  # columns of the value axis: seven for a label
LEAST_HEIGHT = 3
_STYLES = (
    "empty",
    "line",
    "band",
    "old",
    "attempt",
    "cursor",
    "bad",
    "beyond",
    "check",
    "warned",
    "alarmed",
    "warned-sign",
    "alarmed-sign",
)
SAVED = "▵"
_CROWDED = 5  # columns a mark; more marks than that say nothing


class Marked(NamedTuple):
    """Iterations that are marked in every chart, and the validations of those that show them."""

    attempts: Floats = NOTHING
    saved: Floats = NOTHING
    validated: Floats = NOTHING
    validation_loss: Floats = NOTHING
    warned: Floats = NOTHING
    alarmed: Floats = NOTHING


class Drawing(NamedTuple):
    """What a chart shows."""

    metric: Metric
    trace: Trace
    marked: Marked
    left: float  # the iterations in view
    right: float
    cursor: float | None = None  # iteration
    log: bool = False
    whole: bool = False  # the value axis shows outliers, too
    tabs: tuple[tuple[str, bool], ...] = ()  # names of metrics, and which is shown; for the title
    lit: bool = False  # it has the keys


def framed(drawing: Drawing, width: int, height: int) -> list[list[Run]]:
    """`height` rows of `width` columns."""
    if height < LEAST_HEIGHT or width < GUTTER + 4:
        return [[(" " * width, "empty")] for _ in range(height)]
    plot_width, plot_height = width - GUTTER, height - 2
    live, old = _binned(drawing, plot_width)
    span = axes.span_of(live, whole=drawing.whole) or axes.span_of(old, whole=drawing.whole)
    rows = _plot(drawing, live, old, span, plot_width, plot_height)
    labels = _value_labels(span, drawing.log, plot_height)
    body = [[(label, "axis"), *row] for label, row in zip(labels, rows, strict=True)]
    return [_title(drawing, width), *body, _iterations(drawing, plot_width)]


def _binned(drawing: Drawing, width: int) -> tuple[Bins, Bins]:
    trace, count = drawing.trace, 2 * width
    sides = drawing.left, drawing.right
    live = binned(trace.x, trace.y, trace.bad, *sides, count)
    return live, binned(trace.old_x, trace.old_y, NOTHING, *sides, count)


def _plot(
    drawing: Drawing, live: Bins, old: Bins, span: axes.Span | None, width: int, height: int
) -> list[list[Run]]:
    cells = canvas.blank(width, height)
    if span is not None:
        canvas.draw_line(cells, old.low, old.high, span, canvas.OLD)
        canvas.draw_line(cells, live.low, live.high, span, canvas.BAND)
        line = joined(live)
        canvas.draw_line(cells, line, line, span, canvas.LINE)
        canvas.mark_beyond(cells, live.low, live.high, span)
        _put_validations(cells, drawing, span)
    canvas.mark_bad(cells, live.bad)
    _mark(cells, drawing, width)
    if span is None:
        _say(cells, "nothing to draw here yet" if not len(drawing.trace.x) else "no values here")
    return [[(text, _STYLES[kind]) for text, kind in row] for row in canvas.texts(cells)]


def _mark(cells: Cells, drawing: Drawing, width: int) -> None:
    """Cursor, alerts and attempts."""
    sides = drawing.left, drawing.right
    if drawing.cursor is not None:
        column = canvas.column_of(np.array([drawing.cursor]), *sides, width)
        canvas.draw_upright(cells, column, "│", canvas.CURSOR)
    _mark_alerts(cells, drawing, width)
    attempts = canvas.column_of(drawing.marked.attempts, *sides, width)
    if len(attempts) <= max(1, width // _CROWDED):
        canvas.draw_upright(cells, attempts, "┊", canvas.ATTEMPT)


def _mark_alerts(cells: Cells, drawing: Drawing, width: int) -> None:
    """An upright line under a sign for each that fired; just the signs where there are many."""
    marked = drawing.marked
    for fired, sign, line_kind, sign_kind in (
        (marked.alarmed, "✖", canvas.ALARMED, canvas.ALARMED_SIGN),
        (marked.warned, "!", canvas.WARNED, canvas.WARNED_SIGN),
    ):
        columns = np.unique(canvas.column_of(fired, drawing.left, drawing.right, width))
        free = columns[cells.kinds[0, columns] < canvas.WARNED]
        if len(columns) <= width // _CROWDED:
            canvas.draw_upright(cells, free, "╎", line_kind)
        canvas.put(cells, free, np.zeros_like(free), sign, sign_kind)


def _put_validations(cells: Cells, drawing: Drawing, span: axes.Span) -> None:
    if not drawing.metric.validated:
        return
    marked, width = drawing.marked, cells.codes.shape[1]
    inside = (marked.validated >= drawing.left) & (marked.validated <= drawing.right)
    losses = marked.validation_loss[inside]
    if drawing.log:
        with np.errstate(all="ignore"):
            losses = np.log10(losses)
    columns = canvas.column_of(marked.validated[inside], drawing.left, drawing.right, width)
    known = np.isfinite(losses)
    rows = canvas.row_of(losses[known], span, cells.codes.shape[0])
    canvas.put(cells, columns[known], rows, "◆", canvas.CHECK)


def _say(cells: Cells, text: str) -> None:
    height, width = cells.codes.shape
    start = max(0, (width - len(text)) // 2)
    shown = text[: width - start]
    cells.codes[height // 2, start : start + len(shown)] = [ord(c) for c in shown]


def _value_labels(span: axes.Span | None, log: bool, height: int) -> list[str]:
    """The labels of the value axis, one a row."""
    labels = [" " * GUTTER] * height
    if span is None:
        return labels
    most = max(3, height // 3)
    places = (axes.log_ticks if log else axes.ticks)(span.low, span.high, most)
    step = axes.round_step(span.high - span.low, most)
    rows = canvas.row_of(np.array(places), span, height)
    for place, row in zip(places, rows, strict=True):
        text = axes.log_label(place) if log else axes.label(place, step)
        labels[row] = text[: GUTTER - 1].rjust(GUTTER - 1) + " "
    return labels


def _iterations(drawing: Drawing, width: int) -> list[Run]:
    """The axis of iterations, and the checkpoints on it."""
    row = [" "] * width
    free = 0
    known = len(drawing.trace.x) or len(drawing.trace.old_x)
    places = axes.ticks(drawing.left, drawing.right, max(1, width // 12)) if known else []
    for place in places:
        if place != math.floor(place):
            continue
        text = f"{place:,.0f}"
        middle = canvas.column_of(np.array([place]), drawing.left, drawing.right, width)
        start = int(middle[0]) - len(text) // 2 if len(middle) else -1
        if free <= start <= width - len(text):
            row[start : start + len(text)] = text
            free = start + len(text) + 2
    for column in _saved(drawing, width):
        if row[column] == " ":
            row[column] = SAVED
    runs = [("".join(group), mark) for mark, group in groupby(row, lambda c: c == SAVED)]
    return [(" " * GUTTER, "axis"), *((text, "saved" if mark else "axis") for text, mark in runs)]


def _saved(drawing: Drawing, width: int) -> list[int]:
    """The columns of checkpoints; only the last where there are many."""
    columns = canvas.column_of(drawing.marked.saved, drawing.left, drawing.right, width)
    different: list[int] = np.unique(columns).tolist()
    return different if len(different) <= width // _CROWDED else [int(columns[-1])]


def _title(drawing: Drawing, width: int) -> list[Run]:
    """The rule above: what is drawn, how, and a value."""
    dash = "━" if drawing.lit else "─"
    left: list[Run] = [(f"{dash * 2} ", "rule")]
    for name, shown in drawing.tabs or ((drawing.metric.title, True),):
        left += [(name, "title" if shown else "tab"), ("  " if drawing.tabs else " ", "rule")]
    right = [*_readout(drawing), (dash * 2, "rule")]
    room = width - sum(len(text) for text, _ in left) - sum(len(text) for text, _ in right)
    if room < 1 and drawing.tabs:
        return _title(drawing._replace(tabs=()), width)
    if room < 1:
        return _cut([*left, *right], width)
    return [*left, (dash * room, "rule"), *right]


def _readout(drawing: Drawing) -> list[Run]:
    trace, metric = drawing.trace, drawing.metric
    flags = [name for name, on in (("log", drawing.log), ("all values", drawing.whole)) if on]
    runs: list[Run] = []
    bad = np.searchsorted(trace.bad, (drawing.left - 0.5, drawing.right + 0.5))
    if count := int(bad[1] - bad[0]):
        runs.append((f" ✗ {count:,} NaN or infinite ", "bad"))
    if flags:
        runs.append((f" {', '.join(flags)} ", "tab"))
    place, value = _value(drawing)
    if place is None:
        return runs
    number = words.number(value) if value is None or abs(value) >= 1e-3 else f"{value:.3e}"
    at = f" at {place:,.0f}" if drawing.cursor is not None else ""
    unit = f" {metric.unit}" if metric.unit and value is not None else ""
    return [*runs, (f" {number}{unit}", "value"), (f"{at} ", "tab")]


def _value(drawing: Drawing) -> tuple[float | None, float | None]:
    """The iteration at (or before) the cursor or the newest, and its value."""
    trace = drawing.trace
    if not len(trace.x):
        return None, None
    index = len(trace.x) - 1
    if drawing.cursor is not None:
        index = int(np.searchsorted(trace.x, drawing.cursor, side="right")) - 1
    if index < 0:
        return None, None
    value = float(trace.y[index])
    if drawing.log and value == value:
        value = 10**value
    return float(trace.x[index]), value if value == value else None


def _cut(runs: list[Run], width: int) -> list[Run]:
    kept, left = [], width
    for text, style in runs:
        kept.append((text[:left], style))
        left -= len(kept[-1][0])
    return [*kept, (" " * left, "rule")]
