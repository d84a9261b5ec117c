"""What lies over a screen until it is closed: help, evidence, a prompt, a list to pick from.

The trap: two keys that close it may come at once. Textual would close what lies below for the second one.
"""

from textual.await_complete import AwaitComplete
from textual.screen import ModalScreen, ScreenResultType


class Over(ModalScreen[ScreenResultType]):
    """It is closed once."""

    def dismiss(self, result: ScreenResultType | None = None) -> AwaitComplete:
        """Close it, and hand on a result; nothing where it is closed already."""
        if self.app.screen is not self:
            return AwaitComplete()
        return super().dismiss(result)
