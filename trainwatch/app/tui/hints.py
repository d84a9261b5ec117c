"""The last line: the keys that work now, the most useful first, or a message.

What has no room is left out whole. The trap: keys that do nothing now (`n` without a search) are none.
"""

from collections.abc import Iterable
from functools import lru_cache

from textual.content import Content
from textual.style import Style

from trainwatch.app.tui.keys import ANYWHERE, IN, Key, allowed
from trainwatch.app.tui.listing import Listing
from trainwatch.app.tui.panel import Panel
from trainwatch.app.tui.text import foreign, spread
from trainwatch.core.model.snapshot import Snapshot

ALONE = ("-only-charts", "-only-lower")  # classes of a screen that one panel has for itself
_BACK = Key("z", "app.whole", "z", "all panels again", "z all panels")
_FIRST_HERE, _FIRST_EVERYWHERE = 2, 3  # what has room before everything else


class Hints(Panel):
    """Keys that can be clicked, too. A message stays until another key is pressed."""

    DEFAULT_CSS = "Hints { height: 1; }"
    auto_links = False  # what can be clicked has the colours that it is given

    def __init__(
        self,
        context: str = "chart",
        everywhere: tuple[Key, ...] = ANYWHERE,
        *,
        read_only: bool = False,
    ) -> None:
        super().__init__()
        self.context, self.everywhere, self._read_only = context, everywhere, read_only
        self._idle: frozenset[str] = frozenset()
        self._alone = False  # a panel has the whole screen
        self.message = ""

    def build(self, snapshot: Snapshot, width: int) -> Content:
        """One line."""
        if self.message:
            return foreign(" " + self.message, width, "bold")
        here, everywhere = self._hints(IN.get(self.context, ())), self._hints(self.everywhere)
        if self._alone:
            everywhere = [_BACK, *(key for key in everywhere if key.action != _BACK.action)]
        kept = _fitting(here, everywhere, _FIRST_EVERYWHERE + self._alone, width - 1)
        left, right = (_line(each for each in side if each in kept) for side in (here, everywhere))
        return spread(Content(" ") + left, right, width)

    def say(self, message: str) -> None:
        """Show a message."""
        self.message = message
        self.renew()

    def of(self, focused: object) -> None:
        """Show the keys of what has them."""
        self.context = context_of(focused)
        self._idle = focused.idle() if isinstance(focused, Listing) else frozenset()
        self._alone = any(self.screen.has_class(name) for name in ALONE)
        self.renew()

    def _hints(self, keys: tuple[Key, ...]) -> list[Key]:
        able = allowed(keys, read_only=self._read_only)
        return [key for key in able if key.hint and key.action not in self._idle]


def context_of(focused: object) -> str:
    """Which keys a panel takes (keys.IN)."""
    return focused.context if isinstance(focused, Listing) else "chart"


def _fitting(here: list[Key], everywhere: list[Key], count: int, room: int) -> set[Key]:
    first = [*everywhere[:1], *here[:_FIRST_HERE], *everywhere[1:count]]
    kept = set[Key]()
    for key in (*first, *here[_FIRST_HERE:], *everywhere[count:]):
        width = _hint(key).cell_length
        if width <= room:
            kept.add(key)
            room -= width
    return kept


def _line(keys: Iterable[Key]) -> Content:
    return Content("").join([_hint(key) for key in keys])


@lru_cache(maxsize=256)
def _hint(key: Key) -> Content:
    shown, _, said = key.hint.partition(" ")
    hint = Content.assemble((shown, "bold"), (f" {said}", "$quiet"))
    press = f"app.press('{key.keys.partition(',')[0]}')"
    return hint.stylize(Style.from_meta({"@click": press})) + "  "
