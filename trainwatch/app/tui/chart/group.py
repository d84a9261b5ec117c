"""The charts of a run: up to four, of one history, in one view. What moves one moves all."""

from collections.abc import Iterable

from textual.app import ComposeResult
from textual.message import Message

from trainwatch.app.tui.chart import sayings
from trainwatch.app.tui.chart.drawings import Drawings, Scene, tabs_of
from trainwatch.app.tui.chart.look import Look, turned
from trainwatch.app.tui.chart.metrics import METRICS, Metric, columns_of, extras
from trainwatch.app.tui.chart.moving import Moving
from trainwatch.app.tui.chart.parts import COLUMN as ATTEMPT
from trainwatch.app.tui.chart.smoothing import LEVELS
from trainwatch.app.tui.chart.table import Rows, Tabled, needed
from trainwatch.app.tui.chart.traces import BATCH_SIZE, Trace
from trainwatch.app.tui.chart.widget import Chart
from trainwatch.app.tui.chart.xaxis import COLUMNS, KINDS
from trainwatch.app.tui.feed import Looked, Seen
from trainwatch.app.tui.keys import CHARTS, bindings
from trainwatch.app.tui.layout import charts_in
from trainwatch.core.model.snapshot import EMPTY

__all__ = ["MOST", "Charts", "Look"]

MOST = 4
_NONE = Trace()


class Charts(Moving):
    """Shows traces; keeps what the user chose. How they move is said in moving.py."""

    BINDINGS = bindings(CHARTS)

    class Wanted(Message):
        """Other columns are needed than before."""

    class Pointed(Message):
        """The log at an iteration is asked for."""

        def __init__(self, iteration: int) -> None:
            super().__init__()
            self.iteration = iteration

    class Exported(Message):
        """The view is to be kept as a table."""

        def __init__(self, view: Tabled) -> None:
            super().__init__()
            self.view = view

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.shown = [metric.key for metric in METRICS[:MOST]]
        self.metrics: tuple[Metric, ...] = METRICS
        self._seen, self._told = Seen(EMPTY, {}), ""
        self._exports = False  # once all that a table needs is read
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
        if self._exports:
            others |= needed(self.wanted())
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
        self._export()
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
        # fewer charts than keys: the run is being left
        for key, chart in zip(self.shown, self._charts(), strict=False):
            if chart.display:
                metric = self._metric(key)
                trace, tabs = self.traces.get(metric.key, _NONE), tabs_of(self.metrics, metric)
                chart.show(self._drawings.of(metric, trace, scene, tabs))

    def on_resize(self) -> None:
        """Another number of charts may be seen, which need other columns."""
        self.call_after_refresh(self._seen_others)

    def on_chart_asked(self, event: Chart.Asked) -> None:
        """A mouse did something on a chart."""
        event.stop()
        self._move(event.moved)

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

    def action_export(self) -> None:
        """What is in view, as a table; more columns are read for it first."""
        if not self._seen.snapshot.history.rows:
            self._say("there is nothing to save yet")
            return
        self._exports = True
        self._export()
        if self._exports:
            self._say("reading what is to be saved")
            self.post_message(self.Wanted())

    def action_outliers(self) -> None:
        """All values, or without the outlying ones."""
        self._set(whole=self.look.whole ^ {self.shown[self._number()]})

    def action_log(self) -> None:
        """The iteration under the cursor (else the newest) in the log."""
        at = self.first_and_last()[1] if self.look.cursor is None else self.look.cursor
        self.post_message(self.Pointed(round(self.axis.iteration(at))))

    def _compare(self, said: tuple[str, str] | None) -> None:
        """Another run was named."""
        if said is not None:
            self._set(other=said[1].strip())
            self.post_message(self.Wanted())

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

    def _export(self) -> None:
        """Where all is read that a table is made of, hand it on."""
        snapshot, metrics, other = self._seen.snapshot, self.wanted(), self._seen.snapshot.other
        runs = [Rows(snapshot.status.run, snapshot.history, snapshot.status)]
        if other is not None and other.name == self.look.other and other.history.rows:
            runs.append(Rows(other.name, other.history, other.status))
        columns = needed(metrics)
        if not self._exports or any(not columns <= rows.history.columns.keys() for rows in runs):
            return
        self._exports = False
        left, right = self.look.view.range(*self.first_and_last())
        view = Tabled(tuple(runs), metrics, self.axis.kind, left, right)
        self.post_message(self.Exported(view))
        self.post_message(self.Wanted())

    def _choose(self, key: str) -> None:
        self.shown[self._number()] = key
        self._seen_others()

    def _seen_others(self) -> None:
        self.renew()
        self.post_message(self.Wanted())

    def _charts(self) -> Iterable[Chart]:
        return self.query(Chart)

    def focused(self) -> Chart:
        """The chart that has the keys."""
        charts = list(self._charts())
        return charts[self._number()]

    def _number(self) -> int:
        """Of the chart that has the keys."""
        return next((n for n, chart in enumerate(self._charts()) if chart.has_focus), 0)

    def _metric(self, key: str) -> Metric:
        return next((m for m in self.metrics if m.key == key), METRICS[0])
