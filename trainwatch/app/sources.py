"""What looks at the world for the runs beside their logs: checkpoints, disks, what is sent away.

The trap: a look at a network filesystem may hang. A source never waits for the world longer than it was told
to; what is not known yet is told at a later tick.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from trainwatch.app.config import RunSettings
from trainwatch.core.model.observations import Observation

EVERY = ""  # a run's name that stands for all of them


class Source(Protocol):
    """One part of the world."""

    def add(self, run: RunSettings) -> None:
        """A run that is watched from now on; its name is set. May be called again for one that is known."""
        ...

    def tick(self, now: float) -> Mapping[str, Sequence[Observation]]:
        """Do what is due, and say what was seen since, by run (or EVERY). Raises nothing."""
        ...

    def remarks(self, run: str) -> Sequence[str]:
        """What is wrong on our side, as warnings of a run's status."""
        ...

    def troubles(self, run: str) -> Mapping[str, str]:
        """Why what cannot be seen: by `disk scratch`, `checkpoints`, `sync logs`."""
        ...

    def finish(self, now: float, patience_s: float) -> None:
        """The process ends: wait so long for what is under way."""
        ...

    def close(self) -> None:
        """Let go of everything."""
        ...


class Sources:
    """All of them."""

    def __init__(self, sources: Sequence[Source] = ()) -> None:
        self._sources = tuple(sources)

    def add(self, run: RunSettings) -> None:
        """See Source."""
        for source in self._sources:
            source.add(run)

    def tick(self, now: float) -> dict[str, list[Observation]]:
        """What they saw, by run."""
        told = dict[str, list[Observation]]()
        for source in self._sources:
            for run, seen in source.tick(now).items():
                told.setdefault(run, []).extend(seen)
        return told

    def remarks(self, run: str) -> tuple[str, ...]:
        """What is wrong, as warnings of a run's status."""
        return tuple(remark for source in self._sources for remark in source.remarks(run))

    def troubles(self, run: str) -> dict[str, str]:
        """See Source."""
        return {what: why for each in self._sources for what, why in each.troubles(run).items()}

    def finish(self, now: float, patience_s: float) -> None:
        """See Source."""
        for source in self._sources:
            source.finish(now, patience_s)

    def close(self) -> None:
        """See Source."""
        for source in self._sources:
            source.close()
