"""A report by a job array, its clock wound by hand: tasks answer, are late or die; Slurm may be silent."""

from collections.abc import Callable
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.app.reporting.logs import write
from tests.fakes import MemoryHands, MemoryScheduler
from trainwatch.app.reporting import reading, shares, task
from trainwatch.app.reporting.desk import Desk
from trainwatch.app.reporting.farming import Farm, Lost, World
from trainwatch.app.reporting.shares import Result
from trainwatch.core.errors import SubmissionRefused
from trainwatch.core.model.observations import AttemptEnd, Job
from trainwatch.core.slurm.submitting import Submission

JOB = Submission(script="#!/bin/sh\n", name="trainwatch-report", comment="trainwatch report abc")


class Rig:
    """Four logs in two shares, and a cluster whose tasks a test runs or ends."""

    def __init__(self, folder: Path) -> None:
        self.now, self.said, self.read = 1e9, list[str](), 0
        self.paths = [write(folder / f"{n}.out", iterations=3 + n) for n in range(4)]
        self.scheduler = MemoryScheduler()
        self.hands = MemoryHands(self.scheduler)
        self.how = reading.How(now=2e9)
        names, sizes = [str(path) for path in self.paths], [1000, 1000, 1000, 1000]
        work = shares.work_of("rows", names, 2, sizes, self.how, folder / "state", 1)
        self.desk = Desk.made(folder / "state" / "reports" / "abc", work)
        self.plan: Callable[[float], None] = lambda passed: None
        world = World(self.hands, self.scheduler, lambda: self.now, self._wait, self.said.append)
        self.farm = Farm(world, self.desk, work, JOB)

    def _wait(self, seconds: float) -> None:
        before = self.now
        self.now += seconds
        assert self.now - 1e9 < 86_400.0, "it waits for ever"
        if int(before) != int(self.now):
            self.plan(self.now - 1e9)

    def run(self) -> tuple[dict[int, Result], list[Lost]]:
        return self.farm.run(self._advance)

    def _advance(self, count: int) -> None:
        self.read += count

    def answer(self, number: int) -> None:
        """A task reads its share."""
        task.read(self.desk, number)

    def answer_all(self) -> None:
        """Both do."""
        self.answer(0)
        self.answer(1)

    def leave(self, *numbers: int) -> None:
        """What is left of the newest array in the queue."""
        kept = [job for job in self.scheduler.jobs if job.array_job_id != self.array()]
        shown = [replace(self.row(), job_id=f"{self.array()}_{number}") for number in numbers]
        self.scheduler.jobs = (*kept, *shown)

    def row(self) -> Job:
        """The newest array in the queue."""
        (job,) = (job for job in self.scheduler.jobs if job.array_job_id == self.array())
        return job

    def array(self) -> str:
        return str(1000 + len(self.hands.submitted))

    def end(self, number: int, state: str) -> None:
        """The books tell how a task of the newest array ended."""
        job_id = f"{self.array()}_{number}"
        self.scheduler.books[job_id] = AttemptEnd(job_id=job_id, state=state, nodes=("n1",))

    def rows(self, *indices: int) -> dict[int, Result]:
        worker = reading.Worker(self.how, ahead=False)
        return {index: worker.row(self.paths[index], lambda _: None) for index in indices}


@pytest.fixture
def rig(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Rig:
    monkeypatch.chdir(tmp_path)
    return Rig(tmp_path)


def at(seconds: int, act: Callable[[], None]) -> Callable[[float], None]:
    """Do it once, so long after the beginning."""
    done = list[bool]()

    def plan(passed: float) -> None:
        if passed >= seconds and not done:
            done.append(True)
            act()

    return plan


def both(*plans: Callable[[float], None]) -> Callable[[float], None]:
    def plan(passed: float) -> None:
        for each in plans:
            each(passed)

    return plan


def test_the_rows_are_those_of_one_machine_and_the_queue_is_left_alone(rig: Rig) -> None:
    rig.plan = both(at(3, lambda: rig.answer(1)), at(5, lambda: rig.answer(0)))
    assert rig.run() == (rig.rows(0, 1, 2, 3), [])
    (job,) = rig.hands.submitted
    assert (job.array, job.comment) == ("0-1", "trainwatch report abc 1")
    assert job.output == f"{rig.desk.folder}/output-%a-1.txt"
    assert rig.scheduler.asked == 0
    assert rig.said == ["job 1001, 2 tasks, reads the logs"]
    assert rig.read == sum(path.stat().st_size for path in rig.paths)


def test_what_was_killed_is_read_again(rig: Rig) -> None:
    def kill() -> None:
        rig.leave(0)
        rig.end(1, "NODE_FAIL")

    rig.plan = both(at(5, kill), at(20, lambda: rig.answer(1)), at(100, lambda: rig.answer(0)))
    assert rig.run() == (rig.rows(0, 1, 2, 3), [])
    assert [job.array for job in rig.hands.submitted] == ["0-1", "1"]
    assert "task 1001_1 ended as NODE_FAIL on n1: its share of the logs is read again" in rig.said


def test_what_is_lost_twice_is_given_up_and_the_rest_is_kept(rig: Rig) -> None:
    def kill(words: str) -> None:
        rig.leave()
        rig.end(1, "FAILED")
        number = len(rig.hands.submitted)
        (rig.desk.folder / f"output-1-{number}.txt").write_text(f"\nsome line\n{words}\n")

    rig.plan = both(
        at(2, lambda: rig.answer(0)), at(5, lambda: kill("first")), at(70, lambda: kill("second"))
    )
    results, lost = rig.run()
    assert results == rig.rows(*range(0, 4, 2))
    (one,) = lost
    assert (one.task, one.last_words) == (1, "some line / second")
    assert one.why == "task 1002_1 ended as FAILED on n1"


def test_no_answer_is_waited_out_and_said_once(rig: Rig) -> None:
    def down() -> None:
        rig.scheduler.trouble = "Socket timed out"

    def up() -> None:
        rig.scheduler.trouble = ""

    rig.plan = both(at(1, down), at(1200, up), at(1800, rig.answer_all))
    assert rig.run() == (rig.rows(0, 1, 2, 3), [])
    assert len(rig.hands.submitted) == 1
    assert rig.said[1:] == ["the queue cannot be read (Socket timed out); waiting on"]
    assert rig.scheduler.asked < 1200 / 120 + 600 / 60 + 3


def test_the_queue_is_asked_once_a_minute(rig: Rig) -> None:
    rig.plan = at(615, rig.answer_all)
    rig.run()
    assert 10 <= rig.scheduler.asked <= 11


def test_where_the_books_are_silent_absence_counts_twice(rig: Rig) -> None:
    rig.plan = both(at(2, lambda: rig.answer(0)), at(5, rig.leave), at(140, rig.leave))
    results, lost = rig.run()
    assert results == rig.rows(0, 2)
    assert [job.array for job in rig.hands.submitted] == ["0-1", "1"]
    assert rig.scheduler.asked == 5  # gone twice, there, and gone twice again
    assert [(one.task, one.why) for one in lost] == [
        (1, "task 1002_1 is gone from the queue without an answer")
    ]


def test_an_answer_that_shows_late_is_none_the_worse(rig: Rig) -> None:
    def ended() -> None:
        rig.leave()
        for number in (0, 1):
            rig.end(number, "COMPLETED")

    rig.plan = both(at(5, ended), at(60, rig.answer_all))
    assert rig.run() == (rig.rows(0, 1, 2, 3), [])
    assert len(rig.hands.submitted) == 1


def test_a_folder_that_nodes_do_not_see_is_recognised(rig: Rig) -> None:
    def ended() -> None:
        rig.leave()
        for number in (0, 1):
            rig.end(number, "COMPLETED")

    rig.plan = at(5, ended)
    results, lost = rig.run()
    assert (results, len(lost), len(rig.hands.submitted)) == ({}, 2, 1)
    assert "ended as COMPLETED on n1; it left nothing in" in lost[0].why
    assert "which the compute nodes may not see: name a state_dir" in lost[0].why


def test_a_lost_answer_of_sbatch_is_found_by_its_comment(rig: Rig) -> None:
    rig.hands.silent = True
    rig.plan = at(200, rig.answer_all)
    assert rig.run() == (rig.rows(0, 1, 2, 3), [])
    assert len(rig.hands.submitted) == 1
    assert rig.said == ["sbatch gave no answer in 60 s; looking for the job in the queue"]


def test_a_job_that_never_came_to_be_is_submitted_again(rig: Rig) -> None:
    rig.hands.silent = True

    def wake() -> None:
        rig.hands.silent = False
        rig.scheduler.jobs = ()

    rig.plan = both(at(1, wake), at(200, rig.answer_all))
    assert rig.run() == (rig.rows(0, 1, 2, 3), [])
    assert [job.array for job in rig.hands.submitted] == ["0-1", "0-1"]


def test_a_refusal_is_one(rig: Rig) -> None:
    rig.hands.refuses = "sbatch: invalid partition specified: nope"
    with pytest.raises(SubmissionRefused, match="invalid partition"):
        rig.run()
    assert rig.scheduler.asked == 0


@pytest.mark.parametrize("silent", [False, True])
def test_who_is_interrupted_leaves_no_job(rig: Rig, silent: bool) -> None:
    rig.hands.silent = silent

    def interrupt() -> None:
        raise KeyboardInterrupt

    rig.plan = at(5, interrupt)
    with pytest.raises(KeyboardInterrupt):
        rig.run()
    assert rig.scheduler.jobs == ()


def test_who_cannot_cancel_says_what_to_do(rig: Rig) -> None:
    def interrupt() -> None:
        rig.scheduler.trouble = "down"
        raise KeyboardInterrupt

    rig.plan = at(5, interrupt)
    with pytest.raises(KeyboardInterrupt):
        rig.run()
    assert rig.said[-1] == "the array could not be cancelled (down): scancel 1001"


def test_why_it_waits_is_said_once(rig: Rig) -> None:
    def limit() -> None:
        rig.scheduler.jobs = (replace(rig.row(), reason="PartitionTimeLimit"),)

    rig.plan = both(at(2, limit), at(400, rig.answer_all))
    rig.run()
    assert rig.said[1:] == [
        "job 1001 waits: asks for more time than the partition allows: will never start by itself"
    ]


def test_half_an_answer_is_none(rig: Rig) -> None:
    (rig.desk.folder / "part-0.json").write_bytes(b'[{"row": {"log": ')
    (rig.desk.folder / "part-1.json").write_bytes(b'[{"row": {"log": "x"}}]')
    rig.plan = at(30, rig.answer_all)
    assert rig.run() == (rig.rows(0, 1, 2, 3), [])
