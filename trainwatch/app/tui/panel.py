"""A widget that is a function of the snapshot, and is drawn again only when what it shows has changed."""

from textual.content import Content
from textual.widget import Widget

from trainwatch.core.model.snapshot import EMPTY, Snapshot


class Panel(Widget):
    """Override `build`. Over a slow line, nothing is sent while `build` gives the same."""

    DEFAULT_CSS = "Panel { height: 1; }"

    def __init__(self, *, id: str | None = None, classes: str | None = None) -> None:  # noqa: A002
        super().__init__(id=id, classes=classes)
        self.snapshot: Snapshot = EMPTY
        self._content = Content("")
        self._height = 1
        self._made_for = 0  # columns

    @property
    def is_made(self) -> bool:
        """Whether what is painted is made for the room there is: a first layout finds nothing made."""
        return self._made_for == self.content_size.width > 0

    def build(self, snapshot: Snapshot, width: int) -> Content:
        """What to show of a snapshot in so many columns. Pure."""
        raise NotImplementedError

    def show(self, snapshot: Snapshot) -> None:
        """Show this from now on."""
        self.snapshot = snapshot
        self.renew()

    def renew(self) -> None:
        """Build anew, and draw where that is something else."""
        self._made_for = self.content_size.width
        content = self.build(self.snapshot, self._made_for)
        if not content.is_same(self._content):
            height = content.plain.count("\n") + 1
            if height != self._height:
                self._height = self.styles.height = height
            self._content = content
            self.refresh()

    def on_resize(self) -> None:
        """Another width."""
        self.renew()

    def render(self) -> Content:
        """What was built."""
        return self._content
