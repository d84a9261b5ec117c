"""Read-only: what a screen does not do for whoever may only look. Two walls: its keys, the source behind.

A key that writes says so in its table (keys.py); one that forgets to comes no further than the source.
"""

from collections.abc import Callable, Mapping

from textual.actions import ActionParseResult, parse
from textual.app import App
from textual.dom import DOMNode

from trainwatch.app.tui.feed import Source
from trainwatch.app.tui.keys import WRITES
from trainwatch.core.errors import UsageError
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.snapshot import Search, Snapshot, Wanted

SAYS = "read-only: nothing can be changed from here"


class OnlyLooking:
    """A source that takes no requests."""

    def __init__(self, source: Source) -> None:
        self._source = source

    def read(self, wanted: Wanted) -> Snapshot:
        """As the source does."""
        return self._source.read(wanted)

    def find(self, wanted: Search, stop: Callable[[int], bool]) -> int | None:
        """As the source does. Raises OSError."""
        return self._source.find(wanted, stop)

    def ask(self, request: AlertRequest) -> None:
        """Raises UsageError."""
        raise UsageError(SAYS)

    def hush(self) -> None:
        """As the source does."""
        self._source.hush()


class Guarded(App[None]):
    """An app whose keys and clicks all come through one place, which stops those that write."""

    read_only = False

    async def run_action(
        self,
        action: "str | ActionParseResult",
        default_namespace: DOMNode | None = None,
        namespaces: Mapping[str, DOMNode] | None = None,
    ) -> bool:
        """What a key or a click does."""
        if self.read_only and writes(action):
            self.say(SAYS)
            return True
        return await super().run_action(action, default_namespace, namespaces)

    def say(self, text: str) -> None:
        """To whoever pressed it."""
        raise NotImplementedError


def writes(action: "str | ActionParseResult") -> bool:
    """Whether an action changes something outside the screen."""
    _, name, _ = parse(action) if isinstance(action, str) else action
    return name in WRITES
