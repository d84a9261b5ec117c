"""Where the hours went: a scripted history of which every second is known, and any history at all."""

import math
from collections.abc import Sequence

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from trainwatch.core.columns import from_rows
from trainwatch.core.facts import Facts
from trainwatch.core.goodput import account
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.goodput import PARTS, Goodput
from trainwatch.core.model.records import Exit
from trainwatch.core.model.state import Attempt, Event, Tally, Time

T0, HOUR_S, STEP_S, GPUS = 1_790_000_000.0, 3600.0, 10.0, 8


class Script:
    """Writes a history, and the account that it must come to."""

    def __init__(self) -> None:
        self.now = T0
        self.rows: list[dict[str, float]] = []
        self.events: list[Event] = []
        self.attempts: list[Attempt] = []
        self.given: list[Allocation] = []
        self.expected = dict.fromkeys(PARTS, 0.0)
        self.high = 0

    def spend(self, part: str, seconds: float) -> None:
        self.expected[part] += seconds
        self.now += seconds

    def begin(self, startup_s: float) -> None:
        self._start, self._first, self._last = self.now, len(self.rows), self.now
        self._before = self.high
        self.spend("startup", startup_s)

    def train(self, first: int, last: int) -> None:
        for number in range(first, last + 1):
            self.spend("retrain" if number <= self._before else "train", STEP_S)
            self._row(number)

    def _row(self, number: int) -> None:
        index = len(self.attempts)
        self.rows.append(
            {"iteration": number, "attempt": index, "at_s": self.now, "step_time_s": STEP_S}
        )
        self.high, self._last = max(self.high, number), self.now

    def pause(self, part: str, seconds: float, then: int) -> None:
        """Something between two iterations, the second of which follows at once."""
        if part == "save":
            self.events.append(Event(at=self.now, kind="save-started"))
        self.spend(part, seconds)
        if part == "save":
            self.events.append(Event(at=self.now, kind="saved"))
        elif part == "evaluate":
            self.events.append(Event(at=self.now, kind="validation"))
        self.train(then, then)

    def end(self, after_s: float, state: str, *, how: str | None = None) -> None:
        self.spend("after", after_s)
        index = len(self.attempts)
        self.given.append(
            Allocation(job_id=f"7_{index}", start=self._start, end=self.now, state=state)
        )
        rows = len(self.rows) - self._first
        self.attempts.append(
            Attempt(
                index=index,
                began_at=Time(self._start + 1.0, "stamp"),
                last_at=Time(self._last, "stamp"),
                tally=Tally(records=rows),
                facts=Facts(gpus=GPUS),
                exit=Exit(format="x", how=how) if how else None,  # type: ignore[arg-type]
            )
        )

    def wait(self, seconds: float) -> None:
        self.spend("waiting", seconds)

    def told(self, *, until: float | None = None) -> Goodput:
        found = account(
            self.attempts,
            from_rows(self.rows),
            self.events,
            self.given,
            gpus=GPUS,
            until=until or self.now,
        )
        assert found is not None
        return found


def twenty() -> Script:
    """Twenty attempts: six die before they train, and each fifth is left hanging by its launcher."""
    script, number = Script(), 1
    for attempt in range(20):
        script.begin(300.0 + attempt)
        if attempt % 3 == 1:
            script.end(0.0, "FAILED")
        else:
            script.train(number, number + 99)
            script.pause("save", 120.0, number + 100)
            script.pause("evaluate", 600.0, number + 101)
            script.pause("overhead", 45.0, number + 102)
            if attempt % 4 == 0:
                script.pause("stall", 2 * HOUR_S, number + 103)
            died = attempt % 5 == 0
            script.end(5 * HOUR_S if died else 30.0, "NODE_FAIL" if died else "TIMEOUT")
            number += 80 if died else 104
        script.wait(HOUR_S + 7 * attempt)
    return script


def test_every_second_of_twenty_attempts_is_accounted_for() -> None:
    script = twenty()
    found = script.told()
    assert found.attempts == 20
    for part, expected in script.expected.items():
        assert found.seconds[part] == pytest.approx(expected, abs=1e-3), part
    assert math.fsum(found.seconds.values()) == pytest.approx(script.now - T0, abs=1e-3)
    assert found.seconds["retrain"] > 0
    assert found.goodput == pytest.approx(
        script.expected["train"] / (script.now - T0 - script.expected["waiting"])
    )


def test_failures_are_charged_with_what_they_cost() -> None:
    found = twenty().told()
    died = [n for n in range(20) if n % 5 == 0 and n % 3 != 1]
    failed = [n for n in range(20) if n % 3 == 1]
    assert found.failures == len(died) + len(failed)
    assert found.mtbf_s == pytest.approx(found.held_s / found.failures)
    retrained = found.seconds["retrain"]
    hanging = len(died) * 5 * HOUR_S
    assert found.lost_gpu_s == {"node-failure": pytest.approx(GPUS * (retrained + hanging))}


def test_gpu_seconds_are_those_of_held_nodes() -> None:
    found = twenty().told()
    assert found.gpu_seconds["waiting"] == 0
    assert math.fsum(found.gpu_seconds.values()) == pytest.approx(GPUS * found.held_s)


def test_without_a_scheduler_an_attempt_is_as_long_as_its_log() -> None:
    script = twenty()
    script.given = []
    found = script.told()
    assert found.seconds["train"] == pytest.approx(script.expected["train"], abs=1e-3)
    assert found.seconds["after"] == 0
    assert math.fsum(found.seconds.values()) == pytest.approx(found.end - found.begin)


def test_an_allocation_that_never_wrote_a_line_was_held_all_the_same() -> None:
    script = Script()
    script.begin(60.0)
    script.train(1, 10)
    script.end(0.0, "TIMEOUT")
    script.given.append(
        Allocation(job_id="9", start=script.now, end=script.now + 500.0, state="FAILED")
    )
    found = script.told(until=script.now + 500.0)
    assert found.seconds["startup"] == pytest.approx(560.0)
    assert (found.attempts, found.failures) == (2, 1)


def test_one_that_hangs_now_is_a_stall_and_not_over() -> None:
    script = Script()
    script.begin(60.0)
    script.train(1, 10)
    script.end(0.0, "RUNNING")
    script.given = [Allocation(job_id="7", start=T0, state="RUNNING")]
    found = script.told(until=script.now + 3 * HOUR_S)
    assert found.seconds["stall"] == pytest.approx(3 * HOUR_S)
    assert found.failures == 0


def test_nothing_is_told_without_a_clock() -> None:
    assert account([Attempt(index=0)], from_rows([]), (), (), gpus=8, until=T0) is None


times = st.floats(T0, T0 + 1e6)
maybe = st.one_of(st.none(), times)
numbers = st.one_of(st.floats(-1e9, 1e9), st.just(math.nan))


@st.composite
def histories(draw: st.DrawFn) -> tuple[list[Attempt], list[dict[str, float]], list[Allocation]]:
    count = draw(st.integers(1, 5))
    attempts = []
    for index in range(count):
        began, last = draw(maybe), draw(maybe)
        attempts.append(
            Attempt(
                index=index,
                began_at=None if began is None else Time(began, "stamp"),
                last_at=None if last is None else Time(last, "stamp"),
                job_id=draw(st.sampled_from(["", "1", "2"])),
            )
        )
    row = st.fixed_dictionaries(
        {
            "iteration": st.integers(0, 100).map(float),
            "attempt": st.integers(0, count).map(float),
            "at_s": st.one_of(times, st.just(math.nan)),
            "step_time_s": st.one_of(st.floats(0, 1e4), st.just(math.nan)),
        }
    )
    starts: Sequence[float] = draw(st.lists(times, max_size=4))
    given_ = [
        Allocation(job_id=str(n), start=start, end=draw(maybe), state=draw(states))
        for n, start in enumerate(starts)
    ]
    return attempts, draw(st.lists(row, max_size=30)), given_


states = st.sampled_from(["RUNNING", "FAILED", "TIMEOUT", "", "NODE_FAIL"])


@settings(max_examples=60)
@given(history=histories(), until=times)
def test_the_parts_are_the_whole_whatever_is_claimed(
    history: tuple[list[Attempt], list[dict[str, float]], list[Allocation]], until: float
) -> None:
    attempts, rows, given_ = history
    found = account(attempts, from_rows(rows), (), given_, gpus=8, until=until)
    if found is None:
        return
    assert all(seconds >= 0 for seconds in found.seconds.values())
    assert math.fsum(found.seconds.values()) == pytest.approx(found.end - found.begin, abs=1e-3)
