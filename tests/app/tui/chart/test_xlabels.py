"""What stands below a chart."""

import time

import pytest

from tests.app.tui.histories import NOW
from trainwatch.app.tui.chart import xlabels
from trainwatch.app.tui.chart.xlabels import Tick, labelled

HOUR_S, DAY_S = 3600.0, 86400.0
MIDNIGHT = NOW - 3780


def words(kind: str, left: float, right: float, width: int = 72) -> list[str]:
    return [tick.text for tick in labelled(kind, left, right, width)]  # type: ignore[arg-type]


def test_iterations_are_whole() -> None:
    assert labelled("iteration", 0, 3, 120) == [Tick(n, str(n)) for n in range(4)]
    assert words("iteration", 1, 2400)[:2] == ["500", "1,000"]


def test_tokens_are_counted_in_billions() -> None:
    assert words("tokens", 0, 12.5e9, 30) == ["0", "5 B", "10 B"]
    assert words("tokens", 1.20e9, 1.26e9, 36) == ["1.20 B", "1.22 B", "1.24 B", "1.26 B"]
    assert words("tokens", 0.9e12, 1.3e12, 30) == ["1.0 T", "1.2 T"]


def test_times_have_their_date_where_it_is_another() -> None:
    assert words("time", MIDNIGHT - 5 * HOUR_S, MIDNIGHT + 4 * HOUR_S) == [
        *("03-11 20:00", "22:00"),
        *("03-12 00:00", "02:00", "04:00"),
    ]
    assert words("time", NOW - 20 * DAY_S, NOW) == ["02-26", "03-05", "03-12"]
    assert words("time", NOW, NOW + 20) == [
        *("03-12 01:03:00", "01:03:05", "01:03:10", "01:03:15", "01:03:20")
    ]
    assert words("time", NOW - 900 * DAY_S, NOW)[0].startswith("2023-")


def test_times_are_local(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TZ", "Europe/Paris")
    time.tzset()
    assert words("time", MIDNIGHT - 5 * HOUR_S, MIDNIGHT)[0] == "03-11 20:00"
    assert labelled("time", MIDNIGHT - 5 * HOUR_S, MIDNIGHT, 72)[0].x == MIDNIGHT - 5 * HOUR_S
    assert xlabels.place("time", NOW) == "03-12 02:03:00"


@pytest.mark.parametrize("width", [1, 5, 14, 200])
@pytest.mark.parametrize(
    ("left", "right"), [(0.0, 0.0), (0.0, 1e300), (1e300, 2e300), (-1e13, 1e13), (5.0, 5.0001)]
)
@pytest.mark.parametrize("kind", ["iteration", "tokens", "time"])
def test_no_range_breaks_it(kind: str, left: float, right: float, width: int) -> None:
    assert len(words(kind, left, right, width)) <= 40


def test_a_place_and_a_length() -> None:
    assert xlabels.place("iteration", 1234) == "1,234"
    assert xlabels.place("tokens", 12.3456e9) == "12.35 B"
    assert xlabels.place("time", 1e300) == "?"
    assert [xlabels.length("time", s) for s in (30, 600, 7200, 2 * DAY_S)] == [
        *("30 s", "10 min", "2 h", "2 d")
    ]
    assert xlabels.length("tokens", 2e9) == "2 B"
    assert xlabels.length("iteration", 1000) == "1,000"
