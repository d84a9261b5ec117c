"""What moves in charts: view and cursor, by keys and by the mouse. What moves one moves all."""

from collections.abc import Iterable, Mapping

from textual.actions import SkipAction
from textual.containers import Container
from textual.message import Message

from trainwatch.app.tui.chart import sayings
from trainwatch.app.tui.chart import view as views
from trainwatch.app.tui.chart.drawing import GUTTER
from trainwatch.app.tui.chart.look import Look
from trainwatch.app.tui.chart.ranges import Extent, range_of
from trainwatch.app.tui.chart.traces import Trace
from trainwatch.app.tui.chart.view import LEAST_SPAN, WHOLE
from trainwatch.app.tui.chart.widget import Chart, Moved
from trainwatch.app.tui.chart.xaxis import ITERATIONS, Axis
from trainwatch.core.errors import UsageError


class Moving(Container):
    """Keeps the view; the charts in it are drawn by whoever is derived from it (group.py)."""

    class Said(Message, namespace="charts"):
        """Something for whoever pressed a key."""

        def __init__(self, text: str) -> None:
            super().__init__()
            self.text = text

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.look = Look()
        self.traces: Mapping[str, Trace] = {}
        self.axis: Axis = ITERATIONS  # that traces, view and cursor are of

    def renew(self) -> None:
        """Show what is in view."""
        raise NotImplementedError

    def focused(self) -> Chart:
        """The chart that has the keys."""
        raise NotImplementedError

    def first_and_last(self) -> tuple[float, float]:
        """The first and the last place of what is shown."""
        return ends(self.traces.values())

    def action_cursor(self, cells: int) -> None:
        """Move the cursor; the view follows."""
        first, last = self.first_and_last()
        left, right = self.look.view.range(first, last)
        step = max(self.axis.unit, (right - left) / max(1, self.focused().size.width - GUTTER))
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

    def action_no_cursor(self) -> None:
        """No cursor; without one the key is for others."""
        if self.look.cursor is None:
            raise SkipAction
        self._set(cursor=None)

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


def ends(traces: Iterable[Trace]) -> tuple[float, float]:
    """The first and the last place of all of them."""
    places = [x for trace in traces for x in (trace.x, trace.old_x) if len(x)]
    if not places:
        return 0.0, 1.0
    return min(float(x[0]) for x in places), max(float(x[-1]) for x in places)
