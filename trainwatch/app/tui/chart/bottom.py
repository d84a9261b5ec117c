"""The last row of a chart: the axis below the plot, and what is marked on it. Pure."""

from collections.abc import Collection
from itertools import groupby

import numpy as np

from trainwatch.app.tui.chart import canvas
from trainwatch.app.tui.chart.drawing import CROWDED, GUTTER, Drawing, Run
from trainwatch.app.tui.chart.xlabels import labelled

SAVED, CHANGED, _TICK = "▵", "≡", "╵"
_STYLES = {SAVED: "saved", CHANGED: "batch"}
_NAMES = {"iteration": "", "tokens": "tokens", "time": "time"}  # what is counted, in the corner


def bottom(drawing: Drawing, width: int) -> list[Run]:
    """The row, `width` columns beside the gutter."""
    marks = dict.fromkeys(_saved(drawing, width), SAVED)
    marks |= dict.fromkeys(changed(drawing, width), CHANGED)
    kind = drawing.axis.kind
    row = _labels(drawing, width, marks)
    if not any(character.isalnum() for character in row):
        row = _labels(drawing, width, {})  # an axis that says nothing is none
    for column, sign in marks.items():
        if not row[column].isalnum():
            row[column] = sign
    runs = groupby(row, lambda sign: _STYLES.get(sign, "axis"))
    corner = f"{_NAMES[kind]:>{GUTTER - 1}} "
    return [(corner, "axis"), *(("".join(group), style) for style, group in runs)]


def _labels(drawing: Drawing, width: int, marks: Collection[int]) -> list[str]:
    """The axis: each label beside its place, on the side where it hides none of the marks."""
    row, free = [" "] * width, 0
    known = len(drawing.trace.x) or len(drawing.trace.old_x)
    for x, text in labelled(drawing.axis.kind, drawing.left, drawing.right, width) if known else []:
        for at in canvas.column_of(np.array([x]), drawing.sides, width).tolist():
            for start in (at + 1, at - len(text)):
                stop = start + len(text)
                if (
                    free <= min(start, at)
                    and stop <= width
                    and not {*range(start, stop)} & {*marks}
                ):
                    row[at], row[start:stop] = _TICK, text
                    free = max(at, stop) + 2
                    break
    return row


def _saved(drawing: Drawing, width: int) -> list[int]:
    """The columns of checkpoints; only the last where there are many."""
    columns = canvas.column_of(drawing.marked.saved, drawing.sides, width)
    different: list[int] = np.unique(columns).tolist()
    return different if len(different) <= width // CROWDED else [int(columns[-1])]


def changed(drawing: Drawing, width: int) -> list[int]:
    """The columns in which the batch size changes; of a ramp with many steps the first and the last."""
    columns = canvas.column_of(drawing.marked.batches, drawing.sides, width)
    different: list[int] = np.unique(columns).tolist()
    return different if len(different) <= width // CROWDED else [different[0], different[-1]]
