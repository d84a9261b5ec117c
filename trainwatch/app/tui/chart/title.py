"""The rule above a chart: what is drawn, how, and a value. Pure."""

from typing import NamedTuple

import numpy as np

from trainwatch.app import words
from trainwatch.app.tui.chart import xlabels
from trainwatch.app.tui.chart.drawing import Drawing, Run
from trainwatch.app.tui.chart.metrics import Floats
from trainwatch.app.tui.chart.xaxis import Axis


def titled(drawing: Drawing, width: int, *, short: bool = False) -> list[Run]:
    """The rule: what is drawn, how, and a value. What there is no room for goes, the tabs first."""
    dash = "━" if drawing.lit else "─"
    left: list[Run] = [(f"{dash * 2} ", "rule")]
    for name, shown in drawing.tabs or ((drawing.metric.title, True),):
        left += [(name, "title" if shown else "tab"), ("  " if drawing.tabs else " ", "rule")]
    right = [*_readout(drawing, short=short), (dash * 2, "rule")]
    room = width - sum(len(text) for text, _ in left) - sum(len(text) for text, _ in right)
    if room >= 1:
        return [*left, (dash * room, "rule"), *right]
    if drawing.tabs or not short:
        return titled(drawing._replace(tabs=()), width, short=not drawing.tabs)
    return _cut([*left, *right], width)


def _readout(drawing: Drawing, *, short: bool) -> list[Run]:
    trace, metric = drawing.trace, drawing.metric
    flags = [name for name, on in (("log", drawing.log), ("all values", drawing.whole)) if on]
    if drawing.smooth:
        flags.append(f"smooth {xlabels.length(drawing.axis.kind, drawing.smooth)}")
    runs: list[Run] = []
    left, right, unit = drawing.sides
    bad = np.searchsorted(trace.bad, (left - unit / 2, right + unit / 2))
    if count := int(bad[1] - bad[0]):
        runs.append((f" ✗ {count:,} " if short else f" ✗ {count:,} NaN or infinite ", "bad"))
    if flags:
        runs.append((f" {', '.join(flags)} ", "tab"))
    read = _read(drawing)
    if read is None:
        return runs
    unit_said = f" {metric.unit}" if metric.unit and read.value is not None else ""
    at = f" at {_where(drawing.axis, read)}" if drawing.cursor is not None else ""
    return [*runs, (f" {_number(read.value)}{unit_said}", "value"), (f"{at} ", "tab")]


class Read(NamedTuple):
    """A value, and where it is."""

    x: float
    value: float | None
    old: bool = False


def _read(drawing: Drawing) -> Read | None:
    """The value at (or before) the cursor, or the newest; on a clock of what was trained again, too."""
    trace = drawing.trace
    found = _before(trace.x, trace.y, drawing)
    if drawing.axis.kind == "time" and drawing.cursor is not None:
        old = _before(trace.old_x, trace.old_y, drawing)
        if old is not None and (found is None or old.x > found.x):
            return old._replace(old=True)
    return found


def _before(x: Floats, y: Floats, drawing: Drawing) -> Read | None:
    """The value at (or before) the cursor, else the last."""
    index = len(x) - 1
    if drawing.cursor is not None:
        index = int(np.searchsorted(x, drawing.cursor, side="right")) - 1
    if index < 0:
        return None
    value = float(y[index])
    if drawing.log and value == value:
        value = 10**value
    return Read(float(x[index]), value if value == value else None)


def _where(axis: Axis, read: Read) -> str:
    place = xlabels.place(axis.kind, read.x)
    if axis.kind == "iteration":
        return place
    if read.old:
        return f"{place}, trained again"
    return f"{place}, {axis.iteration(read.x):,.0f}"


def _number(value: float | None) -> str:
    return words.number(value) if value is None or abs(value) >= 1e-3 else f"{value:.3e}"


def _cut(runs: list[Run], width: int) -> list[Run]:
    kept, left = [], width
    for text, style in runs:
        kept.append((text[:left], style))
        left -= len(kept[-1][0])
    return [*kept, (" " * left, "rule")]
