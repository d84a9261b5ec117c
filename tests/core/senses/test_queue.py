"""The sense of the queue: who runs, waits, follows, never starts."""

import pytest

from tests.core.judging import T0, pending, running
from trainwatch.core.model.observations import QueueReading
from trainwatch.core.senses.queue import QueueSense


def _answered(*answers: QueueReading) -> QueueSense:
    sense = QueueSense()
    for answer in answers:
        sense.take(answer)
    return sense


def _answer(at: float, *jobs: object) -> QueueReading:
    return QueueReading(at=at, state="ok", jobs=jobs)  # type: ignore[arg-type]


def test_no_answer_begins_and_ends_nothing() -> None:
    unknown = QueueReading(at=T0 + 60, state="unknown", why="Socket timed out")
    sense = _answered(_answer(T0, running("7")), unknown)
    assert (sense.running_since, sense.alone_since, sense.absent_since) == (T0, T0, None)
    assert sense.unknown_since == T0 + 60
    assert QueueSense().runs is None


def test_a_job_that_is_being_cleaned_up_follows_nobody() -> None:
    ending = pending("6", "None")
    ending = type(ending)(job_id="6", name="run", state="COMPLETING")
    sense = _answered(_answer(T0, running("7"), ending))
    assert sense.alone_since == T0
    only = _answered(_answer(T0, ending))
    assert (only.absent_since, only.waiting_since) == (None, None)


def test_of_several_that_run_the_newest_counts() -> None:
    jobs = (running("8", start=T0, nodes=("n2",)), running("7", start=T0 - 9e4, nodes=("n1",)))
    for order in (jobs, jobs[::-1]):
        sense = _answered(_answer(T0 + 60, *order))
        assert (sense.started, sense.nodes) == (T0, ("n2",))


@pytest.mark.parametrize(
    ("reason", "held"),
    [
        ("JobHeldUser", True),
        ("launch failed requeued held", True),
        ("launch_failed_requeued_held", True),
        ("DependencyNeverSatisfied", True),
        ("Dependency", False),
        ("Priority", False),
        ("", False),
    ],
)
def test_who_never_starts_by_itself(reason: str, held: bool) -> None:
    assert bool(_answered(_answer(T0, pending("8", reason))).held_since) is held
