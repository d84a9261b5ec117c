"""What a daemon does beside looking at logs, and who goes on beside it.

The trap: parts are exchanged while we watch. What stays is the same object, and is not closed.
"""

from collections.abc import Mapping
from typing import TYPE_CHECKING, NamedTuple, Protocol

from trainwatch.app.pulses import Pulses
from trainwatch.app.sources import Sources
from trainwatch.core.model.status import Status

if TYPE_CHECKING:
    from trainwatch.app.daemon import Daemon
    from trainwatch.app.hands import Hands
    from trainwatch.app.queueing import Queues


class Keeper(Protocol):
    """What goes on beside the runs: trainwatch's own life on a cluster (app/cron)."""

    leads: bool  # whether it is on us to speak for all watchers

    def tick(self, now: float, daemon: "Daemon") -> None:
        """Do what is due, without waiting for it. Raises nothing."""
        ...

    def elsewhere(self, now: float) -> Mapping[str, str]:
        """The runs that other watchers have, and why one is not seen, if so."""
        ...

    def status(self, run: str) -> Status:
        """How a run is that another watcher has."""
        ...


class Beside(NamedTuple):
    """What is done beside looking at logs; see Daemon."""

    pulses: Pulses
    queues: "Queues | None" = None
    hands: "Hands | None" = None
    sources: Sources = Sources()

    def close(self, kept: "Beside | None" = None) -> None:
        """Let go of it, but for what is `kept`."""
        for one, other in zip(self, kept or (None,) * len(self), strict=True):
            if one is not None and one is not other:
                one.close()
