"""What a route needs of the world: a look at its files, a place for its ledger, and the other side."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import AbstractContextManager
from pathlib import Path
from typing import NamedTuple, Protocol

from trainwatch.core.model.syncing import Found, Ledger
from trainwatch.core.ports import Target


class Look(Protocol):
    """What lies below a root: adapters/sync/folder.py."""

    @property
    def files(self) -> Sequence[Found]: ...

    @property
    def left_out(self) -> Sequence[tuple[str, str]]: ...

    @property
    def trouble(self) -> str: ...


class Files(Protocol):
    """A route's ledger, lock and spool: adapters/sync/ledger.py."""

    warning: str

    @property
    def spool(self) -> Path: ...

    def read(self) -> Ledger | None:
        """Raises StoreUnusable."""
        ...

    def write(self, ledger: Ledger) -> None:
        """Raises StoreFull, StoreUnusable."""
        ...

    def hold(self) -> AbstractContextManager[Callable[[], None]]:
        """Gives what renews the lock. Raises LeaseHeld, StoreUnusable."""
        ...

    def clear_spool(self) -> None:
        """Raises nothing."""
        ...


class Means(NamedTuple):
    """What a route works with. `token` makes a name that is never made again."""

    look: Callable[[str, Sequence[str], Mapping[str, tuple[int, int]]], Look]
    files: Files
    target: Target
    token: Callable[[], str]
    now: Callable[[], float]
    chance: Callable[[], float]
