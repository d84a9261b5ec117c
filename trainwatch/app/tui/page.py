"""A text over the screen, until it is closed: all of a row for which there was no room."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.containers import VerticalScroll
from textual.content import Content
from textual.widgets import Static

from trainwatch.app.tui.hints import Hints
from trainwatch.app.tui.keys import CLOSE, SCROLL
from trainwatch.app.tui.over import Over
from trainwatch.app.tui.text import foreign, lines
from trainwatch.core.patterns import pattern

_GAP = pattern("(?:  +| · )")  # between the columns of a row, or the parts of one


class Page(Over[str | None]):
    """It scrolls where it is long."""

    AUTO_FOCUS = "#page"
    BINDINGS: ClassVar[list[BindingType]] = [
        Binding("escape,q,enter", "dismiss", "close", show=False)
    ]

    def __init__(self, content: Content) -> None:
        super().__init__()
        self._content = content

    def compose(self) -> ComposeResult:
        """The text, and the keys."""
        with VerticalScroll(id="page"):
            yield Static(self._content, markup=False)
        yield Hints("", (CLOSE, SCROLL))


def pieces(row: str) -> Content:
    """What stands beside each other in a row, below each other."""
    return lines([foreign(piece) for piece in _GAP.split(row.strip()) if piece.strip()])
