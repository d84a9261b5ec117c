"""What the scheduler gave a run, from its answers; and which of it an attempt had."""

import pytest

from trainwatch.core import allocations
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.observations import (
    AccountingReading,
    AttemptEnd,
    Job,
    QueueReading,
)
from trainwatch.core.model.state import RunState
from trainwatch.core.readings import remember

T0 = 1_790_000_000.0
HOUR_S = 3600.0


def running(job_id: str, start: float, *nodes: str) -> Job:
    return Job(job_id=job_id, name="tr1", state="RUNNING", start=start, nodes=nodes or ("n1",))


def waiting(job_id: str) -> Job:
    return Job(job_id=job_id, name="tr1", state="PENDING", reason="Dependency", start=T0 + HOUR_S)


def after(*readings: QueueReading | AccountingReading) -> tuple[Allocation, ...]:
    state = RunState(run="tr1")
    for reading in readings:
        state = remember(state, reading)
    return state.allocations


def queue(at: float, *jobs: Job) -> QueueReading:
    return QueueReading(at=at, state="ok", jobs=jobs)


def test_a_job_that_waits_has_nothing_yet_whatever_start_is_predicted() -> None:
    assert after(queue(T0, waiting("8"))) == ()


def test_one_that_runs_is_an_allocation_with_its_nodes_folded() -> None:
    (found,) = after(queue(T0, running("7_1", T0, "n1", "n2", "n3"), waiting("7_2")))
    assert found == Allocation(job_id="7_1", start=T0, name="tr1", nodes="n[1-3]", state="RUNNING")


def test_one_that_is_gone_ended_until_the_books_say_when_and_how() -> None:
    gone = queue(T0 + 120, waiting("7_2"))
    (found,) = after(queue(T0, running("7_1", T0)), gone)
    assert (found.end, found.state) == (T0 + 120, "")
    assert allocations.end_of(found) is None
    end = AttemptEnd(
        job_id="7_1", state="NODE_FAIL", start=T0, end=T0 + 97, nodes=("n1",), exit_code="1:0"
    )
    books = AccountingReading(at=T0 + 180, state="ok", ended=(end,))
    (found,) = after(queue(T0, running("7_1", T0)), gone, books)
    assert (found.end, found.state, found.exit_code) == (T0 + 97, "NODE_FAIL", "1:0")
    assert allocations.end_of(found) == "node-failure"


def test_an_answer_that_could_not_be_had_ends_nothing() -> None:
    unknown = QueueReading(at=T0 + 60, state="unknown", why="Socket timed out")
    (found,) = after(queue(T0, running("7", T0)), unknown)
    assert found.end is None


def test_a_job_that_is_requeued_has_two_allocations_and_one_id() -> None:
    again = queue(T0 + 2 * HOUR_S, running("7", T0 + HOUR_S, "n9"))
    first, second = after(queue(T0, running("7", T0)), queue(T0 + 600), again)
    assert (first.job_id, first.end) == ("7", T0 + 600)
    assert (second.job_id, second.end, second.nodes) == ("7", None, "n9")


def test_one_that_was_missed_by_a_falsely_empty_answer_runs_on() -> None:
    (found,) = after(queue(T0, running("7", T0)), queue(T0 + 60), queue(T0 + 120, running("7", T0)))
    assert (found.end, found.state) == (None, "RUNNING")


def test_the_books_tell_of_one_that_nobody_saw_and_of_none_that_never_began() -> None:
    short = AttemptEnd(job_id="5", name="tr1", state="FAILED", start=T0, end=T0 + 2)
    never = AttemptEnd(job_id="6", name="tr1", state="CANCELLED", start=None, end=T0 + 9)
    (found,) = after(AccountingReading(at=T0 + 60, state="ok", ended=(short, never)))
    assert (found.job_id, found.state, found.name) == ("5", "FAILED", "tr1")


def test_only_the_last_are_remembered_in_order() -> None:
    ends = tuple(
        AttemptEnd(job_id=str(n), state="FAILED", start=T0 + n, end=T0 + n + 1)
        for n in reversed(range(allocations.MOST + 50))
    )
    found = after(AccountingReading(at=T0 + 9999, state="ok", ended=ends))
    assert [a.job_id for a in found] == [str(n) for n in range(50, allocations.MOST + 50)]


GIVEN = (
    Allocation(job_id="7_1", start=T0, end=T0 + HOUR_S, state="TIMEOUT"),
    Allocation(job_id="7_2", start=T0 + HOUR_S + 60, state="RUNNING"),
)


@pytest.mark.parametrize(
    ("job_id", "began_at", "expected"),
    [
        ("", T0 + 90, "7_1"),
        ("", T0 - 30, "7_1"),  # clocks differ
        ("", T0 + HOUR_S - 10, "7_1"),  # the next one began soon after
        ("", T0 + HOUR_S + 20, "7_1"),
        ("", T0 + HOUR_S + 50, "7_2"),
        ("", T0 + HOUR_S + 70, "7_2"),
        ("", T0 + 9 * HOUR_S, "7_2"),
        ("", T0 - HOUR_S, None),
        ("7", T0 + 90, "7_1"),  # a log names the array
        ("7_2", None, "7_2"),
        ("9", T0 + 90, None),
        ("", None, None),
    ],
)
def test_the_allocation_of_an_attempt(
    job_id: str, began_at: float | None, expected: str | None
) -> None:
    found = allocations.of_attempt(GIVEN, job_id, began_at)
    assert (found.job_id if found else None) == expected


def test_where_one_begins_in_the_second_in_which_another_ends_it_counts_what_is_known() -> None:
    seam = T0 + HOUR_S
    given = (GIVEN[0], Allocation(job_id="7_2", start=seam))
    began = allocations.of_attempt(given, "", seam, seam + 9)
    for stamp in (seam - 1, seam, seam + 2):  # of its last line
        late = allocations.of_attempt(given, "", None, stamp)
        assert late is not None
        assert late.job_id == "7_1"
    ended = allocations.of_attempt(given, "", None, seam)
    assert (began and began.job_id, ended and ended.job_id) == ("7_2", "7_1")


def test_names_that_are_none_are_left_out_and_end_nothing() -> None:
    odd = ("a b", "", "n,1", "r[0-3]", "\x1b[31m")
    (found,) = allocations.answered((), [running("7", T0, *odd, "n1", "n2")], T0)
    assert found.nodes == "n[1-2]"
    end = AttemptEnd(job_id="7", state="FAILED", start=T0, end=T0 + 9, nodes=odd)
    (found,) = allocations.accounted((found,), [end])
    assert (found.nodes, found.state) == ("n[1-2]", "FAILED")
