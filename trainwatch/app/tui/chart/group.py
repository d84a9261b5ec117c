"""The charts of a run: up to four, of one history, in one view. What moves one moves all."""

from collections.abc import Iterable, Mapping

from textual.actions import SkipAction
from textual.app import ComposeResult
from textual.containers import Container
from textual.message import Message

from trainwatch.app.tui.chart import sayings
from trainwatch.app.tui.chart import view as views
from trainwatch.app.tui.chart.drawing import GUTTER
from trainwatch.app.tui.chart.drawings import Drawings, Scene, tabs_of
from trainwatch.app.tui.chart.look import Look, turned
from trainwatch.app.tui.chart.metrics import METRICS, Metric, columns_of, extras
from trainwatch.app.tui.chart.parts import COLUMN as ATTEMPT
from trainwatch.app.tui.chart.ranges import Extent, range_of
from trainwatch.app.tui.chart.smoothing import LEVELS
from trainwatch.app.tui.chart.traces import BATCH_SIZE, Trace
from trainwatch.app.tui.chart.view import LEAST_SPAN, WHOLE
from trainwatch.app.tui.chart.widget import Chart, Moved
from trainwatch.app.tui.chart.xaxis import COLUMNS, ITERATIONS, KINDS, Axis
from trainwatch.app.tui.feed import Looked, Seen
from trainwatch.app.tui.keys import CHARTS, bindings
from trainwatch.app.tui.layout import charts_in
from trainwatch.core.errors import UsageError
from trainwatch.core.model.snapshot import EMPTY

__all__ = ["MOST", "Charts", "Look"]

MOST = 4
_NONE = Trace()


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

    class Said(Message):
        """Something for whoever pressed a key."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.look = Look()
        self.shown = [metric.key for metric in METRICS[:MOST]]
        self.metrics: tuple[Metric, ...] = METRICS
        self.traces: Mapping[str, Trace] = {}
        self.axis: Axis = ITERATIONS  # that traces, view and cursor are of
        self._seen, self._told = Seen(EMPTY, {}), ""
        self._drawings = Drawings()

    def compose(self) -> ComposeResult:
        """As many as ever fit; style hides what does not."""
        for number in range(MOST):
            yield Chart(id=f"chart-{number}")

    def columns(self) -> frozenset[str]:
        """The columns of history that what is shown is made of."""
        others = {*COLUMNS[self.look.axis]}
        if self._seen.snapshot is not EMPTY:
            others.add(BATCH_SIZE)
        if self.look.split:
            others.add(ATTEMPT)
        return frozenset(others).union(*(columns_of(metric) for metric in self.wanted()))

    def looked(self) -> Looked:
        """What the reader makes of them."""
        return Looked(self.wanted(), self.look.axis, self.look.split)

    def wanted(self) -> tuple[Metric, ...]:
        """The metrics that can be seen."""
        count = charts_in(*self.app.size)
        return tuple(self._metric(key) for key in self.shown[:count])

    def show(self, seen: Seen) -> None:
        """Show this from now on."""
        before, first = (self.axis, self.first_and_last()), self._seen.snapshot is EMPTY
        snapshot, axis = seen.snapshot, seen.axis
        if snapshot.history.names != self._seen.snapshot.history.names:
            self.metrics = METRICS + extras(snapshot.history.names)
        self._seen, self.traces, self.axis = seen, seen.traces, axis
        if axis.kind != before[0].kind:
            self.look = turned(self.look, *before, axis, self.first_and_last()[1])
        self._say(sayings.of_axis(before[0], axis))
        self._say_of_other()
        self.renew()
        if first:
            self.post_message(self.Wanted())  # what can wait until something is seen

    def renew(self) -> None:
        """Hand every chart its drawing; those that look the same do nothing."""
        first, last = self.first_and_last()
        left, right = self.look.view.range(first, last)
        seen = self._seen
        marked = self._drawings.marked(seen.snapshot, self.axis, seen.batches)
        parts = seen.parts if self.look.split else None
        other = seen.other if self.look.other else None
        scene = Scene(self.look, self.axis, marked, left, right, parts, other)
        for key, chart in zip(self.shown, self._charts(), strict=True):
            if chart.display:
                metric = self._metric(key)
                trace, tabs = self.traces.get(metric.key, _NONE), tabs_of(self.metrics, metric)
                chart.show(self._drawings.of(metric, trace, scene, tabs))

    def first_and_last(self) -> tuple[float, float]:
        """The first and the last place of what is shown."""
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
        step = max(self.axis.unit, (right - left) / max(1, self._focused().size.width - GUTTER))
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

    def action_range(self) -> None:
        """Ask from where to where."""
        from trainwatch.app.tui.prompt import Prompting

        asks = sayings.range_asked(self.axis.kind)
        self.app.push_screen(Prompting("range", asks, ""), self._ranged)

    def action_axis(self) -> None:
        """Against iterations, tokens, time; shown once it is read."""
        kind = KINDS[(KINDS.index(self.look.axis) + 1) % len(KINDS)]
        self._set(axis=kind)
        self.post_message(self.Wanted())

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

    def action_smooth(self) -> None:
        """Off, light, strong; the title says how much."""
        self._set(smooth=(self.look.smooth + 1) % len(LEVELS))
        self._say(f"smoothing: {LEVELS[self.look.smooth]}")

    def action_split(self) -> None:
        """Each attempt a line of its own, and back."""
        self._set(split=not self.look.split)
        self.post_message(self.Wanted())

    def action_compare(self) -> None:
        """Ask for another run."""
        from trainwatch.app.tui.prompt import Prompting

        known = self._seen.snapshot.others
        asking = Prompting("compare", sayings.other_asked(known), self.look.other, known)
        self.app.push_screen(asking, self._compare)

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
        at = self.first_and_last()[1] if self.look.cursor is None else self.look.cursor
        self.post_message(self.Pointed(round(self.axis.iteration(at))))

    def _ranged(self, said: tuple[str, str] | None) -> None:
        """From where to where was typed."""
        if said is None:
            return
        first, last = self.first_and_last()
        try:
            begin, end = range_of(said[1], Extent(self.axis.kind, first, last))
        except UsageError as error:
            self._say(str(error))
            return
        self._set(view=views.between(begin, end, first, last, self._least))

    def _compare(self, said: tuple[str, str] | None) -> None:
        """Another run was named."""
        if said is not None:
            self._set(other=said[1].strip())
            self.post_message(self.Wanted())

    def _move(self, moved: Moved) -> None:
        first, last = self.first_and_last()
        if moved.zoom is not None:
            around = moved.zoom, moved.cursor
            view = views.zoomed(self.look.view, *around, first, last, self._least)
            self._set(view=view)
        elif moved.pan is not None:
            self._set(view=views.panned(self.look.view, moved.pan, first, last))
        elif moved.cursor is not None:
            self._set(cursor=float(round(min(max(moved.cursor, first), last))))

    def _say_of_other(self) -> None:
        """Say why a run cannot be compared with; one of which nothing can be read is not asked for again."""
        seen, other = self._seen, self._seen.snapshot.other
        if other is None or other.name != self.look.other:
            self._told = ""
            return
        if seen.trouble != self._told:
            self._say(seen.trouble)
        self._told = seen.trouble
        if seen.other is None:
            self._set(other="")
            self.post_message(self.Wanted())

    def _say(self, text: str) -> None:
        if text:
            self.post_message(self.Said(text))

    @property
    def _least(self) -> float:
        """The least that may be in view."""
        return LEAST_SPAN * self.axis.unit

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
