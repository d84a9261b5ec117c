"""The charts of a run: up to four, of one history, in one view. What moves one moves all."""

from collections.abc import Iterable, Mapping
from typing import NamedTuple

import numpy as np
from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message

from trainwatch.app.tui.chart import view as views
from trainwatch.app.tui.chart.bins import positive
from trainwatch.app.tui.chart.frame import GUTTER, Drawing, Marked
from trainwatch.app.tui.chart.metrics import METRICS, Metric, columns_of, extras
from trainwatch.app.tui.chart.traces import Trace
from trainwatch.app.tui.chart.view import WHOLE, View
from trainwatch.app.tui.chart.widget import Chart, Moved
from trainwatch.app.tui.keys import CHARTS, bindings
from trainwatch.app.tui.layout import charts_in
from trainwatch.core.model.snapshot import EMPTY, Marks, Snapshot

MOST = 4
_NONE = Trace()
_TABS = 5  # names of metrics in a title


class Look(NamedTuple):
    """What the user chose."""

    view: View = WHOLE
    cursor: float | None = None
    log: frozenset[str] = frozenset()  # keys of metrics
    whole: frozenset[str] = frozenset()


class Charts(Container):
    """Shows traces; keeps what the user chose."""

    BINDINGS = bindings(CHARTS)

    class Wanted(Message):
        """Other columns are needed than before."""

    class Pointed(Message):
        """The log at an iteration is asked for."""

        def __init__(self, iteration: int) -> None:
            super().__init__()
            self.iteration = iteration

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.look = Look()
        self.shown = [metric.key for metric in METRICS[:MOST]]
        self.metrics: tuple[Metric, ...] = METRICS
        self.traces: Mapping[str, Trace] = {}
        self._snapshot: Snapshot = EMPTY
        self._marked: tuple[Marks, int, Marked] | None = None
        self._logs: dict[str, tuple[Trace, Trace]] = {}

    def compose(self) -> ComposeResult:
        """As many as ever fit; style hides what does not."""
        for number in range(MOST):
            yield Chart(id=f"chart-{number}")

    def columns(self) -> frozenset[str]:
        """The columns of history that what is shown is made of."""
        return frozenset().union(*(columns_of(metric) for metric in self.wanted()))

    def wanted(self) -> tuple[Metric, ...]:
        """The metrics that can be seen."""
        count = charts_in(*self.app.size)
        return tuple(self._metric(key) for key in self.shown[:count])

    def show(self, snapshot: Snapshot, traces: Mapping[str, Trace]) -> None:
        """Show this from now on."""
        if snapshot.history.names != self._snapshot.history.names:
            self.metrics = METRICS + extras(snapshot.history.names)
        self._snapshot, self.traces = snapshot, traces
        self.renew()

    def renew(self) -> None:
        """Hand every chart its drawing; those that look the same do nothing."""
        first, last = self.first_and_last()
        left, right = self.look.view.range(first, last)
        marked = self._marks()
        # fewer charts than keys: the run is being left
        for key, chart in zip(self.shown, self._charts(), strict=False):
            if chart.display:
                chart.show(self._drawing(key, left, right, marked))

    def first_and_last(self) -> tuple[float, float]:
        """The first and the last iteration of what is shown."""
        ends = [x for t in self.traces.values() for x in (t.x, t.old_x) if len(x)]
        if not ends:
            return 0.0, 1.0
        return min(float(x[0]) for x in ends), max(float(x[-1]) for x in ends)

    def on_resize(self) -> None:
        """Another number of charts may be seen, which need other columns."""
        self.call_after_refresh(self._seen_others)

    def on_chart_asked(self, event: Chart.Asked) -> None:
        """A mouse did something on a chart."""
        event.stop()
        self._move(event.moved)

    def action_cursor(self, cells: int) -> None:
        """Move the cursor; the view follows."""
        first, last = self.first_and_last()
        left, right = self.look.view.range(first, last)
        step = max(1.0, (right - left) / max(1, self._focused().size.width - GUTTER))
        at = right if self.look.cursor is None else self.look.cursor + cells * step
        at = float(round(min(max(at, first), last)))
        self._set(cursor=at, view=views.moved_to(self.look.view, at, first, last))

    def action_zoom(self, factor: float) -> None:
        """Closer or further away, around the cursor."""
        self._move(Moved(zoom=factor, cursor=self.look.cursor))

    def action_pan(self, share: float) -> None:
        """Earlier or later."""
        self._move(Moved(pan=share))

    def action_edge(self, newest: int) -> None:
        """To the first or the newest iterations, as close as now."""
        first, last = self.first_and_last()
        end = last if newest else first
        view = views.panned(views.moved_to(self.look.view, end, first, last), 0.0, first, last)
        self._set(view=view._replace(end=None) if newest else view, cursor=None)

    def action_all(self) -> None:
        """Everything."""
        self._set(view=WHOLE)

    def action_metric(self, number: int) -> None:
        """Show another metric in the chart that has the keys."""
        if number <= len(self.metrics):
            self._choose(self.metrics[number - 1].key)

    def action_turn(self, steps: int) -> None:
        """The next metric, or the one before."""
        keys = [metric.key for metric in self.metrics]
        key = self.shown[self._number()]
        self._choose(keys[(keys.index(key) + steps) % len(keys)] if key in keys else keys[0])

    def action_scale(self) -> None:
        """Log scale, and back."""
        self._set(log=self.look.log ^ {self.shown[self._number()]})

    def action_outliers(self) -> None:
        """All values, or without the outlying ones."""
        self._set(whole=self.look.whole ^ {self.shown[self._number()]})

    def action_no_cursor(self) -> None:
        """No cursor; without one the key is for others."""
        if self.look.cursor is None:
            raise SkipAction
        self._set(cursor=None)

    def action_log(self) -> None:
        """The iteration under the cursor (else the newest) in the log."""
        at = self.look.cursor
        self.post_message(self.Pointed(round(self.first_and_last()[1] if at is None else at)))

    def _move(self, moved: Moved) -> None:
        first, last = self.first_and_last()
        if moved.zoom is not None:
            view = views.zoomed(self.look.view, moved.zoom, moved.cursor, first, last)
            self._set(view=view)
        elif moved.pan is not None:
            self._set(view=views.panned(self.look.view, moved.pan, first, last))
        elif moved.cursor is not None:
            self._set(cursor=float(round(min(max(moved.cursor, first), last))))

    def _set(self, **changes: object) -> None:
        self.look = self.look._replace(**changes)  # type: ignore[arg-type]
        self.renew()

    def _choose(self, key: str) -> None:
        self.shown[self._number()] = key
        self._seen_others()

    def _seen_others(self) -> None:
        self.renew()
        self.post_message(self.Wanted())

    def _charts(self) -> Iterable[Chart]:
        return self.query(Chart)

    def _focused(self) -> Chart:
        charts = list(self._charts())
        return charts[self._number()]

    def _number(self) -> int:
        """Of the chart that has the keys."""
        return next((n for n, chart in enumerate(self._charts()) if chart.has_focus), 0)

    def _metric(self, key: str) -> Metric:
        return next((m for m in self.metrics if m.key == key), METRICS[0])

    def _drawing(self, key: str, left: float, right: float, marked: Marked) -> Drawing:
        metric, log = self._metric(key), key in self.look.log
        trace = self.traces.get(metric.key, _NONE)
        return Drawing(
            metric=metric,
            trace=self._logarithmic(metric.key, trace) if log else trace,
            marked=marked,
            left=left,
            right=right,
            cursor=self.look.cursor,
            log=log,
            whole=key in self.look.whole,
            tabs=self._tabs(metric),
        )

    def _tabs(self, metric: Metric) -> tuple[tuple[str, bool], ...]:
        """The names of the metrics with their keys, this one among them."""
        numbered = list(enumerate(self.metrics, 1))
        place = self.metrics.index(metric) if metric in self.metrics else 0
        start = max(0, min(place - _TABS // 2, len(numbered) - _TABS))
        near = numbered[start : start + _TABS]
        return tuple((f"{n} {m.title}" if n < 10 else m.title, m is metric) for n, m in near)

    def _logarithmic(self, key: str, trace: Trace) -> Trace:
        made = self._logs.get(key)
        if made is None or made[0] is not trace:
            logged = trace._replace(y=positive(trace.y), old_y=positive(trace.old_y))
            made = self._logs[key] = (trace, logged)
        return made[1]

    def _marks(self) -> Marked:
        """Marks as arrays, made anew when there are others."""
        marks, attempts = self._snapshot.marks, self._snapshot.status.attempts
        made = self._marked
        if made is None or made[0] is not marks or made[1] != len(attempts):
            began = [float(a.first_iteration) for a in attempts[1:] if a.first_iteration]
            columns = (marks.saved, marks.validated, marks.validation_loss)
            arrays = (np.asarray(c, np.float64) for c in (*columns, marks.warning, marks.critical))
            marked = Marked(np.array(began, np.float64), *arrays)
            made = self._marked = (marks, len(attempts), marked)
        return made[2]
