"""The configuration's file while we watch: what it holds once it has changed and come to rest.

The trap: half of a file may be a valid configuration, with no runs or no receivers in it. A change counts
when two looks in a row, seconds apart, found the same text; a network filesystem's times lie.
"""

from collections.abc import Callable
from typing import NamedTuple

from trainwatch.app.probe import Probe
from trainwatch.core.errors import UsageError

LOOK_S = 30.0  # between looks
SETTLE_S = 2.0  # after a look that found something new
HANGS_S = 120.0  # a look that takes longer hangs
_WAIT_S = 0.5  # a local disk answers within; else the next tick hears of it


class Found(NamedTuple):
    """What a look found: the text, or why there is none."""

    text: str = ""
    trouble: str = ""


class ConfigFile:
    """Looks at it, in a thread of its own."""

    def __init__(
        self, read: Callable[[], str], path: str, *, patience_s: float | None = None
    ) -> None:
        """`read` gives its text, or raises UsageError. A look is waited for `patience_s` at first."""
        self.path = path
        self._read, self._patience_s = read, _WAIT_S if patience_s is None else patience_s
        self._probe = Probe(self._look)
        self._asked_at = float("-inf")
        self._new: Found | None = None  # seen once
        self._told: Found | None = None

    def tick(self, now: float) -> Found | None:
        """What it holds, once for each time that it changed and came to rest; the first time, too."""
        patience_s = 0.0
        if not self._probe.asked:
            gap_s = LOOK_S if self._new is None else SETTLE_S
            if 0 <= now - self._asked_at < gap_s:
                return None
            self._asked_at, patience_s = now, self._patience_s
            self._probe.ask()
        found = self._probe.answer(patience_s)
        if found is None:
            return self._hung(now)
        if found == self._told:
            self._new = None
            return None
        if found != self._new:
            self._new = found
            return None
        self._new, self._told = None, found
        return found

    def close(self) -> None:
        """Let go."""
        self._probe.close()

    def _hung(self, now: float) -> Found | None:
        hangs = Found(trouble=f"{self.path}: reading it hangs; does its filesystem answer?")
        if now - self._asked_at < HANGS_S or self._told == hangs:
            return None
        self._new, self._told = None, hangs
        return hangs

    def _look(self) -> Found:
        try:
            return Found(text=self._read())
        except UsageError as error:
            return Found(trouble=str(error))
