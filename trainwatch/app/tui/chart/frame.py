"""One chart as rows of styled text: title, plot with its value axis, the axis below. Pure.

Styles are names: the widget knows their colours.
"""

import numpy as np

from trainwatch.app.tui.chart import axes, canvas
from trainwatch.app.tui.chart.bottom import bottom, changed
from trainwatch.app.tui.chart.canvas import Cells
from trainwatch.app.tui.chart.drawing import CROWDED, GUTTER, Drawing, Marked, Run
from trainwatch.app.tui.chart.lines import Lines, draw, lines_of, span_of
from trainwatch.app.tui.chart.title import titled

__all__ = ["GUTTER", "LEAST_HEIGHT", "Drawing", "Marked", "framed"]

LEAST_HEIGHT = 3
_TRIES = 6  # for a second label of the value axis


def framed(drawing: Drawing, width: int, height: int) -> list[list[Run]]:
    """`height` rows of `width` columns."""
    if height < LEAST_HEIGHT or width < GUTTER + 4:
        return [[(" " * width, "empty")] for _ in range(height)]
    plot_width, plot_height = width - GUTTER, height - 2
    lines = lines_of(drawing, 2 * plot_width)
    span = span_of(lines, whole=drawing.whole)
    rows = _plot(drawing, lines, span, plot_width, plot_height)
    labels = _value_labels(span, drawing.log, plot_height)
    body = [[(label, "axis"), *row] for label, row in zip(labels, rows, strict=True)]
    return [titled(drawing, width), *body, bottom(drawing, plot_width)]


def _plot(
    drawing: Drawing, lines: Lines, span: axes.Span | None, width: int, height: int
) -> list[list[Run]]:
    cells = canvas.blank(width, height)
    if span is not None:
        draw(cells, lines, drawing.overlay, span)
        _put_validations(cells, drawing, span)
    canvas.mark_bad(cells, lines.live.bins.bad)
    _mark(cells, drawing, width)
    if span is None:
        _say(cells, "nothing to draw here yet" if not len(drawing.trace.x) else "no values here")
    return [[(text, canvas.STYLES[kind]) for text, kind in row] for row in canvas.texts(cells)]


def _mark(cells: Cells, drawing: Drawing, width: int) -> None:
    """Cursor, alerts, attempts, and where the batch size changes."""
    sides = drawing.sides
    if drawing.cursor is not None:
        column = canvas.column_of(np.array([drawing.cursor]), sides, width)
        canvas.draw_upright(cells, column, "│", canvas.CURSOR)
    _mark_alerts(cells, drawing, width)
    attempts = canvas.column_of(drawing.marked.attempts, sides, width)
    if len(attempts) <= max(1, width // CROWDED):
        canvas.draw_upright(cells, attempts, "┊", canvas.ATTEMPT)
    batches = np.array(changed(drawing, width), np.int64)
    canvas.draw_upright(cells, batches, "⋮", canvas.BATCH)


def _mark_alerts(cells: Cells, drawing: Drawing, width: int) -> None:
    """An upright line under a sign for each that fired; just the signs where there are many."""
    marked = drawing.marked
    for fired, sign, line_kind, sign_kind in (
        (marked.alarmed, "✖", canvas.ALARMED, canvas.ALARMED_SIGN),
        (marked.warned, "!", canvas.WARNED, canvas.WARNED_SIGN),
    ):
        columns = np.unique(canvas.column_of(fired, drawing.sides, width))
        free = columns[cells.kinds[0, columns] < canvas.WARNED]
        if len(columns) <= width // CROWDED:
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
    columns = canvas.column_of(marked.validated[inside], drawing.sides, width)
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
    made, least = axes.log_ticks if log else axes.ticks, max(3, height // 3)
    for most in range(least, least + _TRIES):
        places = made(span.low, span.high, most)
        if len(places) > 1:
            break
    step = axes.round_step(span.high - span.low, most)
    rows = canvas.row_of(np.array(places), span, height)
    for place, row in zip(places, rows, strict=True):
        text = axes.log_label(place) if log else axes.label(place, step)
        labels[row] = text[: GUTTER - 1].rjust(GUTTER - 1) + " "
    return labels
