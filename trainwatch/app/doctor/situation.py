"""What is looked at: the configuration with its runs, and how long a look may take."""

from collections.abc import Sequence
from pathlib import Path
from typing import NamedTuple

from trainwatch.app.config import RunSettings, Settings
from trainwatch.app.wire import Site
from trainwatch.core.words import clean

USUAL_S = 10.0


class Situation(NamedTuple):
    """`deadline_s` None: each look has its usual one. `now` is s since the epoch."""

    site: Site
    runs: Sequence[RunSettings]
    now: float
    deadline_s: float | None = None

    @property
    def settings(self) -> Settings:
        """Of the configuration."""
        return self.site.settings

    def within_s(self, usual_s: float = USUAL_S) -> float:
        """How long a look may take that usually may take so long."""
        return usual_s if self.deadline_s is None else min(usual_s, self.deadline_s)


def group_of(run: RunSettings) -> str:
    """The heading that all checks of a run stand under."""
    return f"run {clean(run.name or Path(run.log).stem, 60)}"
