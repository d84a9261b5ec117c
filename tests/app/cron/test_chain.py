"""The chain, tended minute by minute against a queue that a test writes: one successor, whatever happens."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.app.cron.chains import JOB, NAME, T0, FullDisk, World
from trainwatch.adapters.store.chain import ChainFile
from trainwatch.app.cron.chain import Chain, Stopped, Tended
from trainwatch.core.chain import next_of_grid
from trainwatch.core.errors import LeaseHeld, SchedulerUnknown, StoreUnusable, SubmissionRefused


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def running(world: World) -> tuple[World, str]:
    """A chain whose first job runs."""
    world.start()
    return world, world.run_next()


def test_start_submits_one_job_however_often_it_is_called(world: World) -> None:
    assert world.start() == "1001"
    assert world.start() == ""
    assert world.reborn() is world.chain
    assert world.start() == ""
    assert world.waiting == ["1001"]
    assert world.hands.submitted[0].begin_in_s is None


def test_the_successor_comes_first_and_on_the_grid(running: tuple[World, str]) -> None:
    world, mine = running
    assert world.tend(T0 + 61.0, mine).submitted == "1002"
    assert world.hands.submitted[-1].begin_in_s == 600.0 - 61.0
    assert world.hands.submitted[-1].comment != world.hands.submitted[0].comment
    assert world.tend(T0 + 121.0, mine).successor is not None
    assert world.waiting == ["1002"]


def test_job_after_job_is_counted(running: tuple[World, str]) -> None:
    world, mine = running
    for n in range(3):
        world.tend(T0 + 600.0 * n, mine)
        mine = world.run_next()
        world.reborn()
    world.tend(T0 + 1800.0, mine)
    record = world.file.read()
    assert record is not None
    assert (record.handed_over, record.last_job) == (3, mine)


def test_a_successor_that_is_gone_is_replaced(running: tuple[World, str]) -> None:
    world, mine = running
    world.tend(T0, mine)
    world.hands.cancel(["1002"])
    assert world.tend(T0 + 60.0, mine).submitted == "1003"


def test_an_answer_from_before_the_submission_is_not_believed(running: tuple[World, str]) -> None:
    world, mine = running
    before = world.scheduler.queue()
    world.tend(T0, mine)
    assert world.chain.tend(before, T0 - 1.0, T0 + 5.0, mine) == Tended()
    assert world.waiting == ["1002"]


def test_surplus_is_cancelled_and_the_oldest_stays(running: tuple[World, str]) -> None:
    world, mine = running
    world.tend(T0, mine)
    for _ in range(3):
        world.hands.submit(JOB)
    world.tend(T0 + 60.0, mine)
    assert world.waiting == ["1002"]


def test_a_lost_answer_is_not_asked_for_twice(running: tuple[World, str]) -> None:
    world, mine = running
    world.hands.silent = True
    assert "no answer" in world.tend(T0, mine).trouble
    assert world.waiting == ["1002"]
    assert world.tend(T0 + 60.0, mine).successor is not None
    assert len(world.hands.submitted) == 2


def test_a_lost_answer_that_did_nothing_is_asked_again_when_it_is_settled(
    running: tuple[World, str],
) -> None:
    world, mine = running
    world.hands.silent = True
    world.tend(T0, mine)
    world.hands.cancel(["1002"])  # as if it had never been
    world.hands.silent = False
    assert "may yet come" in world.tend(T0 + 30.0, mine).trouble
    world.reborn()  # killed meanwhile
    assert "may yet come" in world.tend(T0 + 59.0, mine).trouble
    assert world.tend(T0 + 60.0, mine).submitted == "1003"


def test_a_refusal_is_said_and_tried_again_later(running: tuple[World, str]) -> None:
    world, mine = running
    world.hands.refuses = "sbatch: Job violates accounting/QOS policy"
    assert "violates" in world.tend(T0, mine).trouble
    world.hands.refuses = ""
    assert "tried again" in world.tend(T0 + 60.0, mine).trouble
    assert world.tend(T0 + 300.0, mine).submitted == "1002"


def test_a_queue_that_does_not_show_us_is_not_believed(running: tuple[World, str]) -> None:
    world, mine = running
    found = world.chain.tend((), T0, T0, mine)
    assert "does not show this job" in found.trouble
    assert world.waiting == []


def test_a_job_that_slurm_took_for_dead_ends_when_another_runs(running: tuple[World, str]) -> None:
    world, mine = running
    world.tend(T0, mine)
    world.run_next()  # its node did not answer
    assert "is gone, and 1002 runs" in world.tend(T0 + 60.0, mine).end


def test_nothing_is_done_while_the_controller_is_away(running: tuple[World, str]) -> None:
    world, mine = running
    jobs = world.scheduler.queue()
    world.scheduler.trouble = "Unable to contact slurm controller"
    assert "Unable to contact" in world.chain.tend(jobs, T0, T0, mine).trouble
    world.scheduler.trouble = ""
    assert world.tend(T0 + 600.0, mine).submitted == "1002"


def test_a_full_disk_does_not_end_the_chain_and_is_said(
    running: tuple[World, str], tmp_path: Path
) -> None:
    world, mine = running
    world.file = FullDisk(tmp_path)
    world.reborn()
    found = world.tend(T0, mine)
    assert (found.submitted, "No space left" in found.trouble) == ("1002", True)
    assert world.tend(T0 + 60.0, mine).successor is not None
    assert world.waiting == ["1002"]


def test_but_nothing_is_started_on_a_full_disk(world: World, tmp_path: Path) -> None:
    world.file = FullDisk(tmp_path)
    world.reborn()
    with pytest.raises(StoreUnusable, match="No space left"):
        world.start()
    assert world.waiting == []


def test_stop_leaves_nothing_and_a_job_that_runs_knows(running: tuple[World, str]) -> None:
    world, mine = running
    world.tend(T0, mine)
    jobs = world.scheduler.queue()
    done = world.chain.stop(world.scheduler.queue, T0 + 10.0, "me")
    assert [link.job_id for link in done.cancelled] == [mine, "1002"]
    assert (done.why, done.unkept) == ("", "")
    assert world.scheduler.jobs == ()
    world.scheduler.jobs = jobs  # as a job still sees them that is being ended
    assert "stopped" in world.tend(T0 + 11.0, mine).end
    assert world.waiting == []


def test_stop_while_the_controller_is_away_is_remembered(running: tuple[World, str]) -> None:
    world, mine = running
    world.tend(T0, mine)
    world.scheduler.trouble = "Unable to contact slurm controller"
    assert world.chain.stop(world.scheduler.queue, T0, "me") == Stopped((), world.scheduler.trouble)
    world.scheduler.trouble = ""
    assert "stopped" in world.tend(T0 + 60.0, mine).end
    assert world.waiting == []


def test_stop_on_a_full_disk_cancels_and_says_that_it_could_not_be_marked(
    running: tuple[World, str], tmp_path: Path
) -> None:
    world, mine = running
    world.file = FullDisk(tmp_path)
    world.reborn()
    done = world.chain.stop(world.scheduler.queue, T0 + 10.0, "me")
    assert [link.job_id for link in done.cancelled] == [mine]
    assert "No space left" in done.unkept
    assert world.scheduler.jobs == ()


def test_a_stopped_chain_is_not_restarted_and_a_dead_one_is(running: tuple[World, str]) -> None:
    world, _ = running
    assert world.chain.restart(world.scheduler.queue, T0 + 60.0) == ""
    world.scheduler.jobs = ()
    assert world.chain.restart(world.scheduler.queue, T0 + 60.0) == "1002"
    world.chain.stop(world.scheduler.queue, T0 + 70.0, "me")
    assert world.chain.restart(world.scheduler.queue, T0 + 600.0) == ""
    assert world.start(T0 + 700.0) == "1003"


def test_a_start_whose_answer_is_lost_is_not_repeated_at_once(world: World) -> None:
    world.hands.silent = True
    with pytest.raises(SchedulerUnknown):
        world.start()
    assert world.start(T0 + 10.0) == ""  # the queue shows it
    world.scheduler.jobs = ()
    world.hands.silent = False
    with pytest.raises(SchedulerUnknown, match="may yet come"):
        world.start(T0 + 20.0)
    assert world.start(T0 + 60.0) == "1002"


def test_a_start_that_is_refused_wants_no_chain(world: World) -> None:
    world.hands.refuses = "sbatch: Invalid account"
    with pytest.raises(SubmissionRefused, match="Invalid account"):
        world.start()
    record = world.file.read()
    assert record is not None
    assert not record.wanted


def test_a_start_while_the_queue_is_unknown_submits_nothing(world: World) -> None:
    world.scheduler.trouble = "timed out"
    with pytest.raises(SchedulerUnknown):
        world.start()
    assert world.hands.submitted == []


def test_a_younger_job_gives_way(running: tuple[World, str]) -> None:
    world, _ = running
    world.hands.submit(JOB)
    world.scheduler.jobs = tuple(replace(job, state="RUNNING") for job in world.scheduler.jobs)
    assert "older job" in world.tend(T0, "1002").end


def test_one_at_a_time_may_change_the_chain(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("trainwatch.adapters.store.chain._PATIENCE_S", 0.1)
    with ChainFile(tmp_path).guarded(), pytest.raises(LeaseHeld, match="is under way"):
        world.start()
    assert world.start() == "1001"


def test_without_its_configuration_the_chain_goes_on_as_it_was(
    running: tuple[World, str],
) -> None:
    world, mine = running
    record = world.file.read()
    assert record is not None
    world.file.write(replace(record, interval_s=1200.0))
    limping = Chain(NAME, "me", world.file, world.hands)
    found = limping.tend(world.scheduler.queue(), T0, T0, mine)
    assert found.submitted == "1002"
    assert replace(world.hands.submitted[-1], comment="", begin_in_s=None) == JOB
    assert world.hands.submitted[-1].begin_in_s == next_of_grid(T0, 1200.0) - T0
