"""Times as people type them, in the log's own time."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainwatch.core.logs.moments import moment_of, stamp_of
from trainwatch.core.logs.text import stamp
from trainwatch.core.model.snapshot import Moment

LAST = "2026-11-22 13:20:05"


def at(text: str) -> float:
    found = stamp(text)
    assert found is not None
    return found


@pytest.mark.parametrize(
    ("typed", "expected"),
    [
        ("13:20", "2026-11-22 13:20:00"),
        ("13:21", "2026-11-21 13:21:00"),
        (" 0:05 ", "2026-11-22 00:05:00"),
        ("13:20:05", "2026-11-22 13:20:05"),
        ("2026-11-20 14:30", "2026-11-20 14:30:00"),
        ("2026-11-20T14:30:01", "2026-11-20 14:30:01"),
        ("2026-11-20", "2026-11-20 00:00:00"),
        ("-2h", "2026-11-22 11:20:05"),
        ("- 1.5 h", "2026-11-22 11:50:05"),
        ("-90min", "2026-11-22 11:50:05"),
        ("-90m", "2026-11-22 11:50:05"),
        ("-1d", "2026-11-21 13:20:05"),
        ("-5s", "2026-11-22 13:20:00"),
    ],
)
def test_a_time(typed: str, expected: str) -> None:
    moment = moment_of(typed)
    assert moment is not None
    assert stamp_of(moment, at(LAST)) == at(expected)


@pytest.mark.parametrize(
    "typed",
    ["", "95,000", "50%", "25:00", "12:60", "2026-13-01", "2026-02-30 10:00", "-2", "2h", "-h", "x", "-"],
)  # fmt: skip
def test_what_is_no_time(typed: str) -> None:
    assert moment_of(typed) is None


def test_in_a_log_without_years_the_year_is_not_asked_for() -> None:
    moment = moment_of("2026-12-21 01:39")
    assert moment is not None
    assert stamp_of(moment, at("12/21 01:39:51")) == at("12/21 01:39:00")


@given(st.text("0123456789-:. Thmsdin", max_size=20))
def test_anything_may_be_typed(typed: str) -> None:
    moment = moment_of(typed)
    assert moment is None or isinstance(stamp_of(moment, 0.0), float)


@given(st.integers(0, 86399), st.integers(946_684_800, 4_102_444_800))
def test_a_time_of_day_is_the_last_one_before_the_end(second: int, last_s: int) -> None:
    found = stamp_of(Moment(of_day_s=float(second)), last_s)
    assert last_s - 86400 < found <= last_s
    assert found % 86400 == second
