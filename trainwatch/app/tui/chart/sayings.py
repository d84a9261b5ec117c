"""What the charts ask for and say in the last line of the screen. Pure."""

from collections.abc import Sequence

from trainwatch.app.tui.chart.ranges import EXAMPLES
from trainwatch.app.tui.chart.xaxis import CALLED, Axis, Kind

_NAMED = 5  # runs that are named while another is asked for


def range_asked(kind: Kind) -> str:
    """For a range."""
    return f"from-to: {EXAMPLES[kind]}"


def other_asked(known: Sequence[str]) -> str:
    """For another run."""
    more = ", …" if len(known) > _NAMED else ""
    named = f" ({', '.join(known[:_NAMED])}{more})" if known else ""
    return f"compare with: the name or the log of another run{named}; nothing: none"


def of_axis(before: Axis, axis: Axis) -> str:
    """That the axis is another, or cannot be had; nothing where that is known."""
    if axis.trouble:
        said = "" if axis.trouble == before.trouble else axis.trouble
    else:
        said = f"against {CALLED[axis.kind]}" if axis.kind != before.kind else ""
    return f"{said}; {axis.note}" if said and axis.note else said
