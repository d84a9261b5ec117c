"""Searching a block of a log: however it is done, it finds what trying line after line finds."""

import re

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from trainwatch.core.logs import finding
from trainwatch.core.logs.finding import Needle
from trainwatch.core.logs.literals import required
from trainwatch.core.logs.needles import Finder, one_by_one

WORDS = (
    b"error",
    b"Error",
    b"iteration ",
    b"Iter",
    b"aa",
    b"a",
    b"7",
    b" 12",
    b"x(",
    b"nan",
    b"\xc3\xa9",
)
ENDS = (b"\n", b"\n", b"\n", b"\r", b"\r\n", b"\n\n")
PATTERNS = (
    "error", "Error", "aaa", "a", "7", "x(", "é", r"iter\w+ +\d", r"^error", r"nan$", "error|nan", "a{2,}7",
    r"[Ee]rror 12", r"(?:er){1}ror", r"(?i)NAN", r"Er(?i:ROR)", r"\d+", r"^$", r"(a)\1", r"e(?=r)", r"7(?!a)",
    r"(?<=a)7", r"err?or", r"(error)?a", r"(?:nan|iter)+ation", "a.*7", r"\s7", "", "error\n", r"a[^7]*a",
)  # fmt: skip
logs = st.lists(
    st.tuples(st.lists(st.sampled_from(WORDS), max_size=4), st.sampled_from(ENDS)), max_size=12
).map(lambda lines: b"".join(b"".join(words) + end for words, end in lines))


def lines_of(data: bytes) -> list[tuple[int, bytes]]:
    """Line after line, and where they begin."""
    found, begin = [], 0
    for end in re.finditer(rb"\r\n|\n|\r", data):
        found.append((begin, data[begin : end.start()]))
        begin = end.end()
    return [*found, (begin, data[begin:])] if begin < len(data) else found


def line_of(data: bytes, place: int) -> int | None:
    """Where the line begins that holds a place."""
    if place < 0:
        return None
    return max(begin for begin, _ in lines_of(data) if begin <= place)


def tried(data: bytes, text: str) -> list[int]:
    """Lines that match, one after another."""
    raw, flags = text.encode(), re.IGNORECASE if text == text.lower() else 0
    try:
        pattern = re.compile(raw, flags | re.MULTILINE)
    except re.error:
        pattern = re.compile(re.escape(raw), flags)
    return [begin for begin, line in lines_of(data) if pattern.search(line)]


@given(logs, st.sampled_from(PATTERNS), st.booleans())
@example(b"ananab\n", "anab", False)  # places that overlap
@example(b"a\n\nb\n", "^$", False)
def test_what_is_found_is_what_trying_each_line_finds(data: bytes, text: str, seen: bool) -> None:
    needle, hits = Needle(text, data if seen else b""), tried(data, text)
    assert line_of(data, needle.first(data)) == (hits[0] if hits else None)
    assert line_of(data, needle.last(data)) == (hits[-1] if hits else None)


@given(logs, st.sampled_from(("error", r"a[^7]*a", "iter\\w+ 12")), st.data())
def test_escapes_do_not_hide_a_match(data: bytes, text: str, draw: st.DataObject) -> None:
    escape = draw.draw(st.sampled_from((b"\x1b[31m", b"\x1b[0m", b"\x1b]0;title\x07", b"\x1bM")))
    places = draw.draw(st.lists(st.integers(0, len(data)), max_size=4))
    coloured = data
    for place in sorted(places, reverse=True):
        coloured = coloured[:place] + escape + coloured[place:]
    hits, found = tried(data, text), Needle(text).first(coloured)
    assert (found >= 0) == bool(hits)
    if hits:
        plainly = re.sub(re.escape(escape), b"", coloured[:found])
        assert line_of(data, len(plainly)) == hits[0]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        (rb"error", [(b"error",)]),
        (rb"iteration +95000/", [(b"iteration",), (b" ",), (b"95000/",)]),
        (rb"error|nan", [(b"error", b"nan")]),
        (rb"(?:a|b) loss", [(b" loss",)]),
        (rb"(?:loss|time)=", [(b"loss", b"time"), (b"=",)]),
        (rb"(loss)?=", [(b"=",)]),
        (rb"(ab){2}", [(b"ab",)]),
        (rb"a*\d[bc]", []),
        (rb"error|\d", []),
        (rb"(?!error)nan", [(b"nan",)]),
        (rb"(?L:e)", []),
        ("|".join(f"word{n:02d}x" for n in range(20)).encode(), [(b"word",)]),
        (b"|".join(bytes([97 + n]) * 3 for n in range(20)), []),
    ],
)
def test_literals_that_every_match_holds(pattern: bytes, expected: list[tuple[bytes, ...]]) -> None:
    assert required(pattern) == expected


def test_what_is_no_pattern_is_raised_as_by_re() -> None:
    with pytest.raises(re.error):
        required(b"x(")


def test_without_the_parser_every_line_is_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("trainwatch.core.logs.literals.import_module", lambda name: re)
    needle = Needle("err.r")
    assert not needle.fast
    assert needle.first(b"a\nError\n") == 2


def test_without_simd_the_same_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "finder", one_by_one)
    assert Needle("Error|nan").last(b"nan\nx\nError 1\nx\n") == 6


def test_the_rarest_bytes_are_searched_for(monkeypatch: pytest.MonkeyPatch) -> None:
    asked: list[tuple[bytes, ...]] = []

    def finder(needles: tuple[bytes, ...]) -> Finder:
        asked.append(needles)
        return lambda data: []

    monkeypatch.setattr(finding, "finder", finder)
    Needle("Iteration 95,000/", b"Iteration 1/\nIteration 2/\n" * 100)
    assert all(b"5" in needle or b"," in needle for needle in asked[0])
    Needle("jq|xv", b"")
    assert set(asked[1]) == {b"jq", b"jQ", b"Jq", b"JQ", b"xv", b"xV", b"Xv", b"XV"}
