"""Hours and days on the wall clock: when a script is due, once in each of them.

The trap: days of 23 and 25 hours, and clocks that are set. Moments are compared, never hours of the day.
"""

from collections.abc import Callable, Iterator
from typing import Literal

import msgspec

Period = Literal["hourly", "daily"]
HOUR_S, DAY_S = 3600.0, 86_400.0
LENGTH_S: dict[Period, float] = {"hourly": HOUR_S, "daily": DAY_S}
_RESIDUE_S = 1.0  # a time is kept as a float


class Grid(msgspec.Struct, frozen=True, kw_only=True):
    """Where periods begin: hours at minute 0, days at `daily_at_s` after local midnight.

    `offset_at` says how far local time is ahead of UTC at a moment, both in s.
    """

    offset_at: Callable[[float], float]
    daily_at_s: float = 4 * HOUR_S

    def start(self, period: Period, now: float) -> float:
        """When the period began that `now` lies in, s since the epoch."""
        if period == "hourly":
            return now - (now + self.offset_at(now)) % HOUR_S
        return max(start for start in self._near(now) if start <= now)

    def following(self, period: Period, now: float) -> float:
        """When the next one begins."""
        if period == "hourly":
            return self.start(period, now) + HOUR_S
        return min(start for start in self._near(now) if start > now)

    def due(self, period: Period, began: float | None, now: float) -> bool:
        """Whether a script is to be run now that last began at `began` (None: never).

        However many periods were missed, it is due once. One that never ran is due at once, as with
        anacron: whoever put it there sees that it works. `began` is one that `settled` returned.
        """
        return began is None or self.start(period, now) > began

    def _near(self, now: float) -> Iterator[float]:
        """The beginnings of the days around `now`."""
        day = (now + self.offset_at(now) - self.daily_at_s) // DAY_S
        for each in (-1, 0, 1, 2):
            yield self._moment((day + each) * DAY_S + self.daily_at_s)

    def _moment(self, wall: float) -> float:
        """When a local time is, the first time it is; where a clock set forward leaves it out, just after.

        One moment for each day, whenever it is asked for: or the hour that comes twice would run twice.
        """
        before, after = self.offset_at(wall - DAY_S), self.offset_at(wall + DAY_S)
        moments = sorted({wall - before, wall - after})
        right = (at for at in moments if abs(at + self.offset_at(at) - wall) < _RESIDUE_S)
        return next(right, moments[-1])


def settled(period: Period, began: float, now: float) -> float:
    """When a script began, as far as a clock can be trusted that may have been set back since.

    A little in the future is believed: that period had its run, and the script waits for the next. More than
    a period ahead would keep it waiting for what may be years: it counts as begun now.
    """
    return now if began - now > LENGTH_S[period] else began
