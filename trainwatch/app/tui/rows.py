"""Rows that several panes are made of: a fact with its label, a line of a table; and a pane of such rows.

The trap: of ten panes one is seen. What the others would show is not even made.
"""

from typing import NamedTuple

from textual.content import Content

from trainwatch.app.tui.listing import WHOLE, Listing
from trainwatch.app.tui.text import foreign
from trainwatch.core.model.snapshot import EMPTY, Snapshot

_LABEL = 11  # columns


class Fact(NamedTuple):
    """A row that says what, and its colour."""

    label: str
    text: str
    style: str = ""


class Cell(NamedTuple):
    """A text of a line, how wide its column is (0: the rest of the line), its style, and its side."""

    text: str
    width: int
    style: str = ""
    right: bool = False


def labelled(fact: Fact, width: int) -> Content:
    """A fact as a row."""
    label = Content.styled(f" {fact.label:<{_LABEL}}", "$quiet")
    return label + foreign(fact.text, max(1, width - _LABEL - 1), fact.style)


def line(cells: list[tuple[str, int]], width: int, style: str = "") -> Content:
    """A line of a table; its last cell has no width, takes what is left, and is styled."""
    return table_line([Cell(text, room, "" if room else style) for text, room in cells], width)


def table_line(cells: list[Cell], width: int) -> Content:
    """A line of a table whose cells each have a style and a side."""
    row = Content(" ")
    for text, room, style, right in cells:
        cell = foreign(text, room or max(1, width - row.cell_length), style)
        if not room:
            return row + cell
        blank = Content(" " * (room - cell.cell_length))
        row += (blank + cell if right else cell + blank) + Content("  ")
    return row


def troubles_of(snapshot: Snapshot, kind: str) -> dict[str, str]:
    """Of what is of a kind ("disk", "sync"), by its name: why nothing is known of it."""
    told = snapshot.status.troubles.items()
    return {what.removeprefix(f"{kind} "): why for what, why in told if what.startswith(f"{kind} ")}


class Rows(Listing):
    """Override `made`: the rows of a snapshot at this width. Nothing is made while nobody looks."""

    context = "queue"

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self._rows: list[Content] = []
        self._whole: tuple[Snapshot, list[Content]] = (EMPTY, [])

    def made(self, width: int) -> list[Content]:
        """All rows, of `self.snapshot`."""
        raise NotImplementedError

    def renew(self) -> None:
        """Make the rows, and draw where they are others."""
        self._rows = self.made(max(1, self.size.width))
        super().renew()

    def count(self) -> int:
        """Rows there are."""
        return len(self._rows)

    def row(self, index: int, width: int) -> Content:
        """One of them."""
        return self._rows[index]

    def whole(self, index: int) -> str:
        """See Listing; made once a snapshot."""
        if self._whole[0] is not self.snapshot:
            self._whole = (self.snapshot, self.made(WHOLE))
        rows = self._whole[1]
        return rows[index].plain if index < len(rows) else ""
