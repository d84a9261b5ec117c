"""Times as people read them, beside the numbers of core/words.py. Unknown is a dash."""

from datetime import datetime

from trainwatch.app import clock
from trainwatch.core.words import DASH, clean, duration, number, percent, short

__all__ = [
    "DASH",
    "ago",
    "calendar",
    "clean",
    "duration",
    "number",
    "percent",
    "short",
    "step_time",
    "when",
]


def step_time(seconds: float | None) -> str:
    """`105.2 s/it`, or milliseconds where a second is long."""
    if seconds is None:
        return DASH
    return f"{seconds * 1000:.1f} ms/it" if seconds < 0.1 else f"{number(seconds)} s/it"


def when(at: float | None, now: float) -> str:
    """The local time; with the date unless it is today's. A dash for a time that no calendar has."""
    then, today = calendar(at), calendar(now)
    if then is None:
        return DASH
    same_day = today is not None and then.date() == today.date()
    return then.strftime("%H:%M:%S" if same_day else "%Y-%m-%d %H:%M")


def calendar(at: float | None) -> datetime | None:
    """The local time; None for one that no calendar has: NaN, or beyond the year 9999."""
    try:
        return None if at is None else clock.local(at)
    except (ValueError, OverflowError, OSError):
        return None


def ago(at: float | None, now: float) -> str:
    """`43 s ago`."""
    return DASH if at is None else f"{duration(now - at)} ago"
