"""A progress line on stderr for what takes over a second, and only on a terminal: share, rate, ETA."""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TextIO

from trainwatch.app import clock, words

_PATIENCE_S = 1.0  # nothing is shown for what is done sooner
_INTERVAL_S = 0.1


class Progress:
    """How far a piece of work is, in some unit."""

    def __init__(self, label: str, total: float, unit: str, out: TextIO) -> None:
        self._label, self._total, self._unit, self._out = label, total, unit, out
        self._began = self._shown = clock.now()
        self._visible = False
        self.done = 0.0

    def expect(self, total: float) -> None:
        """How much it is, where that shows only as the work goes on."""
        self._total = total

    def advance(self, more: float) -> None:
        """Some more is done."""
        self.done += more
        now = clock.now()
        if now - self._began >= _PATIENCE_S and now - self._shown >= _INTERVAL_S:
            self._shown, self._visible = now, True
            self._out.write("\r\x1b[K" + self.line(now - self._began))
            self._out.flush()

    def line(self, elapsed_s: float) -> str:
        """`reading  45 %   312 MB/s   ETA 12 s`."""
        rate = self.done / elapsed_s if elapsed_s > 0 else 0.0
        share = self.done / self._total if self._total else None
        left = (self._total - self.done) / rate if rate and self._total else None
        parts = [self._label, words.percent(share, 0), f"{words.short(rate, self._unit)}/s"]
        return "   ".join([*parts, f"ETA {words.duration(left)}"])

    def clear(self) -> None:
        """Leave nothing behind."""
        if self._visible:
            self._out.write("\r\x1b[K")
            self._out.flush()


class Silent(Progress):
    """Where no terminal shows it."""

    def advance(self, more: float) -> None:
        """Some more is done."""
        self.done += more


@contextmanager
def progress(label: str, total: float, unit: str = "B") -> Iterator[Progress]:
    """A progress line while the work goes on."""
    kind = Progress if sys.stderr.isatty() else Silent
    shown = kind(label, total, unit, sys.stderr)
    try:
        yield shown
    finally:
        shown.clear()
