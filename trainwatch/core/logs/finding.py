"""Where in a block of a log the first or last line is that a pattern matches, as fast as the pattern allows.

Most patterns hold a literal: a few bytes of it, those that are rarest in the log, are searched for by SIMD,
and only lines that hold them are tried. The trap: what matches is always one line, never several.
"""

import re
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import product

from trainwatch.core.logs.literals import Literals, required
from trainwatch.core.logs.needles import finder
from trainwatch.core.patterns import pattern

Cost = tuple[int, int, int, int, int]

_WINDOW = 4  # bytes of a literal that are searched for, fewer where there are many literals
_LONGEST = 64  # bytes of a literal from which they are chosen
_MOST_NEEDLES = 48
_LINE = pattern(rb"([^\r\n]*)(?:\r\n|[\r\n]|(?<=[^\r\n])\Z)")
_ESCAPES = pattern(
    rb"\x1b(?:\[[0-?]*[ -/]*[@-~]|\][^\x07\x1b\r\n]{0,512}(?:\x07|\x1b\\)|[ -/]*[0-~])"
)


class Needle:
    """A pattern to look for; literal text where it is none. Lower case finds both cases."""

    def __init__(self, text: str, sample: bytes = b"") -> None:
        """`sample`: some of the log."""
        raw = text.encode("utf-8", "surrogateescape")
        self._folds = text == text.lower()
        flags = re.MULTILINE | (re.IGNORECASE if self._folds else 0)
        try:
            self._regex = re.compile(raw, flags)
        except (re.error, RecursionError, OverflowError):
            raw = re.escape(raw)
            self._regex = re.compile(raw, flags)
        folds = bool(self._regex.flags & re.IGNORECASE) or b"(?" in raw
        self._places = _places_of(required(raw, flags), sample, folds=folds)

    @property
    def fast(self) -> bool:
        """Whether it is not every line that has to be tried."""
        return self._places is not None

    def first(self, data: bytes) -> int:
        """A place in the first line that matches, or -1. `data` holds whole lines."""
        return self._found(data, last=False)

    def last(self, data: bytes) -> int:
        """A place in the last line that matches, or -1. `data` holds whole lines."""
        return self._found(data, last=True)

    def _found(self, data: bytes, *, last: bool) -> int:
        shown = _ESCAPES.sub(b"", data) if b"\x1b" in data else data
        if self._places is not None:
            found = self._by_literal(shown, self._places(shown), last=last)
        elif b"\r" in shown:
            found = _edge(self._line_by_line(shown), last=last)
        else:
            found = _edge(self._at_once(shown), last=last)
        return found if shown is data or found < 0 else _before_cleaning(data, found)

    def _by_literal(self, data: bytes, places: list[int], *, last: bool) -> int:
        """Try lines that hold a literal, from the end that is asked for."""
        tried = -1
        for place in reversed(places) if last else places:
            start, stop = _line(data, place)
            if start != tried and self._matches(data[start:stop]):
                return start
            tried = start
        return -1

    def _line_by_line(self, data: bytes) -> Iterator[int]:
        for line in _LINE.finditer(data):
            if self._matches(line[1]):
                yield line.start()

    def _at_once(self, data: bytes) -> Iterator[int]:
        """Lines end with a line feed only: `re` knows them. What it finds may go on in the next line."""
        place = 0
        while place < len(data):
            match = self._regex.search(data, place)
            if match is None or match.start() >= len(data):
                return
            start, stop = _line(data, match.start())
            if match.end() <= stop or self._matches(data[start:stop]):
                yield start
            place = stop + 1

    def _matches(self, line: bytes) -> bool:
        return self._regex.search(line) is not None


def _places_of(
    choices: Sequence[Literals], sample: bytes, *, folds: bool
) -> Callable[[bytes], list[int]] | None:
    """A function from a block to where a line may match; None where no bytes tell."""
    if folds:
        choices = [tuple(literal.lower() for literal in choice) for choice in choices]
        sample = sample.lower()
    best: tuple[Cost, frozenset[bytes]] | None = None
    for choice in choices:
        for size in range(_WINDOW, 0, -1):
            windows = [_rarest(literal[:_LONGEST], sample, size) for literal in choice]
            needles = frozenset(n for window in windows for n in _spellings(window, folds=folds))
            cost = max(_cost(window, sample) for window in windows)
            if len(needles) <= _MOST_NEEDLES and (best is None or cost < best[0]):
                best = cost, needles
    if best is None:
        return None
    find = finder(tuple(sorted(best[1])))
    return lambda data: [place for place, _ in find(data)]


def _rarest(literal: bytes, sample: bytes, size: int) -> bytes:
    """So many bytes of it as are seldom in the sample."""
    windows = [literal[at : at + size] for at in range(max(1, len(literal) - size + 1))]
    return min(windows, key=lambda window: _cost(window, sample))


def _cost(window: bytes, sample: bytes) -> Cost:
    """How often it is there, and what it begins with: SIMD looks there first."""
    whole, head, first = (sample.count(window[:length]) for length in (_WINDOW, 3, 1))
    return whole, head, -min(3, len(window)), len(_spellings(window, folds=True)), first


def _spellings(text: bytes, *, folds: bool) -> list[bytes]:
    """It in upper and lower case, letter by letter."""
    if not folds:
        return [text]
    letters = [{text[at : at + 1].lower(), text[at : at + 1].upper()} for at in range(len(text))]
    return [b"".join(spelling) for spelling in product(*letters)]


def _line(data: bytes, place: int) -> tuple[int, int]:
    """Where the line begins and ends that holds a place."""
    start = max(data.rfind(b"\n", 0, place), data.rfind(b"\r", 0, place)) + 1
    stop = data.find(b"\n", place)
    stop = len(data) if stop < 0 else stop
    carriage = data.find(b"\r", place, stop)
    return start, stop if carriage < 0 else carriage


def _edge(found: Iterable[int], *, last: bool) -> int:
    """The first, or the last; -1 if there is none."""
    return max(found, default=-1) if last else next(iter(found), -1)


def _before_cleaning(data: bytes, place: int) -> int:
    """Where in a block something stands that stands at a place once its escapes are gone."""
    removed = 0
    for match in _ESCAPES.finditer(data):
        if match.start() - removed > place:
            break
        removed += match.end() - match.start()
    return place + removed
