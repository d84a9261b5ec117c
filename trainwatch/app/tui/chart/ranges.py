"""What a person types to see a part of a chart: `120k-130k`, `-5000`, `50%-60%`. Pure.

The trap: a hyphen stands between two numbers, before a number, and within a date: each is tried.
"""

import re
from collections.abc import Callable, Iterator

from trainwatch.core.errors import UsageError

Point = Callable[[str], float | None]
EXAMPLES = "120k-130k, -5000 (the last), 95000- (from there on), 50%-60%"
_BETWEEN = re.compile(r"\s*(?:\.\.+|-|–|—|\bto\b)\s*")
_NUMBER = re.compile(r"(\d{1,15}(?:\.\d{1,9})?)\s*([a-z]*)", re.IGNORECASE)
_SCALES = {"": 1.0, "k": 1e3, "m": 1e6, "g": 1e9, "b": 1e9, "t": 1e12}


def range_of(text: str, first: float, last: float) -> tuple[float, float | None]:
    """From where to where, within `first`..`last`; None for up to the newest, whatever comes.

    Raises UsageError with a sentence for a person.
    """
    text = text.strip()
    if not text:
        raise UsageError(f"type from-to, such as {EXAMPLES}")
    for left, right in _splits(text):
        found = _between(left, right, first, last)
        if found is not None:
            return _checked(text, *found, first, last)
    raise UsageError(f"'{text}' is no range; type {EXAMPLES}")


def _splits(text: str) -> Iterator[tuple[str, str]]:
    """What stands on both sides of whatever may stand between."""
    for found in _BETWEEN.finditer(text):
        yield text[: found.start()].strip(), text[found.end() :].strip()


def _between(left: str, right: str, first: float, last: float) -> tuple[float, float | None] | None:
    if not left:
        length = number(right)
        return None if length is None else (max(first, last - length), None)
    begin = _point(left, first, last)
    if begin is None or not right:
        return None if begin is None else (begin, None)
    end = _point(right, first, last)
    return None if end is None else (begin, end)


def _point(text: str, first: float, last: float) -> float | None:
    share = re.fullmatch(r"(\d{1,3}(?:\.\d{1,9})?)\s*%", text)
    if share is not None:
        return first + float(share[1]) / 100 * (last - first)
    return number(text)


def number(text: str) -> float | None:
    """`120000`, `120,000`, `120k`, `1.5 M`; None for what is none."""
    found = _NUMBER.fullmatch(text.replace(",", "").replace("_", ""))
    scale = _SCALES.get(found[2].lower()) if found else None
    return None if found is None or scale is None else float(found[1]) * scale


def _checked(
    text: str, begin: float, end: float | None, first: float, last: float
) -> tuple[float, float | None]:
    """The part of it that there is. Raises UsageError where that is none."""
    if end is not None and end <= begin:
        raise UsageError(f"'{text}' ends before it begins; type from-to, such as {EXAMPLES}")
    if begin >= last or (end is not None and end <= first):
        raise UsageError(f"nothing there: '{text}', and there are {first:,.0f} to {last:,.0f}")
    end = None if end is None or end >= last else end
    return max(first, begin), end
