"""How fast disks fill: a reading an hour is kept, and the fall over them is the rate.

The trap: one large file written and removed is no trend; the rate is taken between medians of the older and
the newer half.
"""

from itertools import pairwise

import msgspec

from trainwatch.core.model.observations import DiskReading

_KEPT = 48
_APART_S = 600.0  # readings closer than this replace each other
_STEP = (
    0.5  # of the mean step: one reading that is so much lower than the last is no trend, two are
)
_LEAST_ROWS, _LEAST_S = 4, 3_600.0  # of readings that make a trend


class DiskSense(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Readings by path: (at, bytes free, inodes free)."""

    readings: dict[str, list[tuple[float, float | None, float | None]]] = {}

    def take(self, seen: DiskReading) -> None:
        """Keep a reading."""
        kept = self.readings.setdefault(seen.path, [])
        while kept and kept[-1][0] > seen.at:
            kept.pop()  # by a clock that was set back since
        row = (seen.at, seen.bytes_free, seen.inodes_free)
        if len(kept) > 1 and seen.at - kept[-2][0] < _APART_S:
            kept[-1] = row
        else:
            kept.append(row)
        del kept[:-_KEPT]

    def span_s(self, path: str) -> float:
        """Over how long the rate is known; 0 while it is not."""
        rows = self.readings.get(path, [])
        return rows[-1][0] - rows[0][0] if len(rows) >= _LEAST_ROWS else 0.0

    def runway_s(self, path: str) -> tuple[float, str] | None:
        """Seconds until the disk is full at this rate, and what runs out; None: not in sight."""
        found = []
        for place, what in ((1, "bytes"), (2, "inodes")):
            values = [(row[0], row[place]) for row in self.readings.get(path, [])]
            left = _runway_s([(at, value) for at, value in values if value is not None])
            if left is not None:
                found.append((left, what))
        return min(found) if found else None


def _runway_s(points: list[tuple[float, float]]) -> float | None:
    if len(points) < _LEAST_ROWS or points[-1][0] - points[0][0] < _LEAST_S:
        return None
    half = len(points) // 2
    older, newer = points[:half], points[half:]
    apart_s = _middle([at for at, _ in newer]) - _middle([at for at, _ in older])
    fallen = _middle([free for _, free in older]) - _middle([free for _, free in newer])
    if fallen <= 0 or apart_s <= 0:
        return None
    steps = [before - after for (_, before), (_, after) in pairwise(points)]
    if sum(step > _STEP * fallen / len(steps) for step in steps) < 2:
        return None
    return points[-1][1] / (fallen / apart_s)


def _middle(values: list[float]) -> float:
    """The median. Times rise where room falls, so the upper of two in both would lean to a side."""
    ordered, half = sorted(values), len(values) // 2
    return (ordered[half] + ordered[-half - 1]) / 2
