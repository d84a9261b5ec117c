"""A time as people say it (`14:30`, `2026-11-20 14:30`, `-2h`), and where in a log's own time that is.

The trap: the stamps of a log are naive, and some have no year. All is told in the log's own time, the way its
lines are read: `14:30` is the last one before its end, `-2h` is before its end, never before now.
"""

import re
from datetime import UTC, datetime

from trainwatch.core.logs.text import NO_YEAR
from trainwatch.core.model.snapshot import Moment
from trainwatch.core.patterns import pattern

_DAY_S = 86400.0
_UNITS_S = {"s": 1.0, "m": 60.0, "min": 60.0, "h": 3600.0, "d": _DAY_S}
_BACK = pattern(r"-\s?(\d{1,6}(?:\.\d{1,6})?)\s?(s|min|m|h|d)")
_TIME = pattern(
    r"(?:(?P<date>\d{4}-\d\d-\d\d)(?:[ T]|$))?(?:(?P<h>\d\d?):(?P<m>\d\d)(?::(?P<s>\d\d))?)?"
)


def moment_of(text: str) -> Moment | None:
    """What somebody typed as a time; None where it is none."""
    text = text.strip()
    back = _BACK.fullmatch(text)
    if back is not None:
        return Moment(before_end_s=float(back[1]) * _UNITS_S[back[2]])
    said = _TIME.fullmatch(text)
    if said is None or not text:
        return None
    try:
        clock_s = _clock_s(said)
        if not said["date"]:
            return Moment(of_day_s=clock_s)
        date = datetime.fromisoformat(said["date"]).replace(tzinfo=UTC)
        return Moment(stamp_s=date.timestamp() + clock_s)
    except (ValueError, OverflowError):
        return None


def stamp_of(moment: Moment, last_s: float) -> float:
    """Its stamp (s since the epoch, as if the log's clock were UTC) in a log whose last stamp is this."""
    if moment.before_end_s is not None:
        return last_s - moment.before_end_s
    if moment.of_day_s is not None:
        today = last_s - last_s % _DAY_S + moment.of_day_s
        return today if today <= last_s else today - _DAY_S
    stamp_s = moment.stamp_s or 0.0
    if datetime.fromtimestamp(last_s, UTC).year == NO_YEAR:
        return datetime.fromtimestamp(stamp_s, UTC).replace(year=NO_YEAR).timestamp()
    return stamp_s


def _clock_s(said: re.Match[str]) -> float:
    """Seconds of the day. Raises ValueError where no clock shows that."""
    hours, minutes, seconds = (int(said[name] or 0) for name in "hms")
    if hours > 23 or minutes > 59 or seconds > 59:
        raise ValueError(said[0])
    return hours * 3600.0 + minutes * 60.0 + seconds
