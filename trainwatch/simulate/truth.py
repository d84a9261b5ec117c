"""The ground truth of a run while it is played: which troubles are open, and when each is over.

Most are over with the next completed iteration; that is what `until` says.
"""

from collections.abc import Iterator
from typing import Literal

from trainwatch.simulate.happenings import Broke, Happening, Healed
from trainwatch.simulate.timeline import Timeline

# over with: the next iteration, the next that was never completed before, the next attempt's first; when told
Until = Literal["progress", "further", "attempt", "told"]


class Truth:
    """What is broken now."""

    def __init__(self, timeline: Timeline) -> None:
        self._timeline = timeline
        self._open: dict[tuple[str, str], Until] = {}

    def broke(
        self, t: float, rule: str, *, key: str = "", iteration: int | None, until: Until
    ) -> Iterator[Happening]:
        """Trouble from simulated second `t` on, if there is a rule for it and it is not there already."""
        if rule and (rule, key) not in self._open:
            self._open[rule, key] = until
            yield Broke(self._timeline.at(t), rule, key, iteration)

    def healed(self, t: float, rule: str, key: str = "") -> Iterator[Happening]:
        """It is over, if it was there."""
        if self._open.pop((rule, key), None) is not None:
            yield Healed(self._timeline.at(t), rule, key)

    def restarted(self) -> None:
        """Another attempt begins: what the last one did wrong is over with its first iteration."""
        for named, until in self._open.items():
            if until == "attempt":
                self._open[named] = "progress"

    def stepped(self, t: float, *, further: bool) -> Iterator[Happening]:
        """An iteration is completed, one that never was before if `further`."""
        if not self._open:
            return
        over = ("progress", "further") if further else ("progress",)
        for rule, key in [named for named, until in self._open.items() if until in over]:
            yield from self.healed(t, rule, key)
