"""Iteration lines a block at a time: a layout learned from one line reads the thousands that look like it.

A run prints millions of lines that differ only in their numbers. Without its numbers each is the same
skeleton; without its words it is a JSON array. Both are one C call over all lines of a block, so a line
costs about a microsecond and a half. A layout is a cache of the line parser, never a second opinion:
what is learned (learning.py) must give the very record that the parser gave, and a block in which one line
has another skeleton, or a number that is none, is left to the parser.
"""

import re
from array import array
from collections.abc import Callable, Collection, Iterator, Sequence
from itertools import repeat
from math import isnan
from operator import truediv
from typing import NamedTuple, cast

import msgspec

from trainwatch.core.columns import NAN, Columns
from trainwatch.core.logs import pipes, text
from trainwatch.core.model.records import Iteration

_NUMERIC = b"0123456789.+-E "
_UNCLEAN = b"0123456789.+-E/"
# Blanks and line ends stay: without them the halves of a torn number would become one.
_WORDS = bytes(c for c in range(256) if c not in b"0123456789.+-E|/ \n")
_MASKED = bytes.maketrans(_UNCLEAN, bytes(range(0x80, 0x80 + len(_UNCLEAN))))
_COMMAS = bytes.maketrans(b"|/", b",,")
ORDINARY_ZERO = ("skipped", "nan_iterations")

_NO_YEAR = b"%d" % text.NO_YEAR
_TOO_MANY = 10**15  # iterations, for the line parser
_decode = msgspec.json.Decoder(list[int | float]).decode
Found = tuple[bytes, bytes] | bytes  # (stamp, line), or the line of a layout without stamps


class Aside(NamedTuple):
    """A line of another format between rows, which is one iteration record; parsed where one asks for it."""

    start: int  # of the line, in the data
    iteration: int
    record: Callable[[], Iteration]


class Rows:
    """Consecutive iteration records of one layout, whole and ordinary (a loss, nothing skipped).

    All numbers are read; they are put into columns when someone asks for one.
    """

    __slots__ = (
        "_cache",
        "_flat",
        "_layout",
        "asides",
        "count",
        "format",
        "speaker",
        "stamps",
        "starts",
        "target",
    )

    def __init__(
        self,
        layout: "Layout",
        flat: list[float],
        stamps: "array[float] | None",
        starts: Sequence[int],
    ) -> None:
        self._layout, self._flat = layout, flat
        self._cache: dict[str, array[float]] = {}
        self.count = len(flat) // layout.width
        self.format, self.speaker = layout.like.format, layout.like.speaker
        self.target = layout.like.target or 0
        self.stamps = stamps  # s since the epoch as if UTC
        self.starts = starts  # of the lines, in the data
        self.asides: Sequence[Aside] = ()  # around and between the rows, in the order of the data

    def column(self, name: str) -> "array[float] | None":
        """One column, or None if the layout does not have it."""
        if name not in self._cache and name in self._layout.places:
            index, divisor = self._layout.places[name]
            column = self._flat[index :: self._layout.width]
            self._cache[name] = _measured(name, column, divisor)
        return self._cache.get(name)

    def last(self, name: str, count: int) -> "array[float]":
        """The last values of a column that the layout has."""
        index, divisor = self._layout.places[name]
        width = self._layout.width
        return _measured(name, self._flat[-width * count :][index::width], divisor)

    def columns(self, wanted: Collection[str] | None = None) -> Columns:
        """All columns, or those of the wanted ones that the layout has."""
        names = [n for n in self._layout.places if wanted is None or n in wanted]
        return Columns({name: self.column(name) or array("d") for name in names}, self.count)

    def row(self, index: int) -> dict[str, float]:
        """The values of one row, without those that were not measured."""
        start = index * self._layout.width
        places = self._layout.places.items()
        values = {name: self._flat[start + place] / by for name, (place, by) in places}
        return pipes.measured(values)

    def records(self) -> Iterator[tuple[int, Iteration]]:
        """Rows and asides one by one, in their order, with the offset of their line in the data."""
        asides, index = list(self.asides), 0
        for number, start in enumerate(self.starts):
            while index < len(asides) and asides[index].start < start:
                yield asides[index].start, asides[index].record()
                index += 1
            yield start, self.record(number)
        yield from ((aside.start, aside.record()) for aside in asides[index:])

    def record(self, index: int) -> Iteration:
        """One row as the record that the line parser gives."""
        values = self.row(index)
        return Iteration(
            format=self.format,
            speaker=self.speaker,
            stamp=None if self.stamps is None else self.stamps[index],
            iteration=int(values.pop("iteration")),
            target=self.target,
            values=values,
        )


class Layout:
    """One kind of iteration line."""

    def __init__(
        self, raw: bytes, start: int, prefix: bytes, labels: Sequence[bytes], like: Iteration
    ) -> None:
        """Of the line `raw`, whose record is `like` and begins at `start`, with these labels.

        `prefix` is a pattern for what stands before it, with a group for a stamp where there is one.
        """
        names = [("iteration", 1.0), *(pipes.column_of(label.decode()) for label in labels)]
        self.like = like
        self.width = len(names) + 1
        # the target stands behind the iteration: `50/ 45776`
        places = (0, *range(2, self.width))
        self.places = {n: (place, by) for (n, by), place in zip(names, places, strict=True)}
        self.stamped = like.stamp is not None
        self._lines = re.compile(rb"\n" + prefix + rb"(iteration[^\n]*+)(?=\n)")
        # What belongs to a number must not stand in a label: it would be taken for one.
        self._cleaned = [(x, x.translate(_MASKED)) for x in labels if set(x) & set(_UNCLEAN)]
        self._skeleton = self._words(raw[start:])
        self._head = b"\n" + raw[:start]
        self._minutes: dict[bytes, float] = {}

    def read(self, block: bytes, places: Sequence[int]) -> Rows | None:
        """The lines around these places in columns; None if one of them is not what it seemed."""
        starts = self._aligned(block, places) or _line_ends(block, places)
        if starts is None:
            return None
        behind = block.find
        pairs = zip(starts, places, strict=True)
        if self.stamped:
            lines = b"".join([block[start : behind(b"\n", place)] for start, place in pairs])
            found = self._lines.findall(lines + b"\n")
            return self.rows(found, starts) if len(found) == len(places) else None
        head = self._head
        if not all(map(block.startswith, repeat(head), starts)):
            return None
        skip = len(head)
        return self.rows([block[at + skip : behind(b"\n", place)] for at, place in pairs], starts)

    def _aligned(self, block: bytes, places: Sequence[int]) -> Sequence[int] | None:
        """The line ends before the places, where numbers have one width: all are as far as the first."""
        away = places[0] - block.rfind(b"\n", 0, places[0])
        starts = [place - away for place in places]
        return starts if all(map(block.startswith, repeat(self._head), starts)) else None

    def match(self, block: bytes, start: int) -> Found | None:
        """The line that begins after the line end at `start`, if it is of this layout."""
        found = self._lines.match(block, start)
        if found is None or self._words(found[found.re.groups]) != self._skeleton:
            return None
        return (found[1], found[2]) if self.stamped else found[1]

    def rows(self, found: Sequence[Found], starts: Sequence[int]) -> Rows | None:
        """The lines that start there in columns; None if one of them is not what it seemed."""
        stamps: Sequence[bytes] = ()
        lines = cast("Sequence[bytes]", found)
        if self.stamped:
            stamps, lines = zip(*found, strict=True)
        return self._rows(b" ".join(lines), starts, self._skeleton, stamps)

    def _rows(
        self, lines: bytes, starts: Sequence[int], skeleton: bytes, stamps: Sequence[bytes] = ()
    ) -> Rows | None:
        block, count = self._clean(lines), len(starts)
        if block.translate(None, _NUMERIC) != skeleton * count:
            return None
        try:
            flat = _decode(b"[" + block.translate(_COMMAS, _WORDS).rstrip()[:-1] + b"]")
        except msgspec.DecodeError:
            return None
        if len(flat) != self.width * count or not self._is_ordinary(flat):
            return None
        times = array("d", map(self.seconds, stamps)) if stamps else None
        if times is not None and isnan(sum(times)):
            return None
        return Rows(self, flat, times, starts)

    def seconds(self, stamp: bytes) -> float:
        """A stamp in s since the epoch as if UTC, the same as text.stamp gives; NaN if it is none."""
        minute = self._minutes.get(stamp[:16])
        if minute is None:
            known = text.stamp(stamp[:16].decode() + ":00")
            minute = NAN if known is None or stamp.startswith(_NO_YEAR) else known
            self._minutes = {stamp[:16]: minute}
        seconds = int(stamp[17:19])
        return (
            NAN
            if seconds > 59
            else minute + seconds + (float(b"0." + stamp[20:]) if stamp[20:] else 0.0)
        )

    def _is_ordinary(self, flat: list[float]) -> bool:
        width, places = self.width, self.places
        iterations = flat[::width]
        if (
            set(map(type, iterations)) != {int}
            or not 0 < min(iterations) <= max(iterations) < _TOO_MANY
        ):
            return False
        if flat[1::width].count(self.like.target or 0) * width != len(flat):
            return False
        zeros = (flat[places[name][0] :: width] for name in ORDINARY_ZERO)
        return -1.0 not in flat[places["loss"][0] :: width] and not any(map(any, zeros))

    def _words(self, line: bytes) -> bytes:
        return self._clean(line).translate(None, _NUMERIC)

    def _clean(self, block: bytes) -> bytes:
        for label, clean in self._cleaned:
            block = block.replace(label, clean)
        return block


def _line_ends(block: bytes, places: Sequence[int]) -> Sequence[int] | None:
    """The line ends before the places; None if two are on a line."""
    for index in range(0, len(places) - 1, 1 + len(places) // 8):
        if block.find(b"\n", places[index], places[index + 1]) < 0:
            return None  # found out before each looks for the ends of it
    starts = [block.rfind(b"\n", 0, place) for place in places]
    return starts if len(set(starts)) == len(places) else None


def _measured(name: str, raw: list[float], divisor: float) -> "array[float]":
    """A raw column in its unit, NaN where a placeholder stands."""
    column = array("d", map(truediv, raw, repeat(divisor)) if divisor != 1 else raw)
    for placeholder in pipes.NOT_MEASURED.get(name, ()):
        if placeholder in column:
            column = array("d", (NAN if v == placeholder else v for v in column))
    if name == "step_time_s" and not min(column) > 0:
        column = array("d", (v if v > 0 else NAN for v in column))
    return column
