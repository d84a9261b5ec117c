"""An array that is held in a crash loop, and the job that is submitted when none is left."""

from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tests.core.hands.making import (
    FATAL,
    MIN,
    ON,
    RUNNING,
    STARTUP,
    WAITING,
    deed,
    desk,
    done,
    ended,
    looping,
    of,
    pass_minutes,
    refusal,
    training,
    unknown_answer,
)
from tests.core.judging import Judged
from tests.core.logs.making import iteration
from trainwatch.core.facts import Facts, configured
from trainwatch.core.hands.deeds import Deed, Refusal
from trainwatch.core.model.observations import (
    AccountingReading,
    AlertRequest,
    AttemptEnd,
    DeedReading,
    DiskReading,
    WatcherReading,
)

KILLED = "[Detected kill switch at /tmp/kill. Exiting]"
COMPLETED = "[after training is done] datetime: 2026-08-01 10:00:00"


# hold


def test_an_array_in_a_crash_loop_is_held() -> None:
    found = deed("hold", desk(looping()))
    assert (found.jobs, found.does, found.rule) == (("7",), "scontrol hold 7", "crash-loop")
    assert "attempts in a row ended" in found.why[0]


HELD = replace(WAITING, reason="JobHeldUser")
SECOND = replace(WAITING, job_id="8_[1-4]", array_job_id="8")
LOOPS: dict[str, tuple[Callable[[], Judged], str]] = {
    "no array waits": (lambda: looping(()), "0 arrays of the run"),
    "it is held": (lambda: looping((HELD,)), "0 arrays of the run"),
    "two arrays wait": (lambda: looping((WAITING, SECOND)), "2 arrays of the run"),
    "a job that is no array": (
        lambda: looping((replace(WAITING, job_id="8", array_job_id="8"),)),
        "0 arrays",
    ),
    "another array waits": (
        lambda: looping((SECOND,)),
        "nobody knows whether the attempts that failed were of array 8",
    ),
    "no answer": (lambda: unknown_answer(looping()), "answer is unknown"),
    "an old answer": (lambda: looping().wait(10 * MIN), "last answer is 10 min old"),
    "blind": (lambda: (r := looping()).see(WatcherReading(at=r.at, blind="gone")), "blind"),
    "a person knows": (
        lambda: (r := looping()).see(AlertRequest(at=r.at, ask="ack", rule="crash-loop")),
        "a person is at it",
    ),
}


@pytest.mark.parametrize(("story", "why"), LOOPS.values(), ids=LOOPS)
def test_what_is_not_proven_is_not_held(story: Callable[[], Judged], why: str) -> None:
    assert why in refusal("hold", desk(story()))


def test_an_array_that_a_person_released_is_not_held_again() -> None:
    run = looping()
    done(run, deed("hold", desk(run)))
    pass_minutes(run, 60, (WAITING,)).reborn()
    assert "done for this cause already" in refusal("hold", desk(run))


def test_a_hold_of_which_nobody_heard_is_seen_in_the_queue() -> None:
    run = looping()
    done(run, deed("hold", desk(run)), "unknown")
    run.wait(MIN).queue(HELD)
    assert run.memory.deeds.done[-1].outcome == "done"


# resubmit


def test_the_next_job_is_submitted_when_none_is_left_for_long() -> None:
    found = deed("resubmit", desk(ended()))
    assert found.does == "sbatch --dependency=singleton /home/ada/train.slurm"
    assert found.why[1] == "job 7_1 ended: time-limit"
    assert found.cause == f"ended/7_1@{RUNNING.start:.0f}"


@pytest.mark.parametrize("state", ["COMPLETED", "TIMEOUT", "NODE_FAIL", "PREEMPTED", "FAILED"])
def test_ends_after_which_a_run_goes_on(state: str) -> None:
    assert isinstance(of("resubmit", desk(ended(state))), Deed)


def without_books() -> Judged:
    return pass_minutes(training((RUNNING,)).wait(MIN).queue(), 30, ())


def told_by_the_log(line: str) -> Judged:
    run = training((RUNNING,)).read(line).wait(MIN).queue()
    end = AttemptEnd(job_id="7_1", state="COMPLETED", start=RUNNING.start, end=run.at)
    run.see(AccountingReading(at=run.at, state="ok", ended=(end,)))
    return pass_minutes(run, 30, ())


def nothing_new() -> Judged:
    """We submitted a job, and it died where the last one did."""
    run = ended("TIMEOUT")
    done(run, deed("resubmit", desk(run)))
    second = replace(RUNNING, job_id="1001", array_job_id="1001", start=run.at + 30)
    run.wait(MIN).queue(second).read(STARTUP).read(iteration(60)).read(FATAL).wait(MIN).queue()
    end = AttemptEnd(job_id="1001", state="FAILED", start=second.start, end=run.at)
    run.see(AccountingReading(at=run.at, state="ok", ended=(end,)))
    return pass_minutes(run, 40, ())


def full(run: Judged) -> Judged:
    reading = DiskReading(at=run.at, path="scratch", bytes_total=10**15, bytes_free=10**6)
    return pass_minutes(run.see(reading), 1, ())


ENDS: dict[str, tuple[Callable[[], Judged], str]] = {
    "a person cancelled it": (lambda: ended("CANCELLED"), "a person stopped it on purpose"),
    "nobody knows how it ended": (without_books, "nobody knows how job 7_1 ended"),
    "an end that is none to go on after": (lambda: ended("REVOKED"), "nobody knows how"),
    "training is complete": (lambda: told_by_the_log(COMPLETED), ""),
    "the kill switch": (lambda: told_by_the_log(KILLED), "kill switch"),
    "no answer": (lambda: unknown_answer(ended()), "answer is unknown"),
    "an old answer": (lambda: ended().wait(10 * MIN), "last answer is 10 min old"),
    "too few answers": (
        lambda: unknown_answer(ended()).wait(MIN).queue(),
        "1 of 3 answers in a row",
    ),
    "a person silenced it": (
        lambda: (r := ended()).see(
            AlertRequest(at=r.at, ask="silence", rule="not-queued", until=r.at + 900)
        ),
        "a person wants it so",
    ),
    "all is silenced": (
        lambda: (r := ended()).see(AlertRequest(at=r.at, ask="silence", until=r.at + 900)),
        "a person wants it so",
    ),
    "what we submitted got no further": (nothing_new, "completed no new iteration"),
    "the disk is full": (lambda: full(ended()), "disk-full fires"),
    "blind": (lambda: (r := ended()).see(WatcherReading(at=r.at, blind="gone")), "blind"),
}


@pytest.mark.parametrize(("story", "why"), ENDS.values(), ids=ENDS)
def test_what_is_not_proven_is_not_submitted(story: Callable[[], Judged], why: str) -> None:
    found = of("resubmit", desk(story()))
    assert isinstance(found, Refusal)
    assert why in "; ".join(found.why)


def test_the_log_goes_on_though_the_queue_is_empty() -> None:
    run = ended().read(iteration(61))
    assert isinstance(of("resubmit", desk(run)), Refusal)


def test_an_answer_too_soon_is_no_chain_that_ran_out() -> None:
    found = of("resubmit", desk(ended(minutes=5)))
    assert isinstance(found, Refusal)
    assert found.kind == "idle"


def test_another_run_with_the_same_jobs_makes_it_nobodys() -> None:
    assert "another run's" in refusal("resubmit", desk(ended(), others=frozenset({"7_1"})))


@pytest.mark.parametrize(
    ("facts", "why"),
    [
        ({"target_iteration": 60}, "the target is reached: iteration 60 of 60"),
        ({"target_samples": 1000}, "the target of 1,000 samples is reached"),
    ],
)
def test_a_run_that_has_what_it_wanted_is_not_submitted(facts: dict[str, int], why: str) -> None:
    run = ended()
    known: Facts = configured(facts)
    made = desk(run)
    made = made._replace(sight=made.sight._replace(facts=known))
    assert why in refusal("resubmit", made)


def test_after_a_cancel_of_ours_the_next_goes_without_the_node() -> None:
    run = training((RUNNING,))
    cancel = DeedReading(
        at=run.at,
        hand="cancel",
        cause="7_1",
        outcome="done",
        token="1",
        jobs=("7_1",),
        start=RUNNING.start,
        exclude="r1i0n3",
    )
    run.see(cancel).wait(MIN).queue()
    end = AttemptEnd(job_id="7_1", state="CANCELLED", start=RUNNING.start, end=run.at)
    run.see(AccountingReading(at=run.at, state="ok", ended=(end,)))
    found = deed("resubmit", desk(pass_minutes(run, 30, ())))
    assert found.exclude == "r1i0n3"
    assert "--exclude=r1i0n3" in found.does


def test_a_submission_of_which_nobody_heard_is_found_by_its_comment() -> None:
    run = ended()
    done(run, deed("resubmit", desk(run)), "unknown", token="trainwatch-1")
    assert "done for this cause already: unknown" in refusal("resubmit", desk(run))
    job = replace(WAITING, job_id="1001", comment="round 3 trainwatch-1")
    run.wait(MIN).queue(job)
    assert (run.memory.deeds.done[-1].outcome, run.memory.deeds.done[-1].jobs) == (
        "done",
        ("1001",),
    )


def test_one_that_was_never_found_is_not_submitted_again() -> None:
    run = ended()
    done(run, deed("resubmit", desk(run)), "unknown", token="trainwatch-1")
    pass_minutes(run, 300, ())
    assert "done for this cause already" in refusal("resubmit", desk(run))


def test_it_is_off_without_a_script() -> None:
    found = of("resubmit", desk(ended(), replace(ON, resubmit=None)))
    assert isinstance(found, Refusal)
    assert found.kind == "off"
