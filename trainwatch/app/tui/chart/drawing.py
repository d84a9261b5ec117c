"""What one chart shows: a value that is handed to the widget, and drawn in frame.py."""

from typing import NamedTuple

from trainwatch.app.tui.chart.canvas import Sides
from trainwatch.app.tui.chart.metrics import Floats, Metric
from trainwatch.app.tui.chart.orders import NOTHING
from trainwatch.app.tui.chart.overlay import ALONE, Overlay
from trainwatch.app.tui.chart.traces import Trace
from trainwatch.app.tui.chart.xaxis import ITERATIONS, Axis

Run = tuple[str, str]  # text and the name of its style
GUTTER = 8  # columns of the value axis: seven for a label
CROWDED = 5  # columns a mark; more marks than that say nothing


class Marked(NamedTuple):
    """Places that are marked in every chart, and the validations of those that show them."""

    attempts: Floats = NOTHING
    saved: Floats = NOTHING
    validated: Floats = NOTHING
    validation_loss: Floats = NOTHING
    warned: Floats = NOTHING
    alarmed: Floats = NOTHING
    batches: Floats = NOTHING  # where the batch size changes


class Drawing(NamedTuple):
    """What a chart shows."""

    metric: Metric
    trace: Trace
    marked: Marked
    left: float  # the places in view
    right: float
    cursor: float | None = None  # place
    log: bool = False
    whole: bool = False  # the value axis shows outliers, too
    tabs: tuple[tuple[str, bool], ...] = ()  # names of metrics, and which is shown; for the title
    lit: bool = False  # it has the keys
    axis: Axis = ITERATIONS
    overlay: Overlay = ALONE
    smooth: float = 0.0  # so much of the axis a point of the line is the mean of

    @property
    def sides(self) -> Sides:
        """What is in view."""
        return Sides(self.left, self.right, self.axis.unit)
