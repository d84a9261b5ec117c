"""Rules of the queue: nobody follows, nothing is queued, a job never starts or waits for long."""

import msgspec
import pytest

from tests.core.judging import T0, Judged, pending, running
from tests.core.rules.logged import MIN, H
from trainwatch.core.model.observations import Job

# the queue: (jobs now, the rule they make fire after half an hour)
ANSWERS: dict[str, tuple[tuple[Job, ...], str]] = {
    "alone in a chain": ((running("7_1"),), "no-successor"),
    "followed": ((running("7_1"), pending("7_2")), ""),
    "alone and never followed": ((running("7"),), ""),
    "absent": ((), "not-queued"),
    "waiting": ((pending("7_2"),), ""),
    "held": ((pending("7_2", "JobHeldUser"),), "job-held"),
    "held behind one that runs": ((running("7_1"), pending("7_2", "JobHeldAdmin")), "job-held"),
}


@pytest.mark.parametrize(("jobs", "rule"), ANSWERS.values(), ids=ANSWERS)
def test_the_queue_half_an_hour_after_it_says_so(jobs: tuple[Job, ...], rule: str) -> None:
    run = Judged().queue(running("7"))
    run.queue(*jobs)
    for _ in range(6):
        run.wait(5 * MIN)
        assert run.at - T0 > 15 * MIN or run.firing() == []
        run.queue(*jobs)
    assert run.firing() == [rule] * bool(rule)
    for _ in range(12):
        run.wait(5 * MIN).queue(unknown="Socket timed out")
    assert rule in ("", *run.firing())  # no answer ends nothing
    run.queue(running("7"), pending("8")).wait(MIN)
    assert rule not in run.firing()


def test_a_name_that_never_matched_is_no_missing_job() -> None:
    run = Judged()
    for _ in range(20):
        run.queue().wait(5 * MIN)
    assert run.firing() == []


def test_a_queue_that_is_falsely_empty_while_training_goes_on() -> None:
    run = Judged().queue(running("7"))
    for block in range(12):
        run.train(block * 30 + 1, block * 30 + 30)
        run.queue()
    assert run.told("not-queued") == []


@pytest.mark.parametrize(
    ("reason", "summary", "advice"),
    [
        ("JobHeldUser", "held by its owner: will never start by itself", "scontrol release 7_2"),
        (
            "JobHeldAdmin",
            "held by an administrator: will never start by itself",
            "An administrator held it: ask why.",
        ),
        (
            "DependencyNeverSatisfied",
            "its dependency can never be met: will never start by itself",
            "What it waits for failed: scancel 7_2, and submit it again without that dependency.",
        ),
        (
            "AssocGrpCPUMinutesLimit",
            "the hours of its group are used up (CPU Minutes Limit): will never start by itself",
            "Ask for more hours, or submit it under another account.",
        ),
        (
            "PartitionTimeLimit",
            "asks for more time than the partition allows: will never start by itself",
            "It asks for what it cannot have: scontrol show job 7_2",
        ),
    ],
)
def test_why_a_job_never_starts_and_what_to_do(reason: str, summary: str, advice: str) -> None:
    run = Judged()
    for _ in range(40):
        run.queue(pending("7_2", reason)).wait(60)
    (alarm,) = [a for a in run.memory.book.alarms if a.finding.rule == "job-held"]
    assert alarm.finding.summary == f"job 7_2: {summary}"
    assert alarm.finding.advice == advice


def test_a_long_wait_says_when_it_may_start_and_how_far_that_moved() -> None:
    run = Judged()
    for hour in range(26):
        start = T0 + (30 if hour < 10 else 40) * H
        run.queue(msgspec.structs.replace(pending("7_2"), start=start)).wait(H)
    (alarm,) = [a for a in run.memory.book.alarms if a.finding.rule == "pending-long"]
    assert alarm.finding.summary == (
        "it has waited in the queue for 1 d 2 h (waits for its turn); "
        "predicted to start in 14 h, 10 h later than said 1 d 2 h ago"
    )
    run.queue(pending("7_2")).wait(H)
    (alarm,) = [a for a in run.memory.book.alarms if a.finding.rule == "pending-long"]
    assert alarm.finding.summary.endswith("; no start is predicted any more")
