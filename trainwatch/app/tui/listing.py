"""A list of any length: only the rows in view are made. Ten thousand attempts cost what ten do."""

from textual.content import Content
from textual.events import Click, MouseScrollDown, MouseScrollUp
from textual.message import Message
from textual.widget import Widget

from trainwatch.app.tui.keys import LISTS, bindings
from trainwatch.app.tui.text import cut, foreign, lines, spread
from trainwatch.core.model.snapshot import EMPTY, Snapshot
from trainwatch.core.patterns import pattern

_WHEEL = 3  # rows
WHOLE = 4000  # columns: no row is longer
_WORDS = pattern(r"\w+")


def lit(row: Content) -> Content:
    """A row that stands out, also without colours. It begins with a blank."""
    return (Content("›") + row[1:]).stylize("on $pick")


class Listing(Widget, can_focus=True):
    """Override `count`, `heading` and `row`. `place` says where in the log a row is told."""

    DEFAULT_CSS = "Listing { height: 1fr; }"
    BINDINGS = bindings(LISTS)
    empty = "nothing yet"
    context = "list"  # whose keys the last line tells; "queue": of rows without a place in the log
    picks = True  # whether the picked row is shown
    tells_more = True  # how many rows there are below those in view

    class Chosen(Message):
        """A row was chosen that is told at a place (bytes) in the log."""

        def __init__(self, place: int) -> None:
            super().__init__()
            self.place = place

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.snapshot: Snapshot = EMPTY
        self.at = 0  # the row that is picked
        self.top = 0
        self._content = Content("")

    def count(self) -> int:
        """Rows there are."""
        raise NotImplementedError

    def heading(self, width: int) -> Content | None:
        """A line above the rows."""
        return None

    def row(self, index: int, width: int) -> Content:
        """One row."""
        raise NotImplementedError

    def place(self, index: int) -> int | None:
        """Where in the log it is told, in bytes."""
        return None

    def idle(self) -> frozenset[str]:
        """Actions of keys that would do nothing now."""
        nowhere = not self._has_picked() or self.place(self.at) is None
        return frozenset({"choose"}) if nowhere and not self.is_cut() else frozenset()

    def _has_picked(self) -> bool:
        """Whether the picked row is there: while the list is not seen, rows may have gone."""
        return 0 <= self.at < self.count()

    def whole(self, index: int) -> str:
        """A row without an end where the screen has one."""
        return self.row(index, WHOLE).plain

    def is_cut(self) -> bool:
        """Whether there is more to the picked row than there is room for."""
        if not self._has_picked() or self.context != "queue":
            return False
        shown, whole = self.row(self.at, self.size.width).plain, self.whole(self.at)
        return _WORDS.findall(shown) != _WORDS.findall(whole)

    def show(self, snapshot: Snapshot) -> None:
        """Show this from now on."""
        self.snapshot = snapshot
        if self.is_on_screen or self.display:
            self.renew()

    def renew(self) -> None:
        """Make the rows in view, and draw where they are others."""
        content = self._built()
        if not content.is_same(self._content):
            self._content = content
            self.refresh()

    def render(self) -> Content:
        """What was made."""
        return self._content

    def on_resize(self) -> None:
        """Another size."""
        self.renew()

    def on_focus(self) -> None:
        """The picked row is shown while the list has the keys."""
        self.call_later(self.renew)

    def on_blur(self) -> None:
        """And not while it has not."""
        self.call_later(self.renew)

    def on_show(self) -> None:
        """It may have missed something."""
        self.renew()

    def action_move(self, rows: int) -> None:
        """Pick another row."""
        self.at += rows
        self.renew()

    def action_page(self, pages: int) -> None:
        """Pick a row a page away."""
        self.action_move(pages * max(1, self._room() - 1))

    def action_edge(self, end: int) -> None:
        """Pick the first or the last row."""
        self.action_move(self.count() if end else -self.count())

    def action_choose(self) -> None:
        """Show the picked row in the log, or all of a row that is cut."""
        place = self.place(self.at) if self._has_picked() else None
        if place is not None:
            self.post_message(self.Chosen(place))
        elif self.is_cut():
            from trainwatch.app.tui.page import Page, pieces

            self.app.push_screen(Page(pieces(self.whole(self.at))))

    def on_click(self, event: Click) -> None:
        """Pick; twice: show in the log."""
        row = event.y - (1 if self.heading(self.size.width) is not None else 0)
        if 0 <= row < self.count() - self.top:
            self.action_move(self.top + row - self.at)
            if event.chain == 2:
                self.action_choose()

    def on_mouse_scroll_down(self, event: MouseScrollDown) -> None:
        """Down."""
        event.stop()
        self.action_move(_WHEEL)

    def on_mouse_scroll_up(self, event: MouseScrollUp) -> None:
        """Up."""
        event.stop()
        self.action_move(-_WHEEL)

    def _room(self) -> int:
        height: int = self.size.height
        return height - (1 if self.heading(self.size.width) is not None else 0)

    def _built(self) -> Content:
        return lines(self._rows_in_view())

    def _rows_in_view(self) -> list[Content]:
        """The heading and the rows that there is room for, each as wide as the list."""
        width, room, count = self.size.width, self._room(), self.count()
        self.at = max(0, min(self.at, count - 1))
        self.top = max(0, min(self.top, self.at, count - room), self.at - room + 1)
        if room < 1 or width < 1:
            return []
        head = self.heading(width)
        rows = [] if head is None else [cut(head.stylize_before("$quiet"), width)]
        if not count:
            rows.append(foreign(f" {self.empty}", width, "$quiet"))
        below = count - self.top - room
        for index in range(self.top, min(count, self.top + room)):
            row, more = self.row(index, width), Content("")
            if self.tells_more and below > 0 and index == self.top + room - 1:
                more = Content.styled(f"  ↓ {below:,} more ", "$quiet")
            row = spread(row, more, width)
            picked = self.picks and index == self.at and self.has_focus
            rows.append(lit(row) if picked else row)
        return rows
