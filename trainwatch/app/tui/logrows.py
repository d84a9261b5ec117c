"""The rows that lines of the log become on the screen: folded, or each line one.

The trap: pages come and go, lines are the same by their offset. What a line is, is looked up once a line.
"""

import re
from bisect import bisect_right

from trainwatch.core.logs.folds import Kind, Row, folded, kind_of
from trainwatch.core.model.snapshot import Line, Page

_MOST_OPENED = 200


class LogRows:
    """Rows of a page. `offsets` are where they begin in the log, in bytes."""

    def __init__(self) -> None:
        self.folds = True
        self.rows: list[Row] = []
        self.offsets: list[int] = []
        self.page = Page()
        self._kinds: dict[int, tuple[str, Kind]] = {}
        self._made_of: tuple[object, ...] = ()
        self._opened: list[range] = []

    def make(self, page: Page, marks: re.Pattern[str] | None, target: int | None) -> bool:
        """Make them; what is marked and the line at `target` stand alone. Whether they may be others now."""
        made_of = (id(page), marks, target, self.folds, len(self._opened))
        if made_of == self._made_of and page is self.page:
            return False
        self._made_of, self.page = made_of, page
        known = self._kinds
        self._kinds = {line.offset: _known(line, known.get(line.offset)) for line in page.lines}
        kinds = [kind for _, kind in self._kinds.values()]

        def stands_alone(index: int) -> bool:
            line = page.lines[index]
            if line.offset == target or any(line.offset in opened for opened in self._opened):
                return True
            return marks is not None and marks.search(line.text) is not None

        self.rows = (
            folded(kinds, stands_alone) if self.folds else [Row(n) for n in range(len(kinds))]
        )
        self.offsets = [page.lines[row.first].offset for row in self.rows]
        return True

    def line(self, index: int) -> Line:
        """The first line of a row."""
        return self.page.lines[self.rows[index].first]

    def kind(self, index: int) -> Kind:
        """What that line is."""
        return self._kinds[self.line(index).offset][1]

    def at(self, offset: int) -> int:
        """The row that stands for the line that holds an offset."""
        return max(0, bisect_right(self.offsets, offset) - 1)

    def has(self, offset: int) -> bool:
        """Whether a row does."""
        return bool(self.offsets) and self.offsets[0] <= offset < self.page.end

    def behind(self, index: int) -> int:
        """Where the row behind it begins, or would."""
        return self.offsets[index + 1] if index + 1 < len(self.offsets) else self.page.end

    def aside(self, first: int, rows: int) -> int | None:
        """Around which offset a page should be for some rows of this one; None where this one is.

        The trap: rows may stand for all lines of any page. A page is left alone unless they are at its side.
        """
        last = self.rows[min(first + rows, len(self.rows)) - 1]
        lines = self.page.lines
        middle = (self.rows[first].first + last.first + last.lines - 1) // 2
        return lines[middle].offset if abs(2 * middle - len(lines)) > len(lines) // 2 else None

    def words(self, index: int) -> str:
        """What is said in place of the lines of a row; nothing where it is a single one."""
        row = self.rows[index]
        if row.lines == 1:
            return ""
        above = row.first == 0 and self.page.lines[0].offset > 0
        below = row.first + row.lines == len(self.page.lines) and self.page.end < self.page.size
        more = "+" if above or below else ""
        return f"… {row.lines:,}{more} lines" + (f": {row.noise}" if row.noise else " like this")

    def unfold(self, index: int) -> bool:
        """Show the lines of a row. Whether it had any to show."""
        if index >= len(self.rows) or self.rows[index].lines == 1:
            return False
        opened = range(self.offsets[index], self.behind(index))
        self._opened = [*self._opened[-_MOST_OPENED:], opened]
        self._made_of = ()
        return True

    def turn(self) -> None:
        """Fold, or no more; what was opened by hand is forgotten."""
        self.folds, self._opened = not self.folds, []


def _known(line: Line, before: tuple[str, Kind] | None) -> tuple[str, Kind]:
    """What a line is, told again only where another text is at its place."""
    if before is not None and before[0] == line.text:
        return before
    return line.text, kind_of(line.text)
