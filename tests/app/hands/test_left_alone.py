"""When the hands leave a stalled job alone: nothing is known, or nothing can be written, or all is well."""

import threading
from collections.abc import Callable

from msgspec.structs import replace

from tests.app.hands.worlds import CANCEL, RUNNING, World
from tests.app.rigs import NOW, Rig, iteration
from tests.fakes import MemoryStore
from trainwatch.app.deeds import Work
from trainwatch.core.hands.settings import Budget
from trainwatch.core.model.observations import DeedReading, Job


def test_a_full_disk_keeps_the_hands_still() -> None:
    world = World(CANCEL).train()
    world.rig.store.full = True
    world.go_on(90)
    assert world.did == []
    assert "nothing can be written down: no room left" in " ".join(world.hand("cancel").why)
    world.rig.store.full = False
    assert world.go_on(30).did == ["cancel 7_1"]


class FullWhenItMatters(MemoryStore):
    """No room from the moment on that a deed is to be written."""

    def commit(self, rows, events, state, mark, memory=None) -> None:  # type: ignore[no-untyped-def]
        if any(event.kind == "hand-begun" for event in events):
            self.full = True
        super().commit(rows, events, state, mark, memory)


def test_what_cannot_be_written_down_is_not_done() -> None:
    world = World(CANCEL)
    world.rigs = [Rig(FullWhenItMatters())]
    world.begin()
    world.train().go_on(60)
    assert world.did == []
    deeds = world.rig.run.sight(world.now).memory.deeds.done
    assert [(each.outcome, each.detail) for each in deeds] == [
        ("not-done", "it could not be written down first")
    ]


def test_no_answer_is_no_reason_to_act() -> None:
    world = World(CANCEL).train()
    world.scheduler.trouble = "Socket timed out"
    assert world.go_on(180).did == []
    assert "answer is unknown" in " ".join(world.hand("cancel").why)


def test_a_log_that_cannot_be_read_is_no_stall() -> None:
    world = World(CANCEL).train()
    world.rig.log.trouble = "Permission denied"
    assert world.go_on(180).did == []


def test_a_last_look_calls_a_deed_off_when_the_job_is_another() -> None:
    """The id was given anew after the plan was made."""
    world = World(CANCEL).train().go_on(15)
    queue = world.scheduler.queue
    does, looks_again = world.hands._worker.do, threading.Event()

    def do(work: Work, is_off: Callable[[], bool]) -> DeedReading:
        looks_again.set()
        try:
            return does(work, is_off)
        finally:
            looks_again.clear()

    world.hands._worker.do = do  # type: ignore[method-assign]
    world.scheduler.queue = lambda: (REUSED,) if looks_again.is_set() else queue()  # type: ignore[method-assign]
    world.go_on(60)
    assert world.did == []
    lines = [line for line in world.journal() if line.startswith("hand-not-done")]
    assert "the queue now shows 7_1 RUNNING, not job 7_1 as it was" in lines[0]
    assert len(lines) <= 13  # five minutes apart


REUSED = replace(RUNNING, start=NOW + 5000)


def test_two_runs_with_the_same_jobs_are_both_left_alone() -> None:
    world = World(CANCEL)
    world.rigs.append(Rig())
    world.begin()
    world.train().go_on(90)
    assert world.did == []
    assert "also taken for another run's" in " ".join(world.hand("cancel").why)


def test_a_budget_of_none_is_never() -> None:
    world = World(replace(CANCEL, most_per_day=Budget(cancel=0))).train().go_on(90)
    assert world.did == []


def test_an_iteration_in_the_last_moment_calls_it_off() -> None:
    world = World(CANCEL).train().go_on(15)
    queue = world.scheduler.queue

    def slow() -> tuple[Job, ...]:
        if world.hands._calls and not world.did:
            world.did.append("looked")
            world.rig.log.write(iteration(500))
            world.now += 15.0
            world.daemon.tick(world.now)
        return queue()

    world.scheduler.queue = slow  # type: ignore[method-assign]
    while not world.did:
        world.go_on(0.25)
    world.go_on(5)
    assert world.did == ["looked"]
    assert "stall does not fire any more" in world.journal()[-1]
