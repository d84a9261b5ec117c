"""Times as people type them: `03-12 01:00`, `2026-03-12`, `01:00` of the day that is seen. Pure.

The trap: they are local times, and what is not typed is taken from the newest time there is.
"""

import calendar
import re

from trainwatch.app import clock
from trainwatch.core.patterns import pattern

_DATE = r"(?:(?:(?P<year>\d{4})-)?(?P<month>\d{1,2})-(?P<day>\d{1,2}))"
_CLOCK = r"(?:(?P<hour>\d{1,2}):(?P<minute>\d{2})(?::(?P<second>\d{2}))?)"
_MOMENT = pattern(rf"{_DATE}?(?:(?<=\d)[ T]+(?=\d))?{_CLOCK}?", re.ASCII)
DAY_S = 86400.0


def moment(text: str, newest: float) -> float | None:
    """A time, s since the epoch: of the newest year or day if none is typed. None for what is no time."""
    found = _MOMENT.fullmatch(text)
    if found is None or not (found["day"] or found["hour"]):
        return None
    try:
        return _at(found, newest)
    except (ValueError, OverflowError, OSError):
        return None


def _at(found: "re.Match[str]", newest: float) -> float | None:
    now = clock.local(newest)
    hour, minute, second = (int(found[name] or 0) for name in ("hour", "minute", "second"))
    month, day = (int(found[name] or 0) for name in ("month", "day"))
    if hour > 23 or minute > 59 or second > 59 or (found["day"] and not _is_day(month, day)):
        return None
    of_day = hour, minute, second
    if not found["day"]:
        at = _local(now.year, now.month, now.day, *of_day)
        return at if at <= newest else at - DAY_S
    if found["year"]:
        return _local(int(found["year"]), month, day, *of_day)
    at = _local(now.year, month, day, *of_day)
    return at if at <= newest + DAY_S else _local(now.year - 1, month, day, *of_day)


def _is_day(month: int, day: int) -> bool:
    return 1 <= month <= 12 and 1 <= day <= 31


def _local(year: int, month: int, day: int, hour: int, minute: int, second: int) -> float:
    wall = calendar.timegm((year, month, day, hour, minute, second, 0, 0, 0))
    about = wall - clock.local_utc_offset_s(wall)
    return wall - clock.local_utc_offset_s(about)
