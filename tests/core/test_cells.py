"""Texts are cut to what a terminal has room for, in cells."""

import pytest

from trainwatch.core.cells import cells, cut, even


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [
        ("stall", 5, "stall"),
        ("stall", 4, "s..."),
        ("stall", 3, "..."),
        ("stall", 2, "st"),
        ("stall", 0, ""),
        ("loss is NaN", 8, "loss..."),  # no blank before the dots
        ("語語語", 6, "語語語"),
        ("語語語", 5, "語..."),
        ("語語語", 4, "..."),
        ("e\u0301e\u0301", 2, "e\u0301e\u0301"),
    ],
)
def test_a_text_is_cut_to_a_width(text: str, width: int, expected: str) -> None:
    assert cut(text, width) == expected
    assert cells(expected) <= width


def test_what_is_counted_as_it_is_written() -> None:
    assert even("105.2 s/it – fine")
    assert not even("語")
    assert not even("e\u0301")
