"""What running scripts needs of the world. All but `poll` and `stop` are called in a thread of their own."""

from collections.abc import Callable, Mapping
from pathlib import Path
from typing import Protocol

from trainwatch.core.model.scripts import Ended, Ledger, Listing, Process


class Running(Protocol):
    """A script that runs."""

    @property
    def process(self) -> Process:
        """It, as the leader of its group."""
        ...

    def poll(self) -> Ended | None:
        """How it ended; None while it runs. Ends it when its deadline is over. Never waits."""
        ...

    def stop(self, patience_s: float, how: str) -> Ended:
        """Wait so long for its end, then end it; `how` is what is said of it then. Waits some s more."""
        ...


class Machine(Protocol):
    """This machine: what lies in its folders, and what runs on it."""

    me: Process

    def listed(self, path: str) -> Listing:
        """What lies in a folder. Raises nothing but programming errors."""
        ...

    def start(
        self,
        path: str,
        *,
        output: Path,
        heading: str,
        environment: Mapping[str, str],
        deadline_s: float,
    ) -> Running:
        """Begin a script, whose output goes to a file, below a heading. Raises OSError."""
        ...

    def text(self, path: str) -> str:
        """A batch script. Raises UsageError."""
        ...

    def make_room(self, output: Path) -> None:
        """Put the output of earlier jobs aside where it is long. Raises nothing."""
        ...

    def alive(self, process: Process) -> bool | None:
        """Whether it lives; None for one of another machine: nobody knows."""
        ...

    def end(self, process: Process) -> None:
        """End the group that it leads. Raises nothing."""
        ...


class Ledgers(Protocol):
    """Where the ledger is kept."""

    def read(self) -> Ledger | None:
        """What stands in it; None if it is damaged. Raises StoreUnusable."""
        ...

    def change(self, edit: Callable[[Ledger | None], Ledger | None]) -> Ledger | None:
        """Write what `edit` makes of it, while nobody else can; nothing if it makes None of it.

        Raises StoreFull, StoreUnusable and LeaseHeld: then nothing was written.
        """
        ...
