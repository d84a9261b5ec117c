"""What the runs are to be sorted by: a list to pick from. Its own file: it is loaded when somebody asks."""

from typing import ClassVar

from textual.app import ComposeResult
from textual.binding import Binding, BindingType
from textual.content import Content

from trainwatch.app.tui.hints import Hints
from trainwatch.app.tui.keys import CLOSE, PICK, TAKE
from trainwatch.app.tui.listing import Listing
from trainwatch.app.tui.over import Over
from trainwatch.core.fleet import SORTS


class Sorts(Listing):
    """A row for each way to sort."""

    context = "queue"

    def count(self) -> int:
        """Ways there are."""
        return len(SORTS)

    def row(self, index: int, width: int) -> Content:
        """One of them."""
        return Content(f"  {SORTS[index].says}")

    def action_choose(self) -> None:
        """This one."""
        if isinstance(self.screen, Sorting):
            self.screen.dismiss(SORTS[self.at].key)


class Sorting(Over[str | None]):
    """Answers with the key of a way to sort; None if it was closed. The present one again: reversed."""

    AUTO_FOCUS = "#sorts"
    BINDINGS: ClassVar[list[BindingType]] = [Binding("escape,q,s", "close", "close", show=False)]

    def __init__(self, now: str) -> None:
        super().__init__()
        self._now = now

    def compose(self) -> ComposeResult:
        """The list; what the runs are sorted by now is picked."""
        sorts = Sorts(id="sorts")
        sorts.at = next(n for n, sort in enumerate(SORTS) if sort.key == self._now)
        sorts.border_title = "sort by (the same again: reversed)"
        yield sorts
        yield Hints("", (TAKE, PICK, CLOSE))

    def action_close(self) -> None:
        """As it was."""
        self.dismiss(None)
