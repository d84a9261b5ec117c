"""The places that a run's checkpoints are backed up to: what is wanted there, what is there, and one more.

The trap: what retention lets go of because it is backed up must be there at that moment. It is asked for anew
before anything goes, and never remembered.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from trainwatch import __version__
from trainwatch.app.checkpoints.settings import BackupSettings
from trainwatch.core import backups
from trainwatch.core.backups import Purge
from trainwatch.core.checkpoints.survey import Survey
from trainwatch.core.errors import TrainwatchError
from trainwatch.core.model.backups import BackupPlan, Copy, Made, Place, Row, Shelf, Wish
from trainwatch.core.retention import Safe
from trainwatch.core.words import clean

_RENEW_S = 30.0  # a lock that is not renewed is taken from us after minutes

Told = Callable[[str, int], None]


class Vault(Protocol):
    """adapters/checkpoints/backup: vault.py works here, distant.py in a child. Raises TrainwatchError."""

    place: Place

    def look(self) -> Shelf:
        """What is there."""
        ...

    def make(self, order: Copy, told: Told) -> Made:
        """One backup; nothing of it counts until all of it was read back."""
        ...

    def missing(self, label: str) -> tuple[str, ...]:
        """What of a backup is not there, by sizes."""
        ...

    def close(self) -> None:
        """End what is under way."""
        ...


class Shelves(NamedTuple):
    """Of one run. `hold`: nobody else makes a backup meanwhile; gives what renews it. Raises LeaseHeld."""

    root: str = ""
    run: str = ""
    settings: tuple[BackupSettings, ...] = ()
    vaults: tuple[Vault, ...] = ()
    hold: Callable[[], AbstractContextManager[Callable[[], None]]] | None = None
    now: Callable[[], float] = lambda: 0.0
    purge: Purge = Purge()
    stats_per_s: float = 200.0

    def wishes(self) -> tuple[Wish, ...]:
        """What is wanted and what is there, asked now. Raises nothing."""
        return tuple(
            self._wish(settings, vault)
            for settings, vault in zip(self.settings, self.vaults, strict=True)
        )

    def plan(self, seen: Survey, wishes: Sequence[Wish], only: Collection[str] = ()) -> BackupPlan:
        """What is due, the most urgent first."""
        return backups.plan(self.root, seen, wishes, self.purge, only)

    def safe(self, seen: Survey, wishes: Sequence[Wish]) -> tuple[Safe, ...]:
        """As retention wants to know it."""
        return tuple(
            Safe(place=one.place, wanted=one.policy, backed_up=backups.backed_up(seen, one))
            for one in wishes
        )

    def unsafe(self, seen: Survey, names: Collection[str]) -> Mapping[str, str]:
        """Of these those that are wanted somewhere and not all there, asked now; why. Raises nothing."""
        found = dict[str, str]()
        for number, wish in enumerate(self.wishes()):
            wanted = self.plan(seen, (wish,)).rows
            for row in wanted:
                if row.name in names and (why := self._lost(row, number, wish)):
                    found.setdefault(row.name, why)
        return found

    def make(self, seen: Survey, row: Row, told: Told) -> Made:
        """One backup, while nobody else makes one. Raises TrainwatchError, LeaseHeld."""
        one = next(each for each in seen.found if each.name == row.name)
        settings = self.settings[row.place]
        order = Copy(
            root=self.root,
            checkpoint=one.name,
            iteration=one.iteration,
            run=self.run,
            content=settings.content,
            format=settings.format,
            origin=backups.origin(one.contents),
            at=self.now(),
            trainwatch=__version__,
            stats_per_s=self.stats_per_s,
        )
        assert self.hold is not None
        with self.hold() as renew:
            return self.vaults[row.place].make(order, _renewing(renew, self.now, told))

    def close(self) -> None:
        """End what is under way; it goes on another time."""
        for vault in self.vaults:
            vault.close()

    def _wish(self, settings: BackupSettings, vault: Vault) -> Wish:
        unknown, shelf = "", Shelf()
        try:
            shelf = vault.look()
        except TrainwatchError as error:
            unknown = str(error)
        return Wish(
            place=vault.place.name,
            policy=settings.policy,
            content=settings.content,
            format=settings.format,
            there=shelf.backups,
            unknown=unknown,
        )

    def _lost(self, row: Row, number: int, wish: Wish) -> str:
        """Why a checkpoint is not safe at a place; empty where it is."""
        where = clean(wish.place, 200)
        if wish.unknown:
            return f"it is not known whether it is backed up: {wish.unknown}"
        if not row.label:
            return f"it is wanted as a backup at {where}, and is not there any more"
        try:
            missing = self.vaults[number].missing(row.label)
        except TrainwatchError as error:
            return f"it is not known whether its backup is whole: {error}"
        return f"its backup at {where} is not whole: {missing[0]}" if missing else ""


def _renewing(renew: Callable[[], None], now: Callable[[], float], told: Told) -> Told:
    """Keeps the lock while bytes move. Raises LeaseHeld once it is lost: then no more moves."""
    renewed_at = now()

    def heard(doing: str, count: int) -> None:
        nonlocal renewed_at
        if not 0 <= now() - renewed_at < _RENEW_S:
            renew()
            renewed_at = now()
        told(doing, count)

    return heard
