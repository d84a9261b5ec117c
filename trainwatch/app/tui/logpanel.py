"""The log: its end as it grows, or any place in it. Holds a page of lines, asks for another near its edge.

The trap: lines are known by their offset in the file, because a page that comes may begin anywhere.
"""

import re
from bisect import bisect_right

from textual.actions import SkipAction
from textual.content import Content
from textual.events import Click
from textual.message import Message

from trainwatch.app.tui.feed import PAGE_LINES
from trainwatch.app.tui.keys import LOG, bindings
from trainwatch.app.tui.listing import Listing, lit
from trainwatch.app.tui.logrows import LogRows
from trainwatch.app.tui.text import foreign
from trainwatch.core.logs.levels import Level
from trainwatch.core.model.snapshot import Snapshot

_MARGIN = 60  # rows from the edge of the page at which another is asked for, at most
_ROOMS = 2  # as many as are in view: what a key brings into view
_WIDEST = 16 * 1024
_MOST_TIMES = 16  # as many lines as are usual, where most of them are folded
# A sign and a colour: a log is read without colours, too.
_LEVELS: dict[Level, tuple[str, str]] = {
    "error": ("✖", "$bad"),
    "warning": ("▲", "$warn"),
    "progress": ("•", ""),
    "noise": ("·", "$trace-old"),
    "": (" ", "$quiet"),
}


class LogPanel(Listing):
    """Lines of the log. `at` and `top` count lines of the page."""

    context = "log"
    BINDINGS = bindings(LOG)
    empty = "the log is empty"
    picks = tells_more = False

    class Asked(Message):
        """Lines around another place are needed."""

    class Scrolled(Message):
        """Another part of the log is in view."""

    class Again(Message):
        """The next match is wanted, down or up."""

        def __init__(self, direction: int) -> None:
            super().__init__()
            self.direction = direction

    class GoTo(Message):
        """The user wants to say where to."""

    class Stop(Message):
        """Enough of searching."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.around: int | None = None  # the page that is asked for surrounds it; None: the end
        self.follows = True
        self.marks: re.Pattern[str] | None = None
        self._aside = 0
        self._target: int | None = None  # offset of the line that was jumped to
        self._coming = False  # its page is not there yet
        self._in_view: tuple[int | None, bool] = (
            None,
            True,
        )  # offset of the line at the top; follows
        self._rows = LogRows()
        self._times = 1  # as many lines as usual are asked for

    def count(self) -> int:
        """Rows that the page's lines make."""
        return len(self._rows.rows)

    def lines_wanted(self, height: int) -> int:
        """How many lines a page should have, on a screen so high."""
        return max(PAGE_LINES, 4 * height) * self._times

    def search_place(self, *, up: bool) -> int:
        """Where a search goes on from: the line that was jumped to if it is seen, else the view's edge."""
        rows = self._rows
        if self._coming and self._target is not None:
            return self._target  # on the way there
        if self.follows:  # while it is not seen there is no page, but a log
            return self.snapshot.page.size or self.snapshot.status.log_bytes or 0
        if not rows.rows:
            return self.around or 0
        # while the panel is not seen, the page may have become shorter than where its top is
        first = min(self.top, self.count() - 1)
        last = min(first + self._room(), self.count()) - 1
        if self._target is not None and rows.has(self._target):
            at = rows.at(self._target)
            if first <= at <= last:
                return self._target if up else rows.behind(at)
        return rows.offsets[first]

    def show(self, snapshot: Snapshot) -> None:
        """Show this from now on, at the same lines."""
        if snapshot.page is not self.snapshot.page:
            self.empty = snapshot.page.trouble or "the log is empty"
            self.snapshot = snapshot
            self._fold()
            self._arrive()
        super().show(snapshot)

    def go(self, offset: int) -> None:
        """Show the line at an offset."""
        self.follows, self._target, self._coming = False, offset, True
        if not self._rows.has(offset):
            self._ask(offset)
        self._fold()
        self._arrive()
        self.renew()

    def renew(self) -> None:
        """Make the lines in view; ask for others near the edge of the page."""
        self._fold()
        if self.follows:
            self.at = self.count() - 1
        before = self._in_view
        super().renew()
        first = self._rows.offsets[self.top] if self.top < self.count() else None
        self._in_view = (first, self.follows)
        if self._in_view != before:
            self.post_message(self.Scrolled())
        self._ask_for_more()

    def row(self, index: int, width: int) -> Content:
        """One line, with its sign and the matches marked; or what is said in place of several."""
        words = self._rows.words(index)
        if words:
            return foreign(f" {words}", width, "italic $quiet")
        line = self._rows.line(index)
        sign, style = _LEVELS[self._rows.kind(index).level]
        row = foreign(sign + line.text.expandtabs(8)[self._aside :], width, style)
        if self.marks is not None:
            for match in self.marks.finditer(row.plain, 1):
                row = row.stylize("bold reverse", match.start(), match.end())
        return lit(row) if line.offset == self._target else row

    def on_resize(self) -> None:
        """Another size; the first one, perhaps."""
        self._arrive()
        super().on_resize()

    def action_move(self, rows: int) -> None:
        """Scroll; at the end of the log, go on with it."""
        room, count, page = self._room(), self.count(), self.snapshot.page
        self.follows = False
        before, self.top = self.top, max(0, min(self.top + rows, count - room))
        self.at = max(self.top, min(self.at, self.top + room - 1))
        if rows > 0 and self.top + room >= count and page.end >= page.size:
            self._follow()
        elif count and self.top == before:
            self._ask(page.lines[-1 if rows > 0 else 0].offset)  # all of a page is in view
        self.renew()

    def action_edge(self, end: int) -> None:
        """The beginning or the end of the log."""
        if not end:
            self.go(0)
            return
        self._follow()
        self.renew()

    def action_aside(self, cells: int) -> None:
        """Further to the right or left of long lines."""
        self._aside = max(0, min(self._aside + cells, _WIDEST))
        self.renew()

    def action_again(self, direction: int) -> None:
        """The next match."""
        self.post_message(self.Again(direction))

    def idle(self) -> frozenset[str]:
        """Nothing is searched for: there is no next match."""
        return frozenset() if self.marks is not None else frozenset({"again(1)", "again(-1)"})

    def action_go_to(self) -> None:
        """Ask where to."""
        self.post_message(self.GoTo())

    def action_stop(self) -> None:
        """No more marks; where there is nothing to stop the key is for others."""
        if self.marks is None and self._target is None:
            raise SkipAction
        self.marks = self._target = None
        self.post_message(self.Stop())
        self.renew()

    def action_fold(self) -> None:
        """Fold noise and repeated lines, or show every line."""
        self._rows.turn()
        self._times = 1
        self.renew()

    def on_click(self, event: Click) -> None:
        """Show what was folded."""
        if self._rows.unfold(self.top + event.y):
            self.follows = False
            self.renew()

    def _fold(self) -> None:
        """Make the rows where they are others now, and keep the line at the top there."""
        rows = self._rows
        first = rows.offsets[self.top] if self.top < self.count() and not self.follows else None
        if not rows.make(self.snapshot.page, self.marks, self._target):
            return
        if first is not None and rows.has(first):
            self.top = self.at = rows.at(first)

    def _follow(self) -> None:
        self.follows, self._target, self._coming = True, None, False
        if self.around is not None or self._times > 1:
            self.around, self._times = None, 1
            self.post_message(self.Asked())

    def _ask(self, offset: int) -> None:
        if offset != self.around:
            self.around = offset
            self.post_message(self.Asked())

    def _ask_for_more(self) -> None:
        """More lines where most are folded; another page, around where we are, before this one ends.

        The trap: each line of a log that grows fast is looked at anew each second, and keys wait for it.
        """
        page, count, room = self.snapshot.page, self.count(), self._room()
        margin = min(_MARGIN, _ROOMS * room)
        wanted = _ROOMS * room if self.follows else room + 2 * margin
        if self._coming or not count:
            return
        before, behind = page.lines[0].offset > 0, page.end < page.size
        if count < wanted and self._times < _MOST_TIMES and (before or behind):
            if len(page.lines) * 2 > self.lines_wanted(self.app.size.height):
                self._times *= 2
                self.post_message(self.Asked())
        elif not self.follows and (
            (before and self.top < margin) or (behind and self.top + room > count - margin)
        ):
            place = self._rows.aside(self.top, room)
            if place is not None:
                self._ask(place)

    def _arrive(self) -> None:
        """Show the line that was jumped to a third below the top, once it is there."""
        if self._room() < 1:
            return  # not seen yet: once it is, there is a top
        if self._coming and self._target is not None and self._rows.has(self._target):
            page = self.snapshot.page
            at = bisect_right(page.lines, self._target, key=lambda line: line.offset) - 1
            self._target, self._coming = page.lines[at].offset, False
            self._fold()
            self.at = self._rows.at(self._target)
            self.top = max(0, self.at - self._room() // 3)


def marks_of(text: str) -> re.Pattern[str] | None:
    """What is marked for a search: as it is searched (adapters/logview.py)."""
    if not text:
        return None
    flags = re.IGNORECASE if text == text.lower() else 0
    try:
        return re.compile(text, flags)
    except (re.error, RecursionError, OverflowError):
        return re.compile(re.escape(text), flags)
