"""Where a child process sends to, by the beginning of the name: one of the two ways there are."""

from collections.abc import Sequence
from typing import Protocol

from trainwatch.adapters.sync.spool import Read
from trainwatch.core.model.syncing import Order, Outcome

HUB = "hf://"


class Place(Protocol):
    """The other side. Blocks for as long as it takes: whoever called us has the deadline."""

    def send(self, reads: Sequence[Read]) -> Outcome:
        """Send them: as one commit, where there are commits. Raises whatever its client raises."""
        ...

    def arrived(self) -> bool | None:
        """Whether what was sent under the order's token is there. None: sending it again does no harm."""
        ...

    def meaning(self, error: BaseException) -> Outcome:
        """What an error that `send` or `arrived` raised means. Its words are not redacted yet."""
        ...


def place_of(order: Order) -> Place:
    """The client is imported here: 34 MB that only a child process needs."""
    if order.to.startswith(HUB):
        from trainwatch.adapters.sync.hub import place_of as hub_place

        return hub_place(order)
    from trainwatch.adapters.sync.archive import Archive

    return Archive(order)
