"""The only place that reads the clock; everything else is told what time it is."""

import time
from collections.abc import Callable
from datetime import UTC, datetime


def now() -> float:
    """Seconds since the epoch."""
    return time.time()


def elapsed() -> float:
    """Seconds since some moment: for lengths of time, as it is never set back."""
    return time.monotonic()


def wait(seconds: float) -> None:
    """Let time pass."""
    time.sleep(seconds)


class Passing:
    """A clock that is right when it is made, and passes `rate` times as fast as the one on the wall."""

    def __init__(self, rate: float = 1.0, wall: Callable[[], float] = now) -> None:
        self.rate = rate
        self._wall, self._began = wall, wall()

    def __call__(self) -> float:
        """Seconds since the epoch."""
        return self._began + (self._wall() - self._began) * self.rate


def local_utc_offset_s(at: float) -> float:
    """How far this machine's local time is ahead of UTC at a time, in seconds."""
    return float(time.localtime(at).tm_gmtoff)


def local(at: float) -> datetime:
    """A time as this machine's users write it."""
    return datetime.fromtimestamp(at, UTC).astimezone()
