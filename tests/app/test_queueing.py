"""One question a minute, three answers, and the books for what is gone."""

import threading
from itertools import pairwise

import pytest
from msgspec.structs import replace

from tests.fakes import MemoryScheduler
from trainwatch.app.queueing import LONGEST_GAP_S, Queues
from trainwatch.core.model.observations import (
    AccountingReading,
    AttemptEnd,
    Job,
    Observation,
    QueueReading,
    Reservation,
)
from trainwatch.core.ours import Ours

T0 = 1_790_000_000.0
RUNNING = Job(job_id="7_1", name="tr1-13B", state="RUNNING", user="me", nodes=("n1",))
NEXT = Job(job_id="7_[2-10%1]", name="tr1-13B", state="PENDING", reason="JobArrayTaskLimit")
OTHER = Job(job_id="8", name="tr3-1B", state="RUNNING")
END = AttemptEnd(job_id="7_1", state="TIMEOUT")


@pytest.fixture
def scheduler() -> MemoryScheduler:
    made = MemoryScheduler()
    made.jobs = (RUNNING, NEXT, OTHER)
    return made


def asking(scheduler: MemoryScheduler, **runs: Ours) -> Queues:
    """Waits for answers, so that a tick is a question and its answer."""
    named = runs or {"tr1": Ours(job_name="tr1-*")}
    return Queues(scheduler, named, 60.0, patience_s=10.0)


def readings(told: dict[str, list[Observation]], run: str = "tr1") -> list[Observation]:
    return told.get(run, [])


def test_each_run_hears_of_its_own_jobs(scheduler: MemoryScheduler) -> None:
    queues = asking(scheduler, tr1=Ours(job_name="tr1-*"), tr3=Ours(job_name="tr3-1B"))
    told = queues.tick(T0)
    assert told == {
        "tr1": [QueueReading(at=T0, state="ok", jobs=(RUNNING, NEXT), maintenance=())],
        "tr3": [QueueReading(at=T0, state="ok", jobs=(OTHER,), maintenance=())],
    }
    assert scheduler.asked == 1


def test_one_question_a_minute_however_often_we_tick(scheduler: MemoryScheduler) -> None:
    queues = asking(scheduler)
    for second in range(0, 601, 15):
        queues.tick(T0 + second)
    assert scheduler.asked == 11


def test_after_failures_it_asks_less_and_says_unknown_each_time(
    scheduler: MemoryScheduler,
) -> None:
    queues = asking(scheduler)
    scheduler.trouble = "slurm_load_jobs error: Socket timed out"
    told = [queues.tick(T0 + second) for second in range(0, 1200, 15)]
    unknown = [seen for each in told for seen in readings(each)]
    assert unknown[0] == QueueReading(at=T0, state="unknown", why=scheduler.trouble)
    gaps = [b.at - a.at for a, b in pairwise(unknown)]
    assert gaps == [120.0, 240.0, LONGEST_GAP_S, LONGEST_GAP_S]
    scheduler.trouble = ""
    told = [queues.tick(T0 + 1200 + second) for second in range(0, 500, 15)]
    answered = [seen for each in told for seen in readings(each)]
    assert {b.at - a.at for a, b in pairwise(answered)} == {60.0}
    assert all(isinstance(seen, QueueReading) and seen.state == "ok" for seen in answered)


def test_a_clock_that_is_set_back_does_not_silence_it(scheduler: MemoryScheduler) -> None:
    queues = asking(scheduler)
    queues.tick(T0)
    assert readings(queues.tick(T0 - 86_400.0))


def test_how_a_job_ended_is_asked_for_until_the_books_know(scheduler: MemoryScheduler) -> None:
    queues = asking(scheduler)
    queues.tick(T0)
    scheduler.jobs = (OTHER,)
    told = [queues.tick(T0 + 60 * n) for n in (1, 2, 3)]
    assert [type(seen) for each in told for seen in readings(each)] == [QueueReading] * 3
    assert scheduler.asked_for == ["7_1", "7_1", "7_1"]
    scheduler.books["7_1"] = END
    assert readings(queues.tick(T0 + 240))[1:] == [
        AccountingReading(at=T0 + 240, state="ok", ended=(END,))
    ]
    queues.tick(T0 + 300)
    assert scheduler.asked_for == ["7_1"] * 4


def test_books_that_never_know_are_left_alone_in_the_end(scheduler: MemoryScheduler) -> None:
    queues = asking(scheduler)
    queues.tick(T0)
    scheduler.jobs = ()
    for minute in range(1, 60):
        queues.tick(T0 + 60 * minute)
    assert len(scheduler.asked_for) == 12


def test_what_ended_while_nobody_watched_is_asked_for(scheduler: MemoryScheduler) -> None:
    queues = asking(scheduler)
    queues.begin("tr1", [RUNNING, NEXT])
    scheduler.jobs = ()
    scheduler.books["7_1"] = END
    assert readings(queues.tick(T0))[1:] == [AccountingReading(at=T0, state="ok", ended=(END,))]


def test_an_answer_that_hangs_is_unknown_once_and_heard_when_it_comes(
    scheduler: MemoryScheduler,
) -> None:
    go_on, asked = threading.Event(), threading.Event()

    class Hanging(MemoryScheduler):
        def queue(self) -> tuple[Job, ...]:
            asked.set()
            assert go_on.wait(30)
            return scheduler.jobs

    queues = Queues(Hanging(), {"tr1": Ours(job_name="tr1-*")}, 60.0)
    told = [queues.tick(T0 + second) for second in range(0, 600, 15)]
    assert asked.wait(10)
    seen = [each for one in told for each in readings(one)]
    assert seen == [QueueReading(at=T0 + 90, state="unknown", why="the scheduler's answer hangs")]
    go_on.set()
    queues._probe._done.wait(10)
    (heard,) = readings(queues.tick(T0 + 600))
    assert isinstance(heard, QueueReading)
    assert heard.jobs == (RUNNING, NEXT)


def test_a_bug_in_asking_is_unknown_and_ends_nothing(scheduler: MemoryScheduler) -> None:
    class Broken(MemoryScheduler):
        def queue(self) -> tuple[Job, ...]:
            raise IndexError("list index out of range")

    queues = asking(Broken())
    (seen,) = readings(queues.tick(T0))
    why = "asking the scheduler failed with IndexError"
    assert seen == QueueReading(at=T0, state="unknown", why=why)
    assert readings(queues.tick(T0 + 120))


def test_a_pattern_that_never_matched_is_said_with_what_the_queue_has(
    scheduler: MemoryScheduler,
) -> None:
    queues = asking(scheduler, tr1=Ours(job_name="tr1-13B-"))
    for minute in range(12):
        queues.tick(T0 + 60 * minute)
    assert queues.remarks == {
        "tr1": "no job has matched job_name = 'tr1-13B-'; the queue has tr1-13B, tr3-1B"
    }


def test_thousands_that_end_at_once_are_asked_for_some_at_a_time(
    scheduler: MemoryScheduler,
) -> None:
    queues = asking(scheduler)
    scheduler.jobs = tuple(replace(RUNNING, job_id=f"9_{n}") for n in range(450))
    queues.tick(T0)
    scheduler.books = {job.job_id: replace(END, job_id=job.job_id) for job in scheduler.jobs}
    scheduler.jobs = ()
    told = [queues.tick(T0 + 60 * n) for n in range(1, 6)]
    ended = [len(each.ended) for one in told for each in readings(one) if hasattr(each, "ended")]
    assert ended == [200, 200, 50]
    assert len(scheduler.asked_for) == len(set(scheduler.asked_for)) == 450


def test_a_run_between_two_jobs_is_no_wrong_pattern(scheduler: MemoryScheduler) -> None:
    queues = asking(scheduler)
    queues.tick(T0)
    scheduler.jobs = (OTHER,)
    for minute in range(1, 30):
        queues.tick(T0 + 60 * minute)
    assert queues.remarks == {}


MAINTENANCE = Reservation(name="m", start=T0 + 9000, end=T0 + 20_000, flags=("MAINT",))
COURSE = Reservation(name="course", start=T0 + 9000, end=T0 + 20_000)


def _maintenance(told: dict[str, list[Observation]]) -> list[object]:
    return [seen.maintenance for seen in readings(told) if isinstance(seen, QueueReading)]


def test_reservations_are_asked_for_each_half_hour_and_only_maintenance_is_kept(
    scheduler: MemoryScheduler,
) -> None:
    queues, scheduler.reserved = asking(scheduler), (COURSE, MAINTENANCE)
    for minute in range(61):
        assert _maintenance(queues.tick(T0 + minute * 60)) == [(MAINTENANCE,)]
    assert scheduler.asked_for_reservations == 3


def test_whoever_may_not_see_reservations_does_not_know_and_hears_of_the_queue(
    scheduler: MemoryScheduler,
) -> None:
    queues, scheduler.hides_reservations = asking(scheduler), True
    assert readings(queues.tick(T0)) == [QueueReading(at=T0, state="ok", jobs=(RUNNING, NEXT))]
    assert _maintenance(queues.tick(T0 + 60)) == [None]
    assert scheduler.asked_for_reservations == 1


def test_no_answer_on_reservations_leaves_what_was_known_and_none_is_an_answer(
    scheduler: MemoryScheduler,
) -> None:
    queues, scheduler.reserved = asking(scheduler), (MAINTENANCE,)
    queues.tick(T0)
    scheduler.hides_reservations = True
    assert _maintenance(queues.tick(T0 + 1800)) == [(MAINTENANCE,)]
    scheduler.hides_reservations, scheduler.reserved = False, ()
    assert _maintenance(queues.tick(T0 + 3600)) == [()]


def test_reservations_are_asked_for_when_the_scheduler_answers_again(
    scheduler: MemoryScheduler,
) -> None:
    queues, scheduler.reserved = asking(scheduler), (MAINTENANCE,)
    scheduler.trouble = "down"
    queues.tick(T0)
    scheduler.trouble = ""
    assert _maintenance(queues.tick(T0 + 600)) == [(MAINTENANCE,)]
