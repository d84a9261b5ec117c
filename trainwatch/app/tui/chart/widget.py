"""One chart on the screen: keeps its frame until something it shows changes. Knows nothing of runs."""

from typing import NamedTuple

from rich.segment import Segment
from rich.style import Style
from textual.events import (
    Click,
    MouseDown,
    MouseMove,
    MouseScrollDown,
    MouseScrollUp,
    MouseUp,
)
from textual.message import Message
from textual.strip import Strip
from textual.style import Style as Visual
from textual.widget import Widget

from trainwatch.app.tui.chart.canvas import place_at
from trainwatch.app.tui.chart.drawing import GUTTER, Drawing, Run
from trainwatch.app.tui.chart.frame import framed
from trainwatch.app.tui.chart.styles import style_of


class Moved(NamedTuple):
    """What a mouse asks for: zoom around a place, pan by a share, or put the cursor there."""

    zoom: float | None = None
    pan: float | None = None
    cursor: float | None = None


class Chart(Widget, can_focus=True):
    """Draws a `Drawing`. Posts what the mouse asks for."""

    ALLOW_SELECT = False

    class Asked(Message):
        """The mouse asks for something."""

        def __init__(self, moved: Moved) -> None:
            super().__init__()
            self.moved = moved

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._drawing: Drawing | None = None
        self._rows: list[list[Run]] = []
        self._rows_of: tuple[int, int] | None = None  # the size they were made for
        self._kept_styles: dict[str, Style] = {}
        self._drag_from: tuple[int, bool] | None = None  # column, and whether it moved

    def show(self, drawing: Drawing) -> None:
        """Draw this, unless it is what is drawn already."""
        before = self._drawing
        if before is not None and _looks(before) == _looks(drawing):
            return
        if before is None or before.metric.colour != drawing.metric.colour:
            self._kept_styles = {}
        self._drawing, self._rows_of = drawing, None
        self.refresh()

    def render_line(self, y: int) -> Strip:
        """A row of the frame."""
        width, height = self.size
        if self._drawing is None:
            return Strip.blank(width, self.rich_style)
        if self._rows_of != (width, height):
            self._rows = framed(self._drawing._replace(lit=self.has_focus), width, height)
            self._rows_of = (width, height)
        if y >= len(self._rows):
            return Strip.blank(width, self.rich_style)
        return Strip([Segment(text, self._style(name)) for text, name in self._rows[y]], width)

    def notify_style_update(self) -> None:
        """Other colours."""
        super().notify_style_update()
        self._kept_styles = {}

    def _style(self, name: str) -> Style:
        """The style of a name, kept until colours change."""
        name = "rule-lit" if name == "rule" and self.has_focus else name
        found = self._kept_styles.get(name)
        if found is None:
            found = self._kept_styles[name] = self._made(name)
        return found

    def _made(self, name: str) -> Style:
        if name == "empty" or self._drawing is None:
            return self.rich_style
        style = Visual.parse(style_of(name, self._drawing.metric.colour))
        return (self.visual_style + style).rich_style

    def watch_has_focus(self, _has_focus: bool) -> None:
        """No style depends on it: to work out those of all parts anew would take longer than the paint."""

    def on_focus(self) -> None:
        """It has the keys."""
        self._rows_of = None
        self.refresh()

    def on_blur(self) -> None:
        """It has not."""
        self._rows_of = None
        self.refresh()

    def on_mouse_down(self, event: MouseDown) -> None:
        """Begin to drag."""
        self._drag_from = (event.x, False)
        self.capture_mouse()

    def on_mouse_move(self, event: MouseMove) -> None:
        """Drag: earlier or later."""
        if self._drag_from is None or event.x == self._drag_from[0]:
            return
        share = (self._drag_from[0] - event.x) / max(1, self.size.width - GUTTER)
        self._drag_from = (event.x, True)
        self.post_message(self.Asked(Moved(pan=share)))

    def on_mouse_up(self, event: MouseUp) -> None:
        """Without a drag in between it was a click: the cursor."""
        moved = self._drag_from is not None and self._drag_from[1]
        self._drag_from = None
        self.release_mouse()
        at = self._place(event.x)
        if not moved and at is not None and event.y > 0:
            self.post_message(self.Asked(Moved(cursor=at)))

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Closer."""
        event.stop()
        self.post_message(self.Asked(Moved(zoom=1.5, cursor=self._place(event.x))))

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Further away."""
        event.stop()
        self.post_message(self.Asked(Moved(zoom=1 / 1.5, cursor=self._place(event.x))))

    def on_click(self, event: Click) -> None:
        """A click is for this chart alone."""
        event.stop()

    def _place(self, x: int) -> float | None:
        if self._drawing is None or x < GUTTER:
            return None
        return place_at(x - GUTTER, self._drawing.sides, self.size.width - GUTTER)


_ARRAYS = frozenset(
    {"trace", "marked", "axis", "overlay"}
)  # told apart by identity: they are not changed


def _looks(drawing: Drawing) -> tuple[object, ...]:
    """Equal for drawings that look the same."""
    fields = zip(drawing._fields, drawing, strict=True)
    return (
        drawing.metric.key,
        *(id(value) if name in _ARRAYS else value for name, value in fields if name != "metric"),
    )
