"""Once per hour and once per day, through missed nights, odd days and clocks that are set."""

from collections.abc import Callable, Iterable
from datetime import UTC, datetime
from functools import cache
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainwatch.core.periods import DAY_S, HOUR_S, LENGTH_S, Grid, Period, settled

PERIODS: tuple[Period, ...] = ("hourly", "daily")


def offset_in(zone: str) -> Callable[[float], float]:
    place = ZoneInfo(zone)

    @cache
    def offset_at(at: float) -> float:
        found = datetime.fromtimestamp(at, place).utcoffset()
        assert found is not None
        return found.total_seconds()

    return offset_at


def at(text: str, zone: str = "UTC", fold: int = 0) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=ZoneInfo(zone), fold=fold).timestamp()


def runs(grid: Grid, period: Period, moments: Iterable[float], began: float | None) -> list[float]:
    """When a script runs that is looked at then."""
    told = []
    for now in moments:
        began = None if began is None else settled(period, began, now)
        if grid.due(period, began, now):
            told.append(now)
            began = now
    return told


def minutes(first: float, last: float) -> Iterable[float]:
    now = first
    while now < last:
        yield now
        now += 60.0


STARTS = {
    "an hour": ("hourly", "2026-05-04T10:20", "UTC", "2026-05-04T10:00"),
    "an hour, at its very beginning": ("hourly", "2026-05-04T10:00", "UTC", "2026-05-04T10:00"),
    "an hour, half an hour off": (
        "hourly",
        "2026-05-04T10:20",
        "Asia/Kolkata",
        "2026-05-04T10:00",
    ),
    "a day, before its hour": ("daily", "2026-05-04T03:59", "Europe/Paris", "2026-05-03T04:00"),
    "a day, at its hour": ("daily", "2026-05-04T04:00", "Europe/Paris", "2026-05-04T04:00"),
    "a day, after its hour": ("daily", "2026-05-04T23:59", "Europe/Paris", "2026-05-04T04:00"),
    "a day west of Greenwich": (
        "daily",
        "2026-05-04T19:00",
        "Pacific/Honolulu",
        "2026-05-04T04:00",
    ),
}


@pytest.mark.parametrize(("period", "now", "zone", "start"), STARTS.values(), ids=STARTS.keys())
def test_when_a_period_began(period: Period, now: str, zone: str, start: str) -> None:
    grid = Grid(offset_at=offset_in(zone))
    assert grid.start(period, at(now, zone)) == at(start, zone)
    assert grid.following(period, at(now, zone)) == at(start, zone) + LENGTH_S[period]


def test_a_new_script_is_due_at_once() -> None:
    grid = Grid(offset_at=offset_in("UTC"))
    assert all(grid.due(period, None, at("2026-05-04T10:59:59")) for period in PERIODS)


def test_missed_periods_are_caught_up_once() -> None:
    """Away from 23:00 to 09:00: the hourly one runs at nine, and at ten; the daily one once."""
    grid = Grid(offset_at=offset_in("UTC"))
    evening, morning = at("2026-05-04T22:00:05"), at("2026-05-05T09:00:30")
    seen = list(minutes(morning, morning + 2 * HOUR_S))
    assert runs(grid, "hourly", seen, evening) == [morning, morning + HOUR_S]
    assert runs(grid, "daily", seen, at("2026-05-04T04:00:05")) == [morning]
    assert runs(grid, "daily", minutes(morning + DAY_S * 30, morning + DAY_S * 30.1), morning) == [
        morning + 30 * DAY_S
    ]


ZONES = ("Europe/Paris", "America/New_York", "Australia/Lord_Howe", "Asia/Kolkata", "UTC")


@pytest.mark.parametrize("zone", ZONES)
@pytest.mark.parametrize("daily_h", [0.0, 1.5, 2.0, 2.5, 3.0, 4.0, 23.98])
def test_each_day_has_one_run(zone: str, daily_h: float) -> None:
    """Also where the hour of the script comes twice, or not at all: the days around each change of clocks."""
    grid = Grid(offset_at=offset_in(zone), daily_at_s=daily_h * HOUR_S)
    for begins in ("2026-03-06T12:00", "2026-03-27T12:00", "2026-10-02T12:00", "2026-10-23T12:00"):
        first = at(begins, zone)
        half_hours = (first + n * 1800.0 + 60 for n in range(4 * 48))
        told = runs(grid, "daily", half_hours, first)
        days = [datetime.fromtimestamp(each, ZoneInfo(zone)).date() for each in told]
        assert len(days) == len(set(days)) == 4


def test_each_hour_of_an_odd_day_has_its_run() -> None:
    zone = "Europe/Paris"
    grid = Grid(offset_at=offset_in(zone))
    for day, hours in (("2026-10-25T00:00", 25), ("2026-03-29T00:00", 23)):
        first = at(day, zone)
        told = runs(grid, "hourly", minutes(first, first + hours * HOUR_S), first - 60)
        assert told == [first + n * HOUR_S for n in range(hours)]


def test_the_hour_that_comes_twice_has_one_day() -> None:
    zone = "Europe/Paris"
    grid = Grid(offset_at=offset_in(zone), daily_at_s=2.5 * HOUR_S)
    first, second = (at("2026-10-25T02:30", zone, fold) for fold in (0, 1))
    assert second - first == HOUR_S
    assert {grid.start("daily", now) for now in (first, first + 1800, second, second + 60)} == {
        first
    }


SET_BACK = {
    "by minutes, over the hour": ("hourly", 600.0),
    "by an hour": ("hourly", HOUR_S),
    "by five hours": ("hourly", 5 * HOUR_S),
    "by a year": ("hourly", 365 * DAY_S),
    "a day by minutes": ("daily", 600.0),
    "a day by a week": ("daily", 7 * DAY_S),
}


@pytest.mark.parametrize(("period", "back_s"), SET_BACK.values(), ids=SET_BACK.keys())
def test_a_clock_that_is_set_back_runs_nothing_twice_and_nothing_never(
    period: Period, back_s: float
) -> None:
    grid = Grid(offset_at=offset_in("UTC"))
    ran = at("2026-05-04T04:00:20")
    wrong = ran + 120 - back_s
    length = LENGTH_S[period]
    told = runs(grid, period, minutes(wrong, wrong + 4 * length), ran)
    real = [ran, *(each + back_s for each in told)]  # on a clock that nobody set
    gaps = [later - earlier for earlier, later in pairwise(real)]
    assert gaps
    assert all(gap <= 2 * length + 60 for gap in gaps)
    assert gaps[0] >= length - 150
    assert all(gap >= length - 60 for gap in gaps[1:])


def test_a_clock_that_was_ahead_for_a_moment_is_forgotten() -> None:
    grid = Grid(offset_at=offset_in("UTC"))
    now = at("2026-05-04T10:20")
    ahead = at("2031-01-01T00:00")
    began = settled("hourly", ahead, now)
    assert began == now
    assert not grid.due("hourly", began, now + 600)
    assert grid.due("hourly", began, now + 2400)


@given(
    now=st.floats(0, 4e9),
    zone=st.sampled_from(ZONES),
    daily_at_s=st.floats(0, DAY_S - 1),
    period=st.sampled_from(PERIODS),
)
def test_now_lies_in_its_period(now: float, zone: str, daily_at_s: float, period: Period) -> None:
    grid = Grid(offset_at=offset_in(zone), daily_at_s=daily_at_s)
    start, following = grid.start(period, now), grid.following(period, now)
    assert start <= now < following
    assert following - start <= LENGTH_S[period] + 2 * HOUR_S
    assert grid.start(period, start) == pytest.approx(start, abs=1e-3)


def test_the_start_never_goes_back() -> None:
    for zone in ZONES:
        for period in PERIODS:
            grid = Grid(offset_at=offset_in(zone), daily_at_s=2.5 * HOUR_S)
            begun = datetime(2026, 10, 1, tzinfo=UTC).timestamp()
            starts = [grid.start(period, begun + n * 1800.0 + 1) for n in range(33 * 48)]
            shift = HOUR_S / 2 if zone == "Australia/Lord_Howe" and period == "hourly" else 0
            assert all(b >= a - shift for a, b in pairwise(starts))
