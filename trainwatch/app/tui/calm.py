"""A screen that is not painted anew because another panel has the keys: the panels paint what that changes.

The trap: Textual repaints all of a screen whenever its focus moves, which is most of what such a key takes.
"""

from textual.reactive import Reactive
from textual.screen import Screen
from textual.widget import Widget


class Calm(Screen[None]):
    """As any other."""

    focused: Reactive[Widget | None] = Reactive(None, repaint=False)
