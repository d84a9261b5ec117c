"""Random access to a log of any size: the lines around a place, and searching, in bounded memory.

The trap: a line may be gigabytes long, or never end. What has no end within LONGEST bytes is broken there.
"""

import math
import os
from collections.abc import Callable
from pathlib import Path

from trainwatch.core.logs.finding import Needle
from trainwatch.core.logs.moments import stamp_of
from trainwatch.core.logs.text import plain, stamp
from trainwatch.core.model.snapshot import Line, Moment, Page, Search
from trainwatch.core.patterns import pattern

LONGEST = 1024 * 1024  # bytes in which a line must end, and the most that is read for a page
TEXT_BYTES = 16 * 1024  # of a line that are shown
_BLOCK = 64 * 1024
_SEARCH_BLOCK = 256 * 1024  # `re` cannot be interrupted: a block takes some ms
_SAMPLES = 4  # blocks of a log that are looked at before it is searched
_STAMPS_WITHIN = 4 * 1024 * 1024  # bytes in which a log that tells times tells one
_STAMPED_LINES = 400  # lines that are read at a time
_STAMP_BYTES = 200  # of a line in which its own time stands
_ENDS = pattern(rb"\r\n|\n|\r")


class LogView:
    """A log that is looked at here and there. Opens it for each look, so that it may be replaced."""

    def __init__(self, path: Path) -> None:
        self._path = path

    def size(self) -> int | None:
        """Bytes; None when there is no such file."""
        try:
            return self._path.stat().st_size
        except OSError:
            return None

    def page(self, place: int | None, lines: int) -> Page:
        """About `lines` lines around `place`, or the last ones. Raises nothing."""
        try:
            with _Opened(self._path) as file:
                if place is None or place >= file.size:
                    return _page(file, _before(file, file.size, lines), file.size)
                start = _line_start(file, place)
                above = _before(file, start, lines // 2)
                below, end = _from(file, start, lines - len(above))
                return _page(file, above + below, end)
        except FileNotFoundError:
            return Page(trouble=f"{self._path} does not exist")
        except OSError as error:
            return Page(trouble=f"{self._path}: {error.strerror or error}")

    def find(self, wanted: Search, stop: Callable[[int], bool]) -> int | None:
        """Where the next line begins that matches or is of a moment; None for none, or if `stop` says so.

        `stop` is called between blocks with the place that is reached. Raises OSError.
        """
        with _Opened(self._path) as file:
            if wanted.moment is not None:
                return _moment(file, wanted.moment, stop)
            needle = Needle(wanted.text, _sample(file))
            look = _find_up if wanted.backwards else _find_down
            found = look(file, needle, min(wanted.place, file.size), stop)
            return None if found is None else _line_start(file, found)


class _Opened:
    """A file that is open for a look at it."""

    def __init__(self, path: Path) -> None:
        self._file = os.open(path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
        self.size = os.fstat(self._file).st_size

    def read(self, start: int, stop: int) -> bytes:
        return os.pread(self._file, max(0, stop - start), start)

    def __enter__(self) -> "_Opened":
        return self

    def __exit__(self, *_: object) -> None:
        os.close(self._file)


_Raw = tuple[int, bytes]


def _page(file: _Opened, found: list[_Raw], end: int) -> Page:
    lines = tuple(Line(offset, plain(raw[:TEXT_BYTES])) for offset, raw in found)
    return Page(lines=lines, end=end, size=file.size)


def _from(file: _Opened, start: int, count: int) -> tuple[list[_Raw], int]:
    """Lines from a line start on, and where the line behind them begins."""
    data, ends = b"", 0
    while len(data) < LONGEST and ends <= count + 1:
        more = file.read(start + len(data), start + len(data) + _BLOCK)
        if not more:
            break
        data += more
        ends += len(_ENDS.findall(more))
    at_end = start + len(data) >= file.size
    found, begin = list[_Raw](), 0
    for match in _ENDS.finditer(data):
        if len(found) >= count:
            return found, start + begin
        found.append((start + begin, data[begin : match.start()]))
        begin = match.end()
    if begin < len(data) and len(found) < count and (at_end or not found):
        found.append((start + begin, data[begin:]))
        begin = len(data)
    return found, start + begin


def _before(file: _Opened, end: int, count: int) -> list[_Raw]:
    """The lines that end at `end`, which is a line start or the end of the file."""
    begin, data, found = end, b"", 0
    while begin > 0 and len(data) < LONGEST and found <= count + 1:
        start = max(0, begin - _BLOCK)
        more = file.read(start, begin)
        data, begin = more + data, start
        found += len(_ENDS.findall(more))
    starts = [0, *(match.end() for match in _ENDS.finditer(data))]
    if starts[-1] == len(data):
        del starts[-1]
    if begin > 0 and len(starts) > 1:
        del starts[0]  # it begins in the middle of a line
    ends = [*starts[1:], len(data)] if starts else []
    lines = [(begin + s, data[s:e].rstrip(b"\r\n")) for s, e in zip(starts, ends, strict=True)]
    return lines[-count:] if count else []


def _line_start(file: _Opened, place: int) -> int:
    """The beginning of the line that holds `place`."""
    if place > 0 and file.read(place - 1, place + 1) == b"\r\n":
        place -= 1  # in the middle of a line end
    stop = place
    while stop > max(0, place - LONGEST):
        start = max(0, stop - _BLOCK)
        data = file.read(start, stop)
        end = max(data.rfind(b"\n"), data.rfind(b"\r"))
        if end >= 0:
            return start + end + 1
        stop = start
    return stop


def _sample(file: _Opened) -> bytes:
    """Some of a log, from all over it."""
    places = range(0, max(1, file.size), max(_BLOCK, file.size // _SAMPLES))
    return b"".join(file.read(place, place + _BLOCK) for place in places)


def _find_down(
    file: _Opened, needle: Needle, place: int, stop: Callable[[int], bool]
) -> int | None:
    while place < file.size and not stop(place):
        data = file.read(place, place + _SEARCH_BLOCK)
        if not data:
            return None
        end = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
        if end > 0 and place + len(data) < file.size:
            data = data[:end]
        found = needle.first(data)
        if found >= 0:
            return place + found
        place += len(data)
    return None


def _find_up(file: _Opened, needle: Needle, place: int, stop: Callable[[int], bool]) -> int | None:
    while place > 0 and not stop(place):
        start = max(0, place - _SEARCH_BLOCK)
        data = file.read(start, place)
        first = _ENDS.search(data)
        if start > 0 and first and first.end() < len(data):
            start, data = start + first.end(), data[first.end() :]
        found = needle.last(data)
        if found >= 0:
            return start + found
        place = start
    return None


def _moment(file: _Opened, moment: Moment, stop: Callable[[int], bool]) -> int | None:
    """The first line of this time or later, else the last that tells one. Halves what is left.

    Lines of several ranks may be out of order by seconds; what is found is then as near.
    """
    low, high = 0, file.size
    last = _stamped(file, max(0, high - _STAMPS_WITHIN), high, last=True)
    if last is None:
        return None
    goal = stamp_of(moment, last[1])
    while high - low > _BLOCK:
        middle = (low + high) // 2
        if stop(middle):
            return None
        found = _stamped(file, middle, min(high, middle + _STAMPS_WITHIN))
        if found is not None and found[1] < goal:
            low = found[0] + 1
        else:
            high = middle
    return (_stamped(file, low, file.size, least=goal) or last)[0]


def _stamped(
    file: _Opened, begin: int, end: int, *, least: float = -math.inf, last: bool = False
) -> tuple[int, float] | None:
    """The first line (or the last) that begins between these places and tells a time, and that time."""
    place = begin if begin == 0 else _line_start(file, begin)
    found = None
    while place < end:
        lines, place_after = _from(file, place, _STAMPED_LINES)
        for offset, raw in lines:
            told = stamp(plain(raw[:_STAMP_BYTES])) if begin <= offset < end else None
            if told is not None and told >= least:
                found = offset, told
                if not last:
                    return found
        if place_after <= place:
            break
        place = place_after
    return found
