"""The list of all runs: sorted, filtered, in groups. The picked run stays picked wherever it goes.

The trap: Textual makes all lines of a widget again when one has changed. Here each is drawn once, and kept.
"""

from collections.abc import Sequence

from textual.content import Content
from textual.events import Click
from textual.geometry import Region
from textual.message import Message
from textual.strip import Strip
from textual.visual import Visual

from trainwatch.app.tui.fleetcells import (
    Column,
    Given,
    column_at,
    fitting,
    group_line,
    heading,
    line,
)
from trainwatch.app.tui.keys import FLEET, bindings
from trainwatch.app.tui.listing import Listing
from trainwatch.app.tui.text import filled
from trainwatch.core import fleet
from trainwatch.core.model.fleet import Fleet, FleetRow, Group

_MINUTE_S = 60.0
_MOST_STRIPS = 2000


class FleetList(Listing, inherit_bindings=False):
    """A row for each run, and a line for each group."""

    ALLOW_SELECT = False  # drawn lines are kept, so none can be marked
    context = "fleet"
    tells_more = False  # the line above counts them
    BINDINGS = bindings(FLEET)

    class Opened(Message):
        """A run is to be shown."""

        def __init__(self, row: FleetRow) -> None:
            super().__init__()
            self.row = row

    class Viewed(Message):
        """Other runs are in view, or another one is picked."""

    def __init__(self, *, id: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id)
        self.fleet = Fleet(at=0.0)
        self.sort, self.turned, self.text, self.by = "worst", False, "", ""
        self.entries: list[Group | FleetRow] = []
        self.matches: list[FleetRow] = []
        self.empty = "reading"
        self.auto_links = False
        self._held = ""  # the run that was picked by hand
        self._columns: list[Column] = []
        self._columns_of: tuple[int, str] = (0, "")
        self._lines: dict[str, tuple[Given, Content]] = {}
        self._in_view: tuple[str, ...] = ()
        self._shown: list[Content] = []
        self._strips: dict[int, tuple[Content, Strip]] = {}  # by id of the row, which is held

    @property
    def picked(self) -> FleetRow | None:
        """The run that the keys are for."""
        entry = self.entries[self.at] if self.at < len(self.entries) else None
        return entry if isinstance(entry, FleetRow) else None

    @property
    def in_view(self) -> tuple[str, ...]:
        """Keys of the runs that are seen."""
        seen = self.entries[self.top : self.top + max(0, self._room())]
        return tuple(entry.key for entry in seen if isinstance(entry, FleetRow))

    @property
    def falls(self) -> bool:
        """Whether the largest is first."""
        return fleet.BY_KEY[self.sort].falling != self.turned

    def show_fleet(self, seen: Fleet) -> None:
        """Show this from now on."""
        before, self.fleet = self.fleet, seen
        if _told(seen) != _told(before):
            self.rearrange()

    def rearrange(self) -> None:
        """Sort, filter and group; the run that was picked by hand stays picked."""
        self.matches = fleet.matching(self.fleet.rows, self.text)
        rows = fleet.ordered(self.matches, self.sort, turned=self.turned)
        self.entries = fleet.grouped(rows, self.by)
        if self._held:
            same = (
                n
                for n, e in enumerate(self.entries)
                if isinstance(e, FleetRow) and e.key == self._held
            )
            self.at = next(same, self.at)
        self.empty = self._why_empty()
        self.renew()

    def renew(self) -> None:
        """Make the rows in view, and say so where they are others than before."""
        self._onto_a_run(1)
        if 0 < self.at < len(self.entries) and isinstance(self.entries[self.at - 1], Group):
            self.top = min(self.top, self.at - 1)  # the line above the group is seen, too
        width, before = self.size.width, self._shown
        rows = [filled(row, width) for row in self._rows_in_view()]
        same = [n < len(before) and row.is_same(before[n]) for n, row in enumerate(rows)]
        # what is the same stays the same object: its line is not drawn again
        self._shown = [before[n] if same[n] else row for n, row in enumerate(rows)]
        if len(rows) != len(before):
            self.refresh()
        elif not all(same):
            self.refresh(*(Region(0, y, width, 1) for y, told in enumerate(same) if not told))
        viewed = (*self.in_view, "", self.picked.key if self.picked else "")
        if viewed != self._in_view:
            self._in_view = viewed
            self.post_message(self.Viewed())

    def render_line(self, y: int) -> Strip:
        """A line of the screen: one that was drawn before is not made again."""
        self._dirty_regions.clear()
        if y >= len(self._shown):
            return Strip.blank(self.size.width, self.visual_style.rich_style)
        row = self._shown[y]
        drawn = self._strips.get(id(row))
        if drawn is None or drawn[0] is not row:
            if len(self._strips) > _MOST_STRIPS:
                self._strips.clear()
            style = self.visual_style
            strip = Visual.to_strips(self, row, self.size.width, 1, style)[0]
            drawn = self._strips[id(row)] = (row, strip)
        return drawn[1]

    def notify_style_update(self) -> None:
        """Other colours."""
        self._strips.clear()
        super().notify_style_update()

    def count(self) -> int:
        """Lines there are."""
        return len(self.entries)

    def heading(self, width: int) -> Content | None:
        """The names of the columns."""
        return heading(self._fitting(width), self.sort, falls=self.falls)

    def row(self, index: int, width: int) -> Content:
        """One run, or the line above a group."""
        entry = self.entries[index]
        if isinstance(entry, Group):
            return group_line(entry, self.by, width)
        minute = self.fleet.at // _MINUTE_S * _MINUTE_S
        given = Given(entry, minute, self.fleet.speeds.get(entry.key, ()))
        columns = self._fitting(width)
        made = self._lines.get(entry.key)
        if made is None or made[0] != given:
            made = self._lines[entry.key] = (given, line(columns, given, width))
        return made[1]

    def action_move(self, rows: int) -> None:
        """Pick another run: the lines of groups are none."""
        self.at = max(0, min(self.at + rows, self.count() - 1))
        self._onto_a_run(1 if rows > 0 else -1)
        picked = self.picked
        self._held = picked.key if picked is not None else ""
        self.renew()

    def action_choose(self) -> None:
        """Open the picked run."""
        if self.picked is not None:
            self._held = self.picked.key
            self.post_message(self.Opened(self.picked))

    def on_click(self, event: Click) -> None:
        """A name of a column sorts by it; the rest is as in other lists."""
        if event.y != 0:
            if isinstance(self._entry_at(event.y), Group):
                event.prevent_default()
            return
        event.prevent_default()
        column = column_at(self._fitting(self.size.width), event.x)
        if column is not None:
            self.sort_by(column.sort or column.key)

    def sort_by(self, key: str) -> None:
        """Sort by this; the other way round if it is sorted by it already."""
        self.turned = not self.turned if key == self.sort else False
        self.sort = key
        self.rearrange()

    def _entry_at(self, y: int) -> Group | FleetRow | None:
        index = self.top + y - 1
        return self.entries[index] if 0 <= index < len(self.entries) else None

    def _onto_a_run(self, way: int) -> None:
        """Off the line of a group, this way or, where there is no run, the other."""
        for step in (way, -way):
            at = self.at
            while 0 <= at < len(self.entries):
                if isinstance(self.entries[at], FleetRow):
                    self.at = at
                    return
                at += step

    def _fitting(self, width: int) -> Sequence[Column]:
        if self._columns_of != (width, self.by):
            self._columns_of = (width, self.by)
            self._columns, self._lines = fitting(width, self.by), {}
        return self._columns

    def _why_empty(self) -> str:
        if self.fleet.trouble:
            return self.fleet.trouble
        if self.text and self.fleet.rows:
            return f"none of {len(self.fleet.rows):,} runs has '{self.text}'; Esc shows all"
        return "reading" if not self.fleet.at else "no run"


def _told(seen: Fleet) -> tuple[object, ...]:
    """All that the list tells: times are told in minutes."""
    return seen.rows, seen.speeds, seen.trouble, seen.at // _MINUTE_S, seen.at > 0
