"""What the user chose and what was read -> a drawing a chart. Keeps what is made once per snapshot."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from trainwatch.app.tui.chart.bins import positive
from trainwatch.app.tui.chart.canvas import Sides
from trainwatch.app.tui.chart.drawing import Drawing, Marked
from trainwatch.app.tui.chart.look import Look
from trainwatch.app.tui.chart.metrics import Floats, Metric, bounded
from trainwatch.app.tui.chart.overlay import Compared, Overlays
from trainwatch.app.tui.chart.parts import Parts
from trainwatch.app.tui.chart.smoothing import window
from trainwatch.app.tui.chart.traces import Trace
from trainwatch.app.tui.chart.xaxis import Axis
from trainwatch.core.model.snapshot import Marks, Snapshot
from trainwatch.core.model.status import AttemptStatus

_TABS = 5  # names of metrics in a title


class Scene(NamedTuple):
    """What is the same for all charts."""

    look: Look
    axis: Axis
    marked: Marked
    left: float
    right: float
    parts: Parts | None = None
    other: Compared | None = None

    @property
    def smooth(self) -> float:
        """How much of the axis a point of a line is the mean of."""
        sides = Sides(self.left, self.right, self.axis.unit)
        return window(self.look.smooth, self.axis.kind, sides)


class Drawings:
    """Makes them."""

    def __init__(self) -> None:
        self._marked: tuple[tuple[object, ...], Marked] | None = None
        self._overlays = Overlays()
        self._of: tuple[object, ...] = ()
        self._logs: dict[str, tuple[Trace, Trace]] = {}

    def of(self, metric: Metric, trace: Trace, scene: Scene, tabs: "Tabs") -> Drawing:
        """The drawing of a metric."""
        look = scene.look
        log = metric.key in look.log
        return Drawing(
            metric=metric,
            trace=self._logarithmic(metric.key, trace) if log else trace,
            marked=scene.marked,
            left=scene.left,
            right=scene.right,
            cursor=look.cursor,
            log=log,
            whole=metric.key in look.whole,
            tabs=tabs,
            axis=scene.axis,
            smooth=scene.smooth,
            overlay=self._overlays.of(
                metric.key, scene.parts, scene.other, (scene.left, scene.right), log=log
            ),
        )

    def marked(self, snapshot: Snapshot, axis: Axis, batches: Floats) -> Marked:
        """Marks on the axis, made anew when there are others."""
        marks, attempts = snapshot.marks, snapshot.status.attempts
        of = (marks, axis, batches)
        made = self._marked
        if made is None or made[0] != (len(attempts), *map(id, of)):
            marked = _placed(marks, attempts, axis)._replace(batches=batches)
            made = self._marked = ((len(attempts), *map(id, of)), marked)
            self._of = of  # kept: what is gone may be followed by another at its place
        return made[1]

    def _logarithmic(self, key: str, trace: Trace) -> Trace:
        made = self._logs.get(key)
        if made is None or made[0] is not trace:
            logged = trace._replace(y=positive(trace.y), old_y=positive(trace.old_y))
            made = self._logs[key] = (trace, logged)
        return made[1]


Tabs = tuple[tuple[str, bool], ...]


def tabs_of(metrics: Sequence[Metric], metric: Metric) -> Tabs:
    """The names of the metrics with their keys, this one among them."""
    numbered = list(enumerate(metrics, 1))
    place = metrics.index(metric) if metric in metrics else 0
    start = max(0, min(place - _TABS // 2, len(numbered) - _TABS))
    near = numbered[start : start + _TABS]
    return tuple((f"{n} {m.title}" if n < 10 else m.title, m is metric) for n, m in near)


def _placed(marks: Marks, attempts: Sequence[AttemptStatus], axis: Axis) -> Marked:
    def placed(column: object) -> Floats:
        return axis.place(bounded(np.asarray(column, np.float64)))

    return Marked(
        attempts=_began(attempts[1:], axis),
        saved=placed(marks.saved),
        validated=placed(marks.validated),
        validation_loss=bounded(np.asarray(marks.validation_loss, np.float64)),
        warned=placed(marks.warning),
        alarmed=placed(marks.critical),
    )


def _began(attempts: Sequence[AttemptStatus], axis: Axis) -> Floats:
    """Where attempts began: on a clock when they did, as far as it is known."""
    trained = [a for a in attempts if a.first_iteration]
    places = axis.place(np.array([float(a.first_iteration or 0) for a in trained], np.float64))
    if axis.kind == "time":
        told = np.array([np.nan if a.began_at is None else a.began_at for a in trained])
        places = np.where(np.isnan(told), places, bounded(told))
    return places
