"""What is typed to see a part of a chart."""

import pytest

from tests.app.tui.histories import NOW  # Thursday 12 March 2026, 01:03 UTC
from trainwatch.app.tui.chart import view as views
from trainwatch.app.tui.chart.moments import moment
from trainwatch.app.tui.chart.ranges import Extent, number, range_of
from trainwatch.app.tui.chart.view import WHOLE, View
from trainwatch.core.errors import UsageError

ITERATIONS = Extent("iteration", 1.0, 200_001.0)
TOKENS = Extent("tokens", 4e6, 350e9)
HOUR_S, DAY_S = 3600.0, 86400.0
MIDNIGHT = NOW - 3780
TIMES = Extent("time", NOW - 30 * DAY_S, NOW)


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
    assert range_of(text, ITERATIONS) == expected


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
        ("01:00-02:00", "is no range"),
        ("١-٢", "is no range"),
        ("13k-12k", "ends before it begins"),
        ("5-5", "ends before it begins"),
        ("300k-400k", "nothing there: '300k-400k', and there are 1 to 200,001"),
        ("101%-102%", "nothing there"),
    ],
)
def test_nonsense_is_told_in_a_sentence(text: str, says: str) -> None:
    with pytest.raises(UsageError) as told:
        range_of(text, ITERATIONS)
    assert says in str(told.value)


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1.2B-1.5B", (1.2e9, 1.5e9)),
        ("-10B", (340e9, None)),
        ("300 G - 0.32T", (300e9, 320e9)),
        ("0%-50%", (4e6, 4e6 + (350e9 - 4e6) / 2)),
    ],
)
def test_tokens(text: str, expected: tuple[float, float | None]) -> None:
    assert range_of(text, TOKENS) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("-6h", (NOW - 6 * HOUR_S, None)),
        ("-1d12h", (NOW - 36 * HOUR_S, None)),
        ("-30min", (NOW - 1800, None)),
        ("00:30-00:45", (MIDNIGHT + 1800, MIDNIGHT + 2700)),  # of the newest day
        ("05:00-07:30:30", (MIDNIGHT - 19 * HOUR_S, MIDNIGHT - 16.5 * HOUR_S + 30)),
        ("22:00-00:30", (MIDNIGHT - 2 * HOUR_S, MIDNIGHT + 1800)),  # over midnight
        ("03-10 - 03-11", (MIDNIGHT - 2 * DAY_S, MIDNIGHT - DAY_S)),
        ("3-10..3-11", (MIDNIGHT - 2 * DAY_S, MIDNIGHT - DAY_S)),
        ("03-11 22:00 - 03-12 00:30", (MIDNIGHT - 2 * HOUR_S, MIDNIGHT + 1800)),
        ("2026-03-01 - 2026-03-02T06:00", (MIDNIGHT - 11 * DAY_S, MIDNIGHT - 9.75 * DAY_S)),
        ("2026-03-11-", (MIDNIGHT - DAY_S, None)),
        ("90%-100%", (NOW - 3 * DAY_S, None)),
    ],
)
def test_times(text: str, expected: tuple[float, float | None]) -> None:
    assert range_of(text, TIMES) == pytest.approx(expected)


@pytest.mark.parametrize(
    ("text", "says"),
    [
        ("25:00-26:00", "is no range"),
        ("03-32 - 03-40", "is no range"),
        ("-", "is no range"),
        ("2026-03-11", "is no range"),
        ("2025-03-10 - 2025-03-11", "and there are 02-10 01:03:00 to 03-12 01:03:00"),
        ("0000-01-01 - 9999-12-31 24:00", "is no range"),
    ],
)
def test_times_that_are_none(text: str, says: str) -> None:
    with pytest.raises(UsageError) as told:
        range_of(text, TIMES)
    assert says in str(told.value)


def test_a_date_without_a_year_is_not_of_the_future() -> None:
    assert moment("03-12", NOW) == MIDNIGHT
    assert moment("12-31", NOW) == MIDNIGHT - 71 * DAY_S
    assert moment("2026-03-12 01:03", NOW) == NOW
    assert moment("now", NOW) is None


def test_numbers() -> None:
    assert number("1.5 M") == 1.5e6
    assert number("2B") == 2e9
    assert number("") is None


def test_a_range_becomes_a_view() -> None:
    assert views.between(100, 200, 1, 1000) == View(100, 200)
    assert views.between(100, None, 1, 1000) == View(900, None)
    assert views.between(1, None, 1, 1000) == WHOLE
    assert views.between(500, 501, 1, 1000) == View(8, 504.5)  # nothing is to be seen in less
    assert views.between(999, None, 1, 1000) == View(8, None)
