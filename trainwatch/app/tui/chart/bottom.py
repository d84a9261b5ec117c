"""The last row of a chart: the axis below the plot, and what is marked on it. Pure."""

from itertools import groupby

import numpy as np

from trainwatch.app.tui.chart import canvas
from trainwatch.app.tui.chart.drawing import CROWDED, GUTTER, Drawing, Run
from trainwatch.app.tui.chart.xlabels import labelled

SAVED, CHANGED = "▵", "≡"
_STYLES = {SAVED: "saved", CHANGED: "batch"}
_NAMES = {"iteration": "", "tokens": "tokens", "time": "time"}  # what is counted, in the corner


def bottom(drawing: Drawing, width: int) -> list[Run]:
    """The row, `width` columns beside the gutter."""
    row = [" "] * width
    taken, free = set[int](), 0
    known = len(drawing.trace.x) or len(drawing.trace.old_x)
    kind = drawing.axis.kind
    for x, text in labelled(kind, drawing.left, drawing.right, width) if known else []:
        middle = canvas.column_of(np.array([x]), drawing.sides, width)
        start = int(middle[0]) - len(text) // 2 if len(middle) else -1
        if free <= start <= width - len(text):
            row[start : start + len(text)] = text
            free = start + len(text) + 2
            taken.update(range(start, start + len(text)))
    for sign, columns in ((SAVED, _saved(drawing, width)), (CHANGED, changed(drawing, width))):
        for column in columns:
            if column not in taken:
                row[column] = sign
    runs = groupby(row, lambda sign: _STYLES.get(sign, "axis"))
    corner = f"{_NAMES[kind]:>{GUTTER - 1}} "
    return [(corner, "axis"), *(("".join(group), style) for style, group in runs)]


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
