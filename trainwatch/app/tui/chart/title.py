"""The rule above a chart: what is drawn, how, and a value. Pure."""

from typing import NamedTuple

import numpy as np

from trainwatch.app import words
from trainwatch.app.tui.chart import xlabels
from trainwatch.app.tui.chart.drawing import Drawing, Run
from trainwatch.app.tui.chart.metrics import Floats
from trainwatch.app.tui.chart.overlay import OTHER_SIGN
from trainwatch.app.tui.chart.xaxis import Axis

_NAME = 20  # characters of a run's name


def titled(drawing: Drawing, width: int, *, short: bool = False) -> list[Run]:
    """The rule: what is drawn, how, and a value. What there is no room for goes, the tabs first."""
    dash = "━" if drawing.lit else "─"
    left: list[Run] = [(f"{dash * 2} ", "rule")]
    tabs = () if drawing.overlay.lines or drawing.overlay.attempts else drawing.tabs
    for name, shown in tabs or ((drawing.metric.title, True),):
        left += [(name, "title" if shown else "tab"), ("  " if tabs else " ", "rule")]
    left += _legend(drawing)
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
    value = (f" {_number(read.value)}{unit_said}", "value")
    return [*runs, value, *_beside(drawing, read), (f"{at} ", "tab")]


def _legend(drawing: Drawing) -> list[Run]:
    """Which sign is whose line."""
    overlay = drawing.overlay
    runs: list[Run] = [(" attempts ", "tab")] if overlay.attempts else []
    if overlay.left_out:
        runs.append((f"({overlay.left_out:,} earlier ones not shown) ", "tab"))
    for line in overlay.lines:
        there = len(line.x) and line.x[-1] >= drawing.left and line.x[0] <= drawing.right
        name = words.clean(line.name, _NAME) + ("" if there else " (nothing here)")
        runs.append((f" {line.sign} {name} ", line.style))
    return runs


def _beside(drawing: Drawing, read: "Read") -> list[Run]:
    """What the other lines say at the same place, and another run how far it is from this one."""
    left, right, unit = drawing.sides
    near = max(2 * unit, (right - left) / 200)
    runs = list[Run]()
    for line in drawing.overlay.lines:
        at = drawing._replace(cursor=read.x if drawing.cursor is None else drawing.cursor)
        found = _before(line.x, line.y, at)
        other = found.value if found is not None and abs(found.x - read.x) <= near else None
        if line.sign != OTHER_SIGN and other is None:
            continue
        apart = ""
        if line.sign == OTHER_SIGN and other is not None and read.value is not None:
            apart = f" ({'+' if other >= read.value else '-'}{_number(abs(other - read.value))})"
        runs.append((f"  {line.sign} {_number(other)}{apart}", line.style))
    return runs


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
    return words.number(value) if not value or abs(value) >= 1e-3 else f"{value:.3e}"


def _cut(runs: list[Run], width: int) -> list[Run]:
    kept, left = [], width
    for text, style in runs:
        kept.append((text[:left], style))
        left -= len(kept[-1][0])
    return [*kept, (" " * left, "rule")]
