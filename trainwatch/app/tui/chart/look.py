"""What the user chose to see of the charts: a value. Pure."""

from typing import NamedTuple

from trainwatch.app.tui.chart.view import LEAST_SPAN, WHOLE, View
from trainwatch.app.tui.chart.xaxis import Axis, Kind, moved


class Look(NamedTuple):
    """What the user chose. View and cursor are places on the axis that is shown."""

    view: View = WHOLE
    cursor: float | None = None
    log: frozenset[str] = frozenset()  # keys of metrics
    whole: frozenset[str] = frozenset()
    axis: Kind = "iteration"  # asked for; shown once it is there
    smooth: int = 0  # one of smoothing.LEVELS
    split: bool = False  # each attempt a line of its own
    other: str = ""  # a run to compare with, by name or log


def turned(look: Look, before: Axis, ends: tuple[float, float], after: Axis, last: float) -> Look:
    """The same iterations in view on another axis, whose last place is `last`; `ends` were those before."""
    cursor = None if look.cursor is None else moved(look.cursor, before, after)
    if look.view.span is None:
        return look._replace(cursor=cursor)
    left, right = (moved(x, before, after) for x in look.view.range(*ends))
    end = last if look.view.end is None else right
    if left is None or end is None or end - left < LEAST_SPAN * after.unit:
        return look._replace(view=WHOLE, cursor=cursor)
    view = View(end - left, None if look.view.end is None else end)
    return look._replace(view=view, cursor=cursor)
