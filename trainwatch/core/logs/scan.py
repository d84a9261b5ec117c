"""Bytes of a log -> its records in order, fast enough for years of log and for the next line alike.

A block is searched once for everything that any format needs (needles.py); only lines with a hit
are parsed. Megatron's iteration lines, of which there are millions, are read in columns between two
such lines once a layout is known (layout.py). Both ways give the same records, which
tests/core/logs/test_scan.py holds them to.
"""

from bisect import bisect_left
from collections.abc import Iterator, Sequence
from typing import NamedTuple, cast

from trainwatch.core.logs.format import Format, Line
from trainwatch.core.logs.layout import Aside, Found, Layout, Rows
from trainwatch.core.logs.learning import learn
from trainwatch.core.logs.needles import finder, places
from trainwatch.core.logs.own import MARK
from trainwatch.core.logs.pipes import NEEDLE
from trainwatch.core.logs.table import FORMATS
from trainwatch.core.logs.text import LONGEST_LINE
from trainwatch.core.model.records import Iteration, Record

Item = tuple[int, Rows | Record]


class Marked(NamedTuple):
    """Complete lines between two line ends, and where a record may be: (position, needle).

    The last line ends at `end`. `iterations` are the places of Megatron's iteration lines, which are
    too many for a look at each.
    """

    block: bytes
    end: int
    hits: Sequence[tuple[int, int]]
    iterations: Sequence[int]


class Scanner:
    """Reads blocks of complete lines. Its only state is the layout it learned, which is a cache."""

    def __init__(self, extra: Sequence[Format] = (), *, in_columns: bool = True) -> None:
        """`extra` are the user's own formats, tried first. `in_columns=False`: line by line only."""
        self._formats = (*extra, *FORMATS)
        by_needle: dict[bytes, list[int]] = {}
        for index, candidate in enumerate(self._formats):
            for needle in candidate.needles:
                by_needle.setdefault(needle, []).append(index)
        self._pipes = tuple(by_needle.pop(NEEDLE))
        self._everywhere = tuple(i for i, f in enumerate(self._formats) if not f.needles)
        self._of_needle = tuple(map(tuple, by_needle.values()))
        self._find = finder(tuple(by_needle))
        self._find_iterations = places(NEEDLE)
        self._in_columns = in_columns
        self._layout: Layout | None = None

    def mark(self, data: bytes) -> Marked:
        """Find the places of these complete lines that may hold a record. Safe in another thread.

        A carriage return ends a line, too: progress bars are separated by them.
        """
        ended = data.endswith((b"\n", b"\r"))
        block = b"\n" + data if ended else b"\n" + data + b"\n"
        return self.mark_block(block, len(block) - 1)

    def mark_block(self, block: bytes, end: int) -> Marked:
        """The same for the lines of `block` up to the line end at `end`; a line end stands before them.

        What is behind them is not looked at: not to cut it off saves a copy.
        """
        if b"\r" in block:
            block = block.replace(b"\r", b"\n")
        hits, iterations = self._find(block), self._find_iterations(block)
        while hits and hits[-1][0] > end:
            hits.pop()
        while iterations and iterations[-1] > end:
            iterations.pop()
        return Marked(block, end, hits, iterations)

    def scan(self, marked: Marked) -> Iterator[Item]:
        """The records of a marked block, with the offset of their line in its data."""
        block, start, asides = marked.block, 0, list[Aside]()
        lines = self._every_line(marked) if self._everywhere else self._lines(marked)
        for line, formats in lines:
            stop = block.find(b"\n", line + 1)
            if block.find(NEEDLE, line, stop) >= 0:
                formats.update(self._pipes)
            elif (aside := self._aside(block, line, stop, formats)) is not None:
                asides.append(aside)
                continue
            yield from self._iterations(marked, start, line, asides)
            start, asides = stop, []
            yield from self._parse(block, line, start, sorted(formats))
        yield from self._iterations(marked, start, marked.end, asides)

    def _aside(self, block: bytes, line: int, stop: int, formats: set[int]) -> Aside | None:
        """A line of a format that speaks beside the one whose layout is known (DeepSpeed's in Megatron)."""
        if self._layout is None or len(formats) != 1:
            return None
        (index,) = formats
        told = self._formats[index].aside
        iteration = told(block, line + 1, stop) if told else None
        if iteration is None:
            return None

        def record() -> Iteration:
            (read,) = self._formats[index].parse(Line.of(block[line + 1 : stop]))
            return cast("Iteration", read)

        return Aside(line, iteration, record)

    def _lines(self, marked: Marked) -> Iterator[tuple[int, set[int]]]:
        """The lines with a hit: the line end before, and the formats that want to see the line."""
        block = marked.block
        line, stop, formats = -1, 0, set[int]()
        for position, needle in marked.hits:
            if position >= stop:
                if formats:
                    yield line, formats
                line, formats = block.rfind(b"\n", stop, position), set()
                stop = block.find(b"\n", position)
            if position - line <= LONGEST_LINE:
                formats.update(self._of_needle[needle])
        if formats:
            yield line, formats

    def _every_line(self, marked: Marked) -> Iterator[tuple[int, set[int]]]:
        """A user's format without a literal to look for has to see every line."""
        hits = dict(self._lines(marked))
        line = 0
        while line < marked.end:
            yield line, hits.get(line, set()) | set(self._everywhere)
            line = marked.block.find(b"\n", line + 1)

    def _iterations(
        self, marked: Marked, start: int, stop: int, asides: Sequence[Aside]
    ) -> Iterator[Item]:
        """The iterations of a stretch that holds no record but asides; line ends at `start` and `stop`."""
        first = bisect_left(marked.iterations, start)
        places = marked.iterations[first : bisect_left(marked.iterations, stop, first)]
        rows = self._layout.read(marked.block, places) if self._layout and places else None
        if rows is not None:
            rows.asides = asides
            yield rows.starts[0], rows
            return
        for aside in asides:
            yield from self._one_by_one(marked.block, start, aside.start)
            yield aside.start, aside.record()
            start = aside.start
        yield from self._one_by_one(marked.block, start, stop)

    def _one_by_one(self, block: bytes, start: int, stop: int) -> Iterator[Item]:
        """The same where a line is not of the layout: those beside it are still read together."""
        alike, starts = list[Found](), list[int]()
        first = start
        position = block.find(NEEDLE, start, stop)
        while position >= 0:
            line, start = block.rfind(b"\n", start, position), block.find(b"\n", position)
            found = self._layout.match(block, line) if self._layout else None
            if found is not None:
                first = first if alike else line
                alike.append(found)
                starts.append(line)
            elif position - line <= LONGEST_LINE:
                yield from self._together(block, first, line, alike, starts)
                alike, starts = [], []
                yield from self._parse(block, line, start, self._pipes)
            position = block.find(NEEDLE, start, stop)
        yield from self._together(block, first, stop, alike, starts)

    def _together(
        self, block: bytes, start: int, stop: int, alike: list[Found], starts: list[int]
    ) -> Iterator[Item]:
        rows = self._layout.rows(alike, starts) if self._layout and alike else None
        if rows is not None:
            yield rows.starts[0], rows
        elif alike:  # a number that is none, a loss that is a placeholder: the parser's business
            yield from self._parsed(block, start, stop)

    def _parsed(self, block: bytes, start: int, stop: int) -> Iterator[Item]:
        position = block.find(NEEDLE, start, stop)
        while position >= 0:
            line, start = block.rfind(b"\n", start, position), block.find(b"\n", position)
            if position - line <= LONGEST_LINE:
                yield from self._parse(block, line, start, self._pipes)
            position = block.find(NEEDLE, start, stop)

    def _parse(self, block: bytes, start: int, stop: int, formats: Sequence[int]) -> Iterator[Item]:
        if block.startswith(MARK, start + 1):
            return
        line = Line.of(block[start + 1 : min(stop, start + 1 + LONGEST_LINE)])
        done: set[str] = set()
        for index in formats:
            candidate = self._formats[index]
            if candidate.group in done:
                continue
            for record in candidate.parse(line):
                done.add(candidate.group)
                if self._in_columns and index in self._pipes and isinstance(record, Iteration):
                    self._layout = learn(line.raw, record) or self._layout
                yield start, record
