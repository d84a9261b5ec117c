"""When something in a log happened: by the line's stamp, else by its arrival, else by adding up.

Stamps are naive. `utc_offset_s` says how far the log's clock is ahead of UTC.
"""

from datetime import UTC, datetime

from trainwatch.core.logs.text import NO_YEAR
from trainwatch.core.model.state import Time

_YEARS_END = datetime(NO_YEAR + 1, 1, 1, tzinfo=UTC).timestamp()
_YEARS_BEGIN = datetime(NO_YEAR, 1, 1, tzinfo=UTC).timestamp()
_DAY_S = 86400


def stamped(stamp: float, utc_offset_s: float, seen_at: float) -> Time:
    """The time of a stamp; one without a year is put into the last year that makes it the past."""
    if _YEARS_BEGIN <= stamp < _YEARS_END:
        stamp = _with_year(stamp, seen_at + utc_offset_s)
    return Time(stamp - utc_offset_s, "stamp")


def _with_year(stamp: float, local_now: float) -> float:
    try:
        year = datetime.fromtimestamp(local_now + _DAY_S, UTC).year
        date = datetime.fromtimestamp(stamp, UTC)
        for candidate in (year, year - 1, year - 2, year - 3, year - 4):
            found = _in_year(date, candidate)
            if found is not None and found <= local_now + _DAY_S:
                return found
    except (ValueError, OverflowError, OSError):
        pass
    return stamp


def _in_year(date: datetime, year: int) -> float | None:
    try:
        return date.replace(year=year).timestamp()
    except ValueError:  # 29 February
        return None
