"""The lines of a chart: traces -> bins and means -> cells. Pure."""

from typing import NamedTuple

from trainwatch.app.tui.chart import axes, canvas
from trainwatch.app.tui.chart.axes import Span
from trainwatch.app.tui.chart.bins import Bins, binned, joined
from trainwatch.app.tui.chart.canvas import Cells
from trainwatch.app.tui.chart.drawing import Drawing
from trainwatch.app.tui.chart.metrics import Floats
from trainwatch.app.tui.chart.orders import NOTHING
from trainwatch.app.tui.chart.overlay import OTHER_SIGN, Overlay
from trainwatch.app.tui.chart.smoothing import cropped, margin, smoothed, wider


class Line(NamedTuple):
    """The bins of values, their means joined, and the line that is drawn for them."""

    bins: Bins
    raw: Floats
    mean: Floats


class Lines(NamedTuple):
    """What is drawn in a chart."""

    live: Line
    old: Bins
    smooth: bool = False
    beside: tuple[Line, ...] = ()  # of the overlay


def lines_of(drawing: Drawing, count: int) -> Lines:
    """The lines of a chart of so many columns of dots."""
    trace, sides = drawing.trace, drawing.sides
    ends = sides.left, sides.right
    old = binned(trace.old_x, trace.old_y, NOTHING, *ends, count, sides.unit)
    live = line_of(trace.x, trace.y, trace.bad, drawing, count)
    beside = tuple(line_of(b.x, b.y, NOTHING, drawing, count) for b in drawing.overlay.lines)
    return Lines(live, old, bool(drawing.smooth), beside)


def line_of(x: Floats, y: Floats, bad: Floats, drawing: Drawing, count: int) -> Line:
    """One line. A smooth one is made of what lies beyond the view, too."""
    sides = drawing.sides
    more = margin(drawing.smooth, sides, count)
    if not more:
        bins = binned(x, y, bad, sides.left, sides.right, count, sides.unit)
        raw = joined(bins)
        return Line(bins, raw, raw)
    left, right, unit = wider(sides, count, more)
    around = binned(x, y, bad, left, right, count + 2 * more, unit)
    bins = cropped(around, more)
    return Line(bins, joined(bins), smoothed(around, more))


def span_of(lines: Lines, *, whole: bool) -> Span | None:
    """The range of values that is shown."""
    bins = [lines.live.bins, *(line.bins for line in lines.beside)]
    spans = [span for each in bins if (span := axes.span_of(each, whole=whole)) is not None]
    if not spans:
        return axes.span_of(lines.old, whole=whole)
    return Span(min(s.low for s in spans), max(s.high for s in spans))


def draw(cells: Cells, lines: Lines, overlay: Overlay, span: Span) -> None:
    """What was trained again, the values, and on top of them their mean, or that of each attempt."""
    live = lines.live
    # another run lies below this one
    pairs = sorted(
        zip(overlay.lines, lines.beside, strict=True), key=lambda pair: pair[0].sign != OTHER_SIGN
    )
    for beside, line in pairs:
        if beside.sign == OTHER_SIGN:
            _draw_values(cells, line, span, canvas.OTHER_BAND, smooth=lines.smooth)
    canvas.draw_line(cells, lines.old.low, lines.old.high, span, canvas.OLD)
    _draw_values(cells, live, span, canvas.BAND, smooth=lines.smooth)
    for beside, line in pairs:
        canvas.draw_line(cells, line.mean, line.mean, span, canvas.STYLES.index(beside.style))
    if not overlay.attempts:
        canvas.draw_line(cells, live.mean, live.mean, span, canvas.LINE)
    for number, (beside, line) in enumerate(pairs):
        kind = canvas.STYLES.index(beside.style)
        canvas.put_signs(cells, line.mean, span, beside.sign, number, kind)
    canvas.mark_beyond(cells, live.bins.low, live.bins.high, span)


def _draw_values(cells: Cells, line: Line, span: Span, kind: int, *, smooth: bool) -> None:
    """From least to greatest; behind a smooth line they have one of their own where they are few."""
    canvas.draw_line(cells, line.bins.low, line.bins.high, span, kind)
    if smooth:
        canvas.draw_line(cells, line.raw, line.raw, span, kind)
