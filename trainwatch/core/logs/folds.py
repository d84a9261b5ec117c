"""Which lines of a log one row may stand for: noise in a row, and lines that say what the one above said.

The trap: a number with a decimal point is a measurement, and lines that differ in one are not alike; whole
numbers, dates, addresses and ranks are only names. Errors, warnings and progress never fold.
"""

import re
from collections.abc import Callable, Sequence
from typing import NamedTuple

from trainwatch.core.logs.levels import BARS, Level, told
from trainwatch.core.logs.text import unframed
from trainwatch.core.patterns import pattern

LONGEST = 2000  # characters of a line that may fold: a long one has something to say
_LEAST_NOISE = 2  # lines that become one row
_LEAST_ALIKE = 3  # lines of which the first is kept
_NAMES = 2  # kinds of noise that a row names
_NUMBERS = pattern(
    r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\d(?:[.,]\d+)?|\d\d:\d\d:\d\d(?:[.,]\d+)?|\b0x[0-9a-fA-F]+"
    r"|\d+(?:\.\d+){2,}|(?P<measured>\d+\.\d+)|\d+"
)


class Kind(NamedTuple):
    """What of a line folding looks at: its level, what its noise is called, what it says but for numbers."""

    level: Level
    noise: str = ""
    shape: str | None = None  # None: is like no other


class Row(NamedTuple):
    """So many lines from `first` on; `noise` is what they are called, empty for lines like the one above."""

    first: int
    lines: int = 1
    noise: str = ""


def kind_of(text: str) -> Kind:
    """Of a line's clean text."""
    level, noise = told(text)
    alike = not level and len(text) <= LONGEST
    return Kind(level, noise if len(text) <= LONGEST else "", _shape(text) if alike else None)


def folded(kinds: Sequence[Kind], stands_alone: Callable[[int], bool]) -> list[Row]:
    """Rows for lines in order, all of them, each line in one; `stands_alone` says which may not fold."""
    rows, at = list[Row](), 0
    while at < len(kinds):
        end = _run(kinds, at, stands_alone)
        rows += _noise(kinds, at, end) if kinds[at].noise else _alike(at, end)
        at = end
    return rows


def _run(kinds: Sequence[Kind], at: int, stands_alone: Callable[[int], bool]) -> int:
    """Where those end that may be a row with this one."""
    end, first = at + 1, kinds[at]
    if (first.shape is None and not first.noise) or stands_alone(at):
        return end
    while end < len(kinds) and _together(first, kinds[end]) and not stands_alone(end):
        end += 1
    return end


def _together(one: Kind, other: Kind) -> bool:
    return bool(other.noise) if one.noise else not other.noise and one.shape == other.shape


def _noise(kinds: Sequence[Kind], at: int, end: int) -> list[Row]:
    """One row. The last of progress bars is what they have come to: it stays."""
    last = [Row(end - 1)] if kinds[end - 1].noise == BARS else []
    end -= len(last)
    if end - at < _LEAST_NOISE:
        return [*(Row(index) for index in range(at, end)), *last]
    names = list(dict.fromkeys(kinds[index].noise for index in range(at, end)))
    called = ", ".join(names[:_NAMES]) + (" and other noise" if len(names) > _NAMES else "")
    return [Row(at, end - at, called), *last]


def _alike(at: int, end: int) -> list[Row]:
    if end - at < _LEAST_ALIKE:
        return [Row(index) for index in range(at, end)]
    return [Row(at), Row(at + 1, end - at - 1)]


def _shape(text: str) -> str:
    return " ".join(_NUMBERS.sub(_nameless, unframed(text)).split())


def _nameless(number: re.Match[str]) -> str:
    return number[0] if number["measured"] else "#"
