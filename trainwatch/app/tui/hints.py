"""The last line: the keys that matter here, or a message."""

from textual.content import Content
from textual.style import Style

from trainwatch.app.tui.keys import ALERTS, ANYWHERE, CHARTS, FLEET, LISTS, LOG, Key, allowed
from trainwatch.app.tui.panel import Panel
from trainwatch.app.tui.text import cut, foreign, spread
from trainwatch.core.model.snapshot import Snapshot

_OF = {
    "chart": CHARTS,
    "log": LOG,
    "alerts": ALERTS,
    "fleet": FLEET,
    "list": tuple(key for key in LISTS if key.hint),
}


class Hints(Panel):
    """Keys that can be clicked, too. A message stays until another key is pressed."""

    DEFAULT_CSS = "Hints { height: 1; }"

    def __init__(
        self,
        context: str = "chart",
        everywhere: tuple[Key, ...] = ANYWHERE,
        *,
        read_only: bool = False,
    ) -> None:
        super().__init__()
        self.context, self.everywhere, self._read_only = context, everywhere, read_only
        self.message = ""

    def build(self, snapshot: Snapshot, width: int) -> Content:
        """One line."""
        if self.message:
            return foreign(" " + self.message, width, "bold")
        here = _hints(allowed(_OF.get(self.context, ()), read_only=self._read_only))
        everywhere = _hints(allowed(self.everywhere, read_only=self._read_only))
        return cut(spread(here, everywhere, width), width)

    def say(self, message: str) -> None:
        """Show a message."""
        self.message = message
        self.renew()

    def of(self, context: str) -> None:
        """Show the keys of a kind of panel."""
        self.context = context
        self.renew()


def _hints(keys: tuple[Key, ...]) -> Content:
    line = Content(" ")
    for key in keys:
        if not key.hint:
            continue
        shown, _, said = key.hint.partition(" ")
        hint = Content.assemble((shown, "bold"), (f" {said}", "$quiet"))
        press = f"app.press('{key.keys.partition(',')[0]}')"
        line += hint.stylize(Style.from_meta({"@click": press})) + "  "
    return line
