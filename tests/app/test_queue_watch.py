"""The queue beside the log: what a daemon makes of both, with a clock wound by hand."""

import pytest

from tests.app.rigs import NOW, Rig, iteration
from tests.fakes import MemoryScheduler
from trainwatch.app.commands.status import text
from trainwatch.app.daemon import Daemon
from trainwatch.app.queueing import Queues
from trainwatch.core.model.observations import AttemptEnd, Job, QueueReading
from trainwatch.core.ours import Ours

RUNNING = Job(
    job_id="7_1",
    name="tr11",
    state="RUNNING",
    nodes=("n1", "n2"),
    start=NOW - 60,
    time_limit_s=72e3,
)
NEXT = Job(job_id="7_[2-10%1]", name="tr11", state="PENDING", reason="JobArrayTaskLimit")


class Watch:
    """A daemon over one run whose log and queue a test writes."""

    def __init__(self, rig: Rig, scheduler: MemoryScheduler) -> None:
        self.rig, self.scheduler, self.now = rig, scheduler, NOW
        self.begin()

    def begin(self) -> None:
        queues = Queues(self.scheduler, {"tr11": Ours(job_name="tr11")}, 60.0, patience_s=10.0)
        self.daemon = Daemon([self.rig.run], heartbeat_s=30.0, queues=queues)

    def go_on(self, minutes: float, number: int | None = None) -> None:
        """Time passes, tick by tick; a line every 15 s from iteration `number` on."""
        for step in range(round(minutes * 4)):
            self.now += 15.0
            if number is not None:
                self.rig.log.write(iteration(number + step).replace(b"/    1000", b"/ 9000000"))
            while self.daemon.tick(self.now):
                pass

    def fired(self) -> list[str]:
        told = [
            e.text.split()[1].rstrip(":") for e in self.rig.store.events if e.kind == "alert-firing"
        ]
        return sorted(set(told))


@pytest.fixture
def watch(rig: Rig) -> Watch:
    scheduler = MemoryScheduler()
    scheduler.jobs = (RUNNING, NEXT)
    return Watch(rig, scheduler)


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_what_runs_and_waits_is_in_the_status_and_an_attempt_knows_its_job(watch: Watch) -> None:
    watch.go_on(3, number=1)
    status = watch.rig.run.status(watch.now)
    assert status.queue is not None
    assert status.queue.jobs == (RUNNING, NEXT)
    (attempt,) = status.attempts
    assert (attempt.job_id, attempt.nodes) == ("7_1", "n[1-2]")
    shown = text(status, watch.now)
    assert "queue      7_1 runs on 2 nodes, 19 h 5" in shown
    assert "7_[2-10%1] waits for its turn in the array" in shown
    assert watch.fired() == []


def test_a_chain_that_has_run_out_is_told_before_the_job_ends(watch: Watch) -> None:
    watch.go_on(10, number=1)
    watch.scheduler.jobs = (RUNNING,)
    watch.go_on(60, number=41)
    assert watch.fired() == ["no-successor"]


def test_a_scheduler_that_does_not_answer_is_no_empty_queue(watch: Watch) -> None:
    watch.go_on(10, number=1)
    watch.scheduler.trouble = "slurm_load_jobs error: Socket timed out"
    watch.go_on(90, number=41)
    status = watch.rig.run.status(watch.now)
    assert "queue      unknown: slurm_load_jobs error" in text(status, watch.now)
    assert set(watch.fired()) <= {"blind"}


def test_how_an_attempt_ended_is_taken_from_the_books_where_the_log_just_stops(
    watch: Watch,
) -> None:
    watch.go_on(10, number=1)
    end = AttemptEnd(
        job_id="7_1", state="NODE_FAIL", start=NOW - 60, end=NOW + 590, nodes=("n1", "n2")
    )
    watch.scheduler.jobs, watch.scheduler.books = (NEXT,), {"7_1": end}
    watch.go_on(3)
    (attempt,) = watch.rig.run.status(watch.now).attempts
    assert attempt.end == "node-failure"


def test_an_answer_waits_until_the_log_is_read_to_its_end(rig: Rig) -> None:
    """Old lines would be judged as if nothing had come since."""
    rig.log.write(b"".join(iteration(n) for n in range(1, 9000)))
    rig.run.observe([QueueReading(at=NOW, state="ok", jobs=(RUNNING,))])
    assert rig.run.tick(NOW, 30.0)
    assert rig.run.state.queue is None
    rig.tick(NOW)
    assert rig.run.state.queue is not None


def test_the_same_answer_again_writes_nothing(watch: Watch) -> None:
    watch.go_on(5)
    before = watch.rig.store.commits
    watch.go_on(15)
    assert watch.rig.store.commits == before
    watch.scheduler.jobs = (RUNNING,)
    watch.go_on(2)
    assert watch.rig.store.commits > before
