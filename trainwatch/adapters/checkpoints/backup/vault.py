"""One place for backups, worked at by this process: looked at, filled, read through, brought back from.

The trap: clients of object stores are tens of megabytes. Whoever only watches does this in a child process.
"""

from collections.abc import Callable
from pathlib import Path

from trainwatch.adapters.checkpoints.backup import checking, shelf
from trainwatch.adapters.checkpoints.backup.far import Far
from trainwatch.adapters.checkpoints.backup.making import Making
from trainwatch.adapters.checkpoints.backup.restoring import Restoring
from trainwatch.adapters.checkpoints.backup.sums import Meter
from trainwatch.adapters.checkpoints.pace import Pace
from trainwatch.core.model.backups import Copy, Made, Place, Shelf

Told = Callable[[str, int], None]  # hears what is done now, and how many bytes were moved more


class Vault:
    """See `Vault` in app/checkpoints/safe.py. Raises TrainwatchError."""

    def __init__(
        self, place: Place, monotonic: Callable[[], float], pause: Callable[[float], None]
    ) -> None:
        """`pause` sleeps, `monotonic` is a clock in s."""
        self.place, self._monotonic, self._pause = place, monotonic, pause
        self._known: Far | None = None

    def look(self) -> Shelf:
        """What is there."""
        return shelf.look(self._far())

    def make(self, order: Copy, told: Told) -> Made:
        """One backup. What `told` raises ends it, and the next run goes on."""
        stats = Pace(order.stats_per_s, self._monotonic, self._pause)
        say, meter = self._telling(told)
        return Making(self._far(), order, stats, meter, say).make()

    def missing(self, label: str) -> tuple[str, ...]:
        """What of a backup is not there, by sizes."""
        return tuple(checking.sizes(self._far(), label))

    def verify(self, label: str, told: Told) -> tuple[str, ...]:
        """What of a backup is not as it was written, by reading all of it."""
        say, meter = self._telling(told)
        return tuple(checking.bytes_(self._far(), label, meter, say))

    def restore(self, label: str, folder: str, told: Told, *, dry: bool = False) -> str:
        """Where it is now; `dry`: where it would be."""
        say, meter = self._telling(told)
        restoring = Restoring(self._far(), label, Path(folder), meter, say)
        if dry:
            restoring.check()
            return str(restoring.target)
        return str(restoring.restore())

    def close(self) -> None:
        """Nothing is under way."""

    def _far(self) -> Far:
        """With one client for all questions: making one takes seconds."""
        if self._known is None:
            self._known = Far(self.place)
        return self._known

    def _telling(self, told: Told) -> tuple[Callable[[str], None], Meter]:
        rate = self.place.bytes_per_s
        pace = Pace(rate, self._monotonic, self._pause) if rate else None
        doing = [""]

        def say(words: str) -> None:
            doing[0] = words
            told(words, 0)

        return say, Meter(pace, lambda count: told(doing[0], count))
