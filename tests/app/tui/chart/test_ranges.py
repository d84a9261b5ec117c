"""What is typed to see a part of a chart."""

import pytest

from trainwatch.app.tui.chart import view as views
from trainwatch.app.tui.chart.ranges import number, range_of
from trainwatch.app.tui.chart.view import WHOLE, View
from trainwatch.core.errors import UsageError

FIRST, LAST = 1.0, 200_001.0


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("120000-130000", (120_000, 130_000)),
        ("120,000 – 130,000", (120_000, 130_000)),
        ("12k-13.5k", (12_000, 13_500)),
        ("12K..13k", (12_000, 13_000)),
        ("12000 to 13000", (12_000, 13_000)),
        ("  7 - 9 ", (7, 9)),
        ("-5000", (195_001, None)),  # the last
        ("-0.01M", (190_001, None)),
        ("-900k", (1, None)),  # more than there are: all of them
        ("195000-", (195_000, None)),
        ("50%-60%", (100_001, 120_001)),
        ("99 % - 100%", (198_001, None)),
        ("0%-200000", (1, 200_000)),
        ("0-100", (1, 100)),  # what is before the first is not there
        ("199000-999999", (199_000, None)),
    ],
)
def test_what_a_person_may_type(text: str, expected: tuple[float, float | None]) -> None:
    assert range_of(text, FIRST, LAST) == expected


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("", "type from-to"),
        ("12", "'12' is no range"),
        ("loss", "'loss' is no range"),
        ("-", "'-' is no range"),
        ("12x-13x", "is no range"),
        ("1-2-3", "is no range"),
        ("nan-inf", "is no range"),
        ("1e3-2e3", "is no range"),
        ("13k-12k", "ends before it begins"),
        ("5-5", "ends before it begins"),
        ("300k-400k", "nothing there: '300k-400k', and there are 1 to 200,001"),
        ("101%-102%", "nothing there"),
    ],
)
def test_nonsense_is_told_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(UsageError) as told:
        range_of(text, FIRST, LAST)
    assert says in str(told.value)


def test_numbers() -> None:
    assert number("1.5 M") == 1.5e6
    assert number("2B") == 2e9
    assert number("") is None
    assert number("٣") is None or number("٣") == 3.0  # digits of other scripts do no harm


def test_a_range_becomes_a_view() -> None:
    assert views.between(100, 200, 1, 1000) == View(100, 200)
    assert views.between(100, None, 1, 1000) == View(900, None)
    assert views.between(1, None, 1, 1000) == WHOLE
    assert views.between(500, 501, 1, 1000) == View(8, 504.5)  # nothing is to be seen in less
    assert views.between(999, None, 1, 1000) == View(8, None)
