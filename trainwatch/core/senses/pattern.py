"""Lines that a user's own pattern finds: when, how often, and the numbers in them.

The trap: of a chunk that is caught up with only the end has a time, so its lines are as old as that.
"""

import math
import re

import msgspec

from trainwatch.core.redact import redact
from trainwatch.core.words import clean

_KEPT = 100  # times and values


class PatternSense(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What one pattern found. Times are s since the epoch."""

    times: list[float] = []
    values: list[float] = []
    found_at: float | None = None  # in this attempt
    line: str = ""  # the last
    stopped: bool = False  # its stop pattern came after it
    began_at: float | None = None  # the attempt

    def begin(self, at: float) -> None:
        """Another attempt."""
        self.began_at, self.found_at, self.stopped, self.values = at, None, False, []

    def take(
        self, data: bytes, at: float, pattern: re.Pattern[bytes], stop: re.Pattern[bytes] | None
    ) -> bool:
        """Search what came at once; True if something was found."""
        found = list(pattern.finditer(data))
        ended = [match.start() for match in stop.finditer(data)] if stop else []
        if found:
            self.found_at, self.stopped = at, False
            self.line = _line(data, found[-1].start())
            self.times = [*self.times, *(at for _ in found[-_KEPT:])][-_KEPT:]
            if "value" in pattern.groupindex:
                numbers = (_number(match["value"]) for match in found[-_KEPT:])
                self.values = [*self.values, *(n for n in numbers if n is not None)][-_KEPT:]
        if ended and (not found or ended[-1] > found[-1].start()):
            self.stopped = True
        return bool(found or ended)


def _line(data: bytes, place: int) -> str:
    start, end = data.rfind(b"\n", 0, place) + 1, data.find(b"\n", place)
    line = data[start : end if end >= 0 else None].decode("utf-8", "replace")
    return redact(clean(line.strip()))


def _number(raw: bytes | None) -> float | None:
    try:
        number = float(raw or b"")
    except ValueError:
        return None
    return number if math.isfinite(number) else None
