"""Cutting a growing file into complete lines.

A line ends with a newline or a carriage return. A line longer than LONGEST is cut there, and what follows
up to its end is skipped, so that a file without line ends cannot fill the memory. A run of NULs at
the end of what can be read is data that another node has not written yet.
"""

from typing import NamedTuple

LONGEST = 512 * 1024  # bytes of a line that are kept


class Cut(NamedTuple):
    """Of some bytes: complete `lines` from `start` on, and how many bytes are done with."""

    lines: bytes
    start: int
    used: int
    in_long_line: bool
    overlong: int


def cut(data: bytes, in_long_line: bool, *, at_end: bool) -> Cut:
    """Cut `data`, which begins at a line start or `in_long_line`. `at_end`: nothing follows yet."""
    skipped = 0
    if in_long_line:
        skipped = _first_end(data)
        if skipped == 0:
            return Cut(b"", 0, len(data), True, 0)
        data = data[skipped:]
    written = _written(data) if at_end and data.endswith(b"\0") else len(data)
    end = max(data.rfind(b"\n", 0, written), data.rfind(b"\r", 0, written)) + 1
    if end == 0 and written >= LONGEST:
        return Cut(data[:LONGEST] + b"\n", skipped, skipped + LONGEST, True, 1)
    return Cut(data[:end], skipped, skipped + end, False, 0)


def _first_end(data: bytes) -> int:
    """The place behind the first line end, 0 if there is none."""
    newline, carriage = data.find(b"\n"), data.find(b"\r")
    ends = [place for place in (newline, carriage) if place >= 0]
    return min(ends) + 1 if ends else 0


def _written(data: bytes) -> int:
    return len(data.rstrip(b"\0"))
