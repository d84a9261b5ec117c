"""A pattern that is compiled later is the pattern."""

import re

import pytest

from trainwatch.core.patterns import pattern


@pytest.mark.parametrize("method", ["search", "match", "fullmatch"])
def test_it_finds_what_the_pattern_finds(method: str) -> None:
    later, now = pattern(r"a(\d+)", re.IGNORECASE), re.compile(r"a(\d+)", re.IGNORECASE)
    for text in ("A12", "xA12", "A12x", "b"):
        for _ in range(2):
            found, known = getattr(later, method)(text), getattr(now, method)(text)
            assert (found and found.groups()) == (known and known.groups())
    assert later.findall("a1 A2") == ["1", "2"]
    assert (later.pattern, later.groups) == (now.pattern, 1)


def test_bytes_and_bounds() -> None:
    found = pattern(rb"\d+").search(b"12 34 56", 2, 5)
    assert found is not None
    assert found[0] == b"34"


def test_what_is_no_expression_is_told_at_its_first_use() -> None:
    later = pattern(r"(")
    with pytest.raises(re.error):
        later.search("")
