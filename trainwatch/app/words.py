"""Times as people read them, beside the numbers of core/words.py. Unknown is a dash."""

from trainwatch.app import clock
from trainwatch.core.words import DASH, clean, duration, number, percent, short

__all__ = [
    "DASH",
    "ago",
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
    if at is None:
        return DASH
    try:
        then = clock.local(at)
        same_day = then.date() == clock.local(now).date()
    except (ValueError, OverflowError, OSError):
        return DASH
    return then.strftime("%H:%M:%S" if same_day else "%Y-%m-%d %H:%M")


def ago(at: float | None, now: float) -> str:
    """`43 s ago`."""
    return DASH if at is None else f"{duration(now - at)} ago"
