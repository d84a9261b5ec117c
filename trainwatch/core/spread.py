"""A median of millions of values in little memory: how often each was seen, not the values.

Logged times have few digits, so few of them differ. Only beyond MOST different values are they rounded,
to so many digits that the median is off by less than a part in 10**6.
"""

from array import array
from collections import Counter
from math import isnan

MOST = 400_000  # different values: 35 MB
_DIGITS = (7, 6, 5)


class Spread:
    """Counts values. Exact while at most `most` of them differ."""

    def __init__(self, most: int = MOST) -> None:
        self._counts: Counter[float] = Counter()
        self._most = most

    def add(self, values: "array[float]") -> None:
        """Count these values; NaN is none."""
        known = [v for v in values if v == v] if isnan(sum(values)) else values
        self._counts.update(known)
        for digits in _DIGITS:
            if len(self._counts) <= self._most:
                break
            self._round(digits)

    def median(self) -> float | None:
        """The middle value, or the mean of the two in the middle; None without any."""
        total = self._counts.total()
        if not total:
            return None
        values = sorted(self._counts)
        return (self._at(values, (total - 1) // 2) + self._at(values, total // 2)) / 2

    def _at(self, values: list[float], place: int) -> float:
        for value in values:
            place -= self._counts[value]
            if place < 0:
                return value
        return values[-1]

    def _round(self, digits: int) -> None:
        rounded: Counter[float] = Counter()
        while self._counts:
            value, count = self._counts.popitem()
            rounded[float(f"{value:.{digits}g}")] += count
        self._counts = rounded
