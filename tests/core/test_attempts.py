"""One history of attempts: what the log tells and what Slurm tells, each once and in order."""

import pytest

from trainwatch.core.attempts import Entry, history
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.status import AttemptStatus

HOUR_S = 3600.0


def attempt(
    index: int,
    begin_h: float,
    last_h: float,
    first: int | None = None,
    last: int | None = None,
    *,
    pace: int = 1,
    end: str | None = "crashed",
    job: str | None = None,
) -> AttemptStatus:
    records = 0 if first is None or last is None else (last - first) // pace + 1
    return AttemptStatus(
        index=index,
        began_at=begin_h * HOUR_S,
        last_at=last_h * HOUR_S,
        first_iteration=first,
        last_iteration=last,
        records=records,
        end=end,
        job_id=job,
    )


def given(job: str, start_h: float, end_h: float | None, state: str = "TIMEOUT") -> Allocation:
    end = None if end_h is None else end_h * HOUR_S
    return Allocation(job_id=job, start=start_h * HOUR_S, end=end, state=state)


@pytest.mark.parametrize(
    ("attempts", "counts"),
    [
        ([], []),
        ([attempt(0, 1, 2, 1, 100)], [(100, 0, None)]),
        # back to 80, and on
        ([attempt(0, 1, 2, 1, 100), attempt(1, 3, 4, 81, 150)], [(100, 0, 20), (50, 20, None)]),
        # one that reached nothing lost nothing: who lost is the one before
        (
            [attempt(0, 1, 2, 1, 100), attempt(1, 3, 4), attempt(2, 5, 6, 81, 150)],
            [(100, 0, 20), (None, None, None), (50, 20, None)],
        ),
        # twice back to 80: the second never came to anything new
        (
            [attempt(0, 1, 2, 1, 100), attempt(1, 3, 4, 81, 90), attempt(2, 5, 6, 81, 150)],
            [(100, 0, 20), (0, 10, 10), (50, 20, None)],
        ),
        # a log that tells each tenth iteration
        (
            [attempt(0, 1, 2, 10, 900, pace=10), attempt(1, 3, 4, 810, 1200, pace=10)],
            [(900, 0, 100), (300, 100, None)],
        ),
        # it went on where it was, and skipped some
        ([attempt(0, 1, 2, 1, 100), attempt(1, 3, 4, 121, 130)], [(100, 0, 0), (10, 0, None)]),
    ],
)
def test_what_was_new_again_and_lost(
    attempts: list[AttemptStatus], counts: list[tuple[int | None, int | None, int | None]]
) -> None:
    assert [(e.new, e.again, e.lost) for e in history(attempts, ())] == counts


def names(entries: list[Entry]) -> list[tuple[int | None, str]]:
    return [
        (e.attempt.index if e.attempt else None, e.given.job_id if e.given else "") for e in entries
    ]


def test_attempts_are_joined_with_their_allocations_and_the_silent_ones_stand_between() -> None:
    attempts = [
        attempt(0, 1, 2, 1, 10),  # before Slurm was asked
        attempt(1, 30.1, 49, 11, 20),
        attempt(2, 60.1, 61, 11, 30, end=None),
    ]
    allocations = [
        given("7_2", 30, 50),
        given("7_3", 52, 52.1, "FAILED"),
        given("7_4", 60, None, "RUNNING"),
    ]
    entries = history(attempts, allocations)
    assert names(entries) == [(0, ""), (1, "7_2"), (None, "7_3"), (2, "7_4")]
    assert [e.begin for e in entries] == [h * HOUR_S for h in (1, 30, 52, 60)]
    assert [e.end for e in entries] == [2 * HOUR_S, 50 * HOUR_S, 52.1 * HOUR_S, None]
    gaps = [e.gap_s for e in entries]
    assert gaps == [None, *(pytest.approx(h * HOUR_S) for h in (28, 2, 7.9))]


def test_several_attempts_in_one_allocation_share_it() -> None:
    attempts = [attempt(0, 30.1, 35, 1, 10), attempt(1, 35.1, 49, 11, 20)]
    first, second = history(attempts, [given("7", 30, 50)])
    assert (first.begin, first.end) == (30 * HOUR_S, 35 * HOUR_S)
    assert (second.begin, second.end) == (35.1 * HOUR_S, 50 * HOUR_S)
    assert second.gap_s == pytest.approx(0.1 * HOUR_S)


def test_nodes_that_are_held_after_a_crash_have_no_end_yet() -> None:
    (only,) = history([attempt(0, 30.1, 35, 1, 10)], [given("7", 30, None, "RUNNING")])
    assert only.end == 35 * HOUR_S  # of the attempt: its nodes are still held


def test_what_has_no_time_is_in_its_place() -> None:
    timeless = [AttemptStatus(index=n, first_iteration=n + 1, last_iteration=n + 1) for n in (0, 1)]
    entries = history(timeless, [given("7", 30, 50)])
    assert names(entries) == [(0, ""), (1, ""), (None, "7")]
    assert [e.gap_s for e in entries] == [None, None, None]


def test_ten_thousand_attempts_in_a_crash_loop() -> None:
    attempts = [attempt(n, n, n + 0.5, n + 1, n + 2) for n in range(10_000)]
    entries = history(attempts, [given(f"{n}", 9_999 - n, 9_999.9 - n) for n in range(20)])
    assert len(entries) == 10_000
    assert [e.given is not None for e in entries[-21:]] == [False, *[True] * 20]
