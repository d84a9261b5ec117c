"""What a person types to see a part of a chart: `120k-130k`, `-5000`, `50%-60%`, `-6h`. Pure.

The trap: a hyphen stands between two numbers, before a number, and within a date: each is tried.
"""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from trainwatch.app.durations import seconds
from trainwatch.app.tui.chart import xlabels
from trainwatch.app.tui.chart.moments import DAY_S, moment
from trainwatch.app.tui.chart.xaxis import Kind
from trainwatch.core.errors import UsageError
from trainwatch.core.patterns import pattern

EXAMPLES: dict[Kind, str] = {
    "iteration": "120k-130k, -5000 (the last), 95000- (from there on), 50%-60%",
    "tokens": "1.2B-1.5B, -10B (the last), 1T- (from there on), 50%-60%",
    "time": "01:00-05:30, 03-11 22:00 - 03-12 06:00, -6h (the last), 50%-60%",
}
_BETWEEN = pattern(r"\s*(?:\.\.+|-|–|—|\bto\b)\s*")
_NUMBER = pattern(r"(\d{1,15}(?:\.\d{1,9})?)\s*([a-z]*)", re.IGNORECASE | re.ASCII)
_SHARE = pattern(r"(\d{1,3}(?:\.\d{1,9})?)\s*%", re.ASCII)
_SCALES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "b": 1e9, "t": 1e12}


class Extent(NamedTuple):
    """What there is: the kind of axis, the first and the last place."""

    kind: Kind
    first: float
    last: float

    def told(self) -> str:
        """From where to where."""
        return f"{xlabels.place(self.kind, self.first)} to {xlabels.place(self.kind, self.last)}"


def range_of(text: str, extent: Extent) -> tuple[float, float | None]:
    """From where to where, within what there is; None for up to the newest, whatever comes.

    Raises UsageError with a sentence for a person.
    """
    text, examples = text.strip(), EXAMPLES[extent.kind]
    if not text:
        raise UsageError(f"type from-to, such as {examples}")
    found = [between for sides in _splits(text) if (between := _between(*sides, extent))]
    if not found:
        raise UsageError(f"'{text}' is no range; type {examples}")
    # a hyphen may also stand within a date: what can be read in several ways is what goes forward
    begin, end = next((f for f in found if f[1] is not None and f[1] > f[0]), found[0])
    return _checked(text, begin, end, extent)


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """What stands on both sides of whatever may stand between."""
    for found in _BETWEEN.finditer(text):
        yield text[: found.start()].strip(), text[found.end() :].strip()


def _between(left: str, right: str, extent: Extent) -> tuple[float, float | None] | None:
    first, last = extent.first, extent.last
    if not left:
        length = (seconds if extent.kind == "time" else number)(right)
        return None if length is None else (max(first, last - length), None)
    begin = _point(left, extent)
    if begin is None or not right:
        return None if begin is None else (begin, None)
    end = _point(right, extent)
    if end is None:
        return None
    if begin > end and extent.kind == "time" and "-" not in left:
        begin = _the_day_before(begin, end)  # 22:00-06:00
    return begin, end


def _the_day_before(begin: float, end: float) -> float:
    return begin - math.ceil((begin - end) / DAY_S) * DAY_S


def _point(text: str, extent: Extent) -> float | None:
    share = _SHARE.fullmatch(text)
    if share is not None:
        return extent.first + float(share[1]) / 100 * (extent.last - extent.first)
    return moment(text, extent.last) if extent.kind == "time" else number(text)


def number(text: str) -> float | None:
    """`120000`, `120,000`, `120k`, `1.5 M`; None for what is none."""
    found = _NUMBER.fullmatch(text.replace(",", "").replace("_", ""))
    scale = _SCALES.get(found[2].lower()) if found else None
    return None if found is None or scale is None else float(found[1]) * scale


def _checked(
    text: str, begin: float, end: float | None, extent: Extent
) -> tuple[float, float | None]:
    """The part of it that there is. Raises UsageError where that is none."""
    if end is not None and end <= begin:
        examples = EXAMPLES[extent.kind]
        raise UsageError(f"'{text}' ends before it begins; type from-to, such as {examples}")
    if begin >= extent.last or (end is not None and end <= extent.first):
        raise UsageError(f"nothing there: '{text}', and there are {extent.told()}")
    end = None if end is None or end >= extent.last else end
    return max(extent.first, begin), end
