"""The only place that reads the clock; everything else is told what time it is."""

import time
from datetime import UTC, datetime


def now() -> float:
    """Seconds since the epoch."""
    return time.time()


def local_utc_offset_s(at: float) -> float:
    """How far this machine's local time is ahead of UTC at a time, in seconds."""
    return float(time.localtime(at).tm_gmtoff)


def local(at: float) -> datetime:
    """A time as this machine's users write it."""
    return datetime.fromtimestamp(at, UTC).astimezone()
