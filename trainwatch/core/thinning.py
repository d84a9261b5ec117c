"""A long row of values in few points, made as it grows: of each stretch the least and the greatest.

What is usual and what stands out both stay visible, and a million values cost no more memory than a thousand.
The trap: a line must not be drawn from one attempt to the next, so a stretch ends where an attempt does.
"""

from collections.abc import Sequence
from itertools import compress
from typing import NamedTuple

MOST_BINS = 750  # each gives up to two points


class Point(NamedTuple):
    """A value, with the iteration and the time (s since the epoch, NaN if unknown) of its row."""

    iteration: float
    at: float
    value: float


class Bin(NamedTuple):
    """A stretch of one attempt: its least and its greatest value, in the order in which they came."""

    attempt: float
    rows: int
    first: Point
    second: Point


class Thinned:
    """Takes values in order, and keeps at most `most` bins."""

    def __init__(self, most: int = MOST_BINS) -> None:
        self._most, self._width = most, 1
        self._bins: list[Bin] = []

    def bins(self) -> tuple[Bin, ...]:
        """All of them, in order."""
        return tuple(self._bins)

    def add(
        self,
        attempt: float,
        iterations: Sequence[float],
        times: Sequence[float],
        values: Sequence[float],
    ) -> None:
        """Take rows of one attempt; unknown values (NaN, infinite) are left out."""
        known = [value - value == 0 for value in values]
        if not all(known):
            iterations, times, values = (
                list(compress(column, known)) for column in (iterations, times, values)
            )
        place = 0
        while place < len(values):
            last = self._bins[-1] if self._bins else None
            open_rows = last.rows if last is not None and last.attempt == attempt else self._width
            room = self._width - open_rows if open_rows < self._width else self._width
            stop = min(place + room, len(values))
            made = _bin(attempt, place, stop, iterations, times, values)
            if last is not None and open_rows < self._width:
                self._bins[-1] = _joined(last, made)
            else:
                self._bins.append(made)
            place = stop
            if len(self._bins) > self._most:
                self._halve()

    def _halve(self) -> None:
        """Join neighbours of one attempt; where attempts are too many for that, any."""
        self._width *= 2
        kept = _paired(self._bins, across=False)
        if len(kept) > 0.75 * self._most:
            kept = _paired(kept, across=True)
        self._bins = kept


def _bin(
    attempt: float,
    start: int,
    stop: int,
    iterations: Sequence[float],
    times: Sequence[float],
    values: Sequence[float],
) -> Bin:
    """A million values pass here: what is built in looks for the ends."""
    part = values[start:stop]
    places = start + part.index(min(part)), start + part.index(max(part))
    ends = [Point(iterations[n], times[n], values[n]) for n in sorted(places)]
    return Bin(attempt, stop - start, ends[0], ends[1])


def _joined(one: Bin, other: Bin) -> Bin:
    """Both as one, of the later's attempt."""
    points = (one.first, one.second, other.first, other.second)
    least = min(range(4), key=lambda n: points[n].value)
    greatest = max(range(4), key=lambda n: points[n].value)
    first, second = sorted((least, greatest))
    return Bin(other.attempt, one.rows + other.rows, points[first], points[second])


def _paired(bins: Sequence[Bin], *, across: bool) -> list[Bin]:
    kept, place = list[Bin](), 0
    while place < len(bins):
        one = bins[place]
        other = bins[place + 1] if place + 1 < len(bins) else None
        if other is not None and (across or one.attempt == other.attempt):
            kept.append(_joined(one, other))
            place += 2
        else:
            kept.append(one)
            place += 1
    return kept
