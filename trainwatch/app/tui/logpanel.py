"""The log: its end as it grows, or any place in it. Holds a page of lines, asks for another near its edge.

The trap: lines are known by their offset in the file, because a page that comes may begin anywhere.
"""

import re
from bisect import bisect_left, bisect_right

from textual.actions import SkipAction
from textual.content import Content
from textual.message import Message

from trainwatch.app.tui.keys import LOG, bindings
from trainwatch.app.tui.listing import Listing, lit
from trainwatch.app.tui.text import foreign
from trainwatch.core.model.snapshot import Line, Snapshot

_MARGIN = 60  # lines from the edge of the page at which another is asked for
_WIDEST = 16 * 1024
_BAD = re.compile(
    r"error|traceback|exception|fatal|[:=]\s*nan\b|out of memory|cancelled|killed|abort|overflow",
    re.IGNORECASE,
)
_WARN = re.compile(r"warn|timeout|timed out|skipping|preempt", re.IGNORECASE)
_TOLD = re.compile(r"\b(?:iteration|step|loss|checkpoint|epoch)\b", re.IGNORECASE)


class LogPanel(Listing):
    """Lines of the log. `at` and `top` count lines of the page."""

    context = "log"
    BINDINGS = bindings(LOG)
    empty = "the log is empty"
    picks = False

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
        self._first: int | None = None  # offset of the line at the top
        self._first_shown: int | None = None
        self._offsets: list[int] = []

    def count(self) -> int:
        """Lines in the page."""
        return len(self._lines)

    @property
    def _lines(self) -> tuple[Line, ...]:
        return self.snapshot.page.lines

    def search_place(self, *, up: bool) -> int:
        """Where a search goes on from: the line that was jumped to if it is seen, else the view's edge."""
        if self.follows:  # while it is not seen there is no page, but a log
            return self.snapshot.page.size or self.snapshot.status.log_bytes or 0
        if not self._lines:
            return self.around or 0
        # while the panel is not seen, the page may have become shorter than where its top is
        first = min(self.top, self.count() - 1)
        last = min(first + self._room(), self.count()) - 1
        if self._target is not None and self._has(self._target):
            at = bisect_left(self._offsets, self._target)
            if first <= at <= last:
                return self._target if up else self._offset_behind(at)
        return self._offsets[first]

    def show(self, snapshot: Snapshot) -> None:
        """Show this from now on, at the same lines."""
        if snapshot.page is not self.snapshot.page:
            if self._offsets and not self.follows:
                self._first = self._offsets[min(self.top, len(self._offsets) - 1)]
            self._offsets = [line.offset for line in snapshot.page.lines]
            self.empty = snapshot.page.trouble or "the log is empty"
            self.snapshot = snapshot
            self._recall()
        super().show(snapshot)

    def go(self, offset: int) -> None:
        """Show the line at an offset."""
        self.follows, self._target, self._coming = False, offset, True
        if not self._has(offset):
            self._ask(offset)
        self._arrive()
        self.renew()

    def renew(self) -> None:
        """Make the lines in view; ask for others near the edge of the page."""
        if self.follows:
            self.at = self.count() - 1
        before = self._first_shown
        super().renew()
        self._first_shown = self._offsets[self.top] if self.top < len(self._offsets) else None
        if self._first_shown != before:
            self.post_message(self.Scrolled())
        self._ask_near_edge()

    def row(self, index: int, width: int) -> Content:
        """One line, with the matches marked."""
        line = self._lines[index]
        text = line.text.expandtabs(8)[self._aside :]
        row = foreign(" " + text, width, _style(text))
        if self.marks is not None:
            for match in self.marks.finditer(row.plain):
                row = row.stylize("bold reverse", match.start(), match.end())
        return lit(row) if line.offset == self._target else row

    def on_resize(self) -> None:
        """Another size; the first one, perhaps."""
        self._arrive()
        super().on_resize()

    def action_move(self, rows: int) -> None:
        """Scroll; at the end of the log, go on with it."""
        room, count = self._room(), self.count()
        self.follows = False
        self.top = max(0, min(self.top + rows, count - room))
        self.at = max(self.top, min(self.at, self.top + room - 1))
        page = self.snapshot.page
        if rows > 0 and self.top + room >= count and page.end >= page.size:
            self._follow()
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

    def _follow(self) -> None:
        self.follows, self._target, self._coming = True, None, False
        if self.around is not None:
            self.around = None
            self.post_message(self.Asked())

    def _offset_behind(self, index: int) -> int:
        after = index + 1
        return self._offsets[after] if after < len(self._offsets) else self.snapshot.page.end

    def _has(self, offset: int) -> bool:
        return bool(self._offsets) and self._offsets[0] <= offset < self.snapshot.page.end

    def _ask(self, offset: int) -> None:
        if offset != self.around:
            self.around = offset
            self.post_message(self.Asked())

    def _ask_near_edge(self) -> None:
        """Another page, around where we are, before this one ends."""
        page, count = self.snapshot.page, self.count()
        if self.follows or self._coming or not count:
            return
        above = self.top < _MARGIN and self._offsets[0] > 0
        below = self.top + self._room() > count - _MARGIN and page.end < page.size
        if above or below:
            self._ask(self._offsets[min(self.top, count - 1)])

    def _recall(self) -> None:
        """The same lines in a page that came."""
        if self.follows:
            return
        if self._first is not None and self._has(self._first):
            self.top = self.at = bisect_left(self._offsets, self._first)
        self._arrive()

    def _arrive(self) -> None:
        """Show the line that was jumped to a third below the top, once it is there."""
        if self._room() < 1:
            return  # not seen yet: once it is, there is a top
        if self._coming and self._target is not None and self._has(self._target):
            self.at = max(0, bisect_right(self._offsets, self._target) - 1)
            self._target = self._offsets[self.at]
            self.top = max(0, self.at - self._room() // 3)
            self._coming = False


def _style(text: str) -> str:
    """Errors stand out, noise stands back."""
    if _BAD.search(text):
        return "$bad"
    if _WARN.search(text):
        return "$warn"
    return "" if _TOLD.search(text) else "$quiet"


def marks_of(text: str) -> re.Pattern[str] | None:
    """What is marked for a search: as it is searched (adapters/logview.py)."""
    if not text:
        return None
    flags = re.IGNORECASE if text == text.lower() else 0
    try:
        return re.compile(text, flags)
    except (re.error, RecursionError, OverflowError):
        return re.compile(re.escape(text), flags)
