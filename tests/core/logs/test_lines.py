"""Cutting a growing file into lines: nothing lost, nothing doubled, nothing invented."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainwatch.core.logs.lines import LONGEST, Cut, cut

CUTS: list[tuple[str, bytes, bool, bool, Cut]] = [
    ("lines", b"a\nb\n", False, True, Cut(b"a\nb\n", 0, 4, False, 0)),
    ("an unfinished line waits", b"a\nb", False, True, Cut(b"a\n", 0, 2, False, 0)),
    ("nothing", b"", False, True, Cut(b"", 0, 0, False, 0)),
    ("only an unfinished line", b"abc", False, True, Cut(b"", 0, 0, False, 0)),
    ("a bar", b"1%\r2%\r3%", False, True, Cut(b"1%\r2%\r", 0, 6, False, 0)),
    ("both ends", b"1%\r\nx", False, True, Cut(b"1%\r\n", 0, 4, False, 0)),
    ("the rest of a long line", b"tail\nb\n", True, True, Cut(b"b\n", 5, 7, False, 0)),
    ("still a long line", b"tail", True, True, Cut(b"", 0, 4, True, 0)),
    ("the end of a long line alone", b"\n", True, True, Cut(b"", 1, 1, False, 0)),
    ("unwritten bytes at the end", b"a\nb\0\0\0", False, True, Cut(b"a\n", 0, 2, False, 0)),
    ("zeros before the end of a line", b"a\0\0\n", False, True, Cut(b"a\0\0\n", 0, 4, False, 0)),
]


@pytest.mark.parametrize(
    ("data", "in_long_line", "at_end", "expected"),
    [pytest.param(*row[1:], id=row[0]) for row in CUTS],
)
def test_cut(data: bytes, in_long_line: bool, at_end: bool, expected: Cut) -> None:
    assert cut(data, in_long_line, at_end=at_end) == expected


def test_a_line_longer_than_the_longest_is_cut_and_its_rest_skipped() -> None:
    found = cut(b"x" * (LONGEST + 5), False, at_end=True)
    assert found == Cut(b"x" * LONGEST + b"\n", 0, LONGEST, True, 1)
    assert cut(b"x" * 5, True, at_end=True) == Cut(b"", 0, 5, True, 0)
    assert cut(b"x\nnext\n", True, at_end=True) == Cut(b"next\n", 2, 7, False, 0)


def test_a_long_line_behind_whole_lines_is_cut_at_the_next_look() -> None:
    first = cut(b"a\n" + b"x" * LONGEST, False, at_end=True)
    assert first == Cut(b"a\n", 0, 2, False, 0)


pieces = st.lists(
    st.sampled_from(
        [b"a", b"line", b"\n", b"\r", b"\r\n", b"\0", b"\0\0", b"\xff", b"\x1b[0m", b"word "]
    ),
    max_size=40,
).map(b"".join)


def followed(data: bytes, cuts: list[int]) -> tuple[bytes, int]:
    """What a follower hands on that sees the file grow to each of these sizes, and how far it came."""
    handed, offset, in_long_line = b"", 0, False
    for size in (*sorted(cuts), len(data)):
        found = cut(data[offset:size], in_long_line, at_end=True)
        assert found.start <= found.used <= size - offset
        assert found.lines == data[offset:size][found.start : found.used]
        handed += found.lines
        offset, in_long_line = offset + found.used, found.in_long_line
    return handed, offset


@given(data=pieces, places=st.lists(st.integers(0, 200), max_size=6))
def test_however_a_file_grows_the_same_bytes_are_handed_on(data: bytes, places: list[int]) -> None:
    handed, offset = followed(data, [place % (len(data) + 1) for place in places])
    assert handed == data[:offset]
    # what is left is one unfinished line
    assert not data[offset:].rstrip(b"\0").count(b"\n")
    assert not data[offset:].rstrip(b"\0").count(b"\r")


@given(
    before=st.integers(0, 3),
    extra=st.integers(-3, 2000),
    places=st.lists(st.integers(0, LONGEST + 4000), max_size=4),
)
def test_a_long_line_is_handed_on_once_at_most_and_its_neighbours_whole(
    before: int, extra: int, places: list[int]
) -> None:
    data = b"head\n" * before + b"x" * (LONGEST + extra) + b"\nnext\nlast\n"
    handed, in_long_line, offset = b"", False, 0
    for size in (*sorted(p % (len(data) + 1) for p in places), len(data), len(data), len(data)):
        found = cut(data[offset:size], in_long_line, at_end=True)
        handed += found.lines
        offset, in_long_line = offset + found.used, found.in_long_line
    lines = handed.split(b"\n")
    assert offset == len(data)
    assert lines[:before] == [b"head"] * before
    assert lines[-3:] == [b"next", b"last", b""]
    assert [line[:1] * LONGEST for line in lines[before:-3]] == [b"x" * LONGEST]
    assert lines[before].strip(b"x") == b""
    assert min(LONGEST, LONGEST + extra) <= len(lines[before]) <= LONGEST + extra
