"""Batch scripts: submitted once, followed in the queue and the books."""

from tests.app.cron.scripts.worlds import BATCH, Watcher, World, at
from tests.fakes import MemoryHands, MemoryScheduler
from trainwatch.core.model.observations import AttemptEnd


def test_a_batch_script_is_submitted_and_followed(
    world: World, scheduler: MemoryScheduler, hands: MemoryHands
) -> None:
    world.put("/h/cron.hourly/clean.slurm")
    watcher = Watcher(world, scheduler=scheduler, hands=hands).until(at("2026-05-04T00:10"))
    (job,) = hands.submitted
    assert (job.script, job.name, job.folder) == (BATCH, "clean", "/h/cron.hourly")
    assert job.output == "/state/cron/scripts/hourly/clean.slurm.out"
    assert (watcher.status("clean.slurm").outcome, watcher.status("clean.slurm").job_id) == (
        "submitted",
        "1001",
    )
    watcher.until(at("2026-05-04T02:30"))  # its job is still there: there is no second
    assert len(hands.submitted) == 1
    scheduler.jobs = ()
    scheduler.books["1001"] = AttemptEnd(job_id="1001", state="FAILED", exit_code="3:0")
    watcher.until(at("2026-05-04T02:40"))
    (seen,) = watcher.told
    assert (seen.exit_code, seen.how) == (3, "failed: job 1001 ended as FAILED")
    assert len(hands.submitted) == 2
    scheduler.jobs = ()
    scheduler.books["1002"] = AttemptEnd(job_id="1002", state="COMPLETED", exit_code="0:0")
    watcher.until(at("2026-05-04T02:59"))
    assert watcher.codes("clean.slurm") == [3, 0]
    assert watcher.status("clean.slurm").outcome == "ok"
    assert world.begun == []


def test_an_answer_that_got_lost_submits_nothing_twice(
    world: World, scheduler: MemoryScheduler, hands: MemoryHands
) -> None:
    world.put("/h/cron.hourly/clean.slurm")
    hands.silent = True
    watcher = Watcher(world, scheduler=scheduler, hands=hands).tick()
    assert watcher.status("clean.slurm").outcome == "submitted"
    assert watcher.status("clean.slurm").why.startswith("nobody knows whether it was submitted")
    watcher.killed()
    hands.silent = False
    second = Watcher(world, "login2", scheduler=scheduler, hands=hands)
    second.until(at("2026-05-04T00:30"))
    assert len(hands.submitted) == 1
    assert second.status("clean.slurm").job_id == "1001"  # by its comment
    assert second.told == []


def test_an_answer_that_got_lost_with_the_job(
    world: World, scheduler: MemoryScheduler, hands: MemoryHands
) -> None:
    world.put("/h/cron.hourly/clean.slurm")
    hands.silent = True
    watcher = Watcher(world, scheduler=scheduler, hands=hands).tick()
    scheduler.jobs = ()
    hands.silent = False
    watcher.until(at("2026-05-04T00:59"))
    assert len(hands.submitted) == 1
    (seen,) = watcher.told
    assert (seen.exit_code, seen.how) == (None, "was perhaps not submitted")
    watcher.until(at("2026-05-04T01:10"))
    assert len(hands.submitted) == 2


def test_a_queue_that_does_not_answer_is_no_empty_one(
    world: World, scheduler: MemoryScheduler, hands: MemoryHands
) -> None:
    world.put("/h/cron.hourly/clean.slurm")
    watcher = Watcher(world, scheduler=scheduler, hands=hands).tick()
    jobs, scheduler.jobs = scheduler.jobs, ()
    scheduler.trouble = "timed out"
    watcher.until(at("2026-05-04T02:30"))
    assert (len(hands.submitted), watcher.told) == (1, [])
    scheduler.trouble, scheduler.jobs = "", jobs
    watcher.until(at("2026-05-04T02:40"))
    assert len(hands.submitted) == 1


def test_a_refusal_is_a_failure(
    world: World, scheduler: MemoryScheduler, hands: MemoryHands
) -> None:
    world.put("/h/cron.hourly/clean.slurm")
    hands.refuses = "sbatch: Invalid partition name specified"
    watcher = Watcher(world, scheduler=scheduler, hands=hands).until(at("2026-05-04T00:30"))
    (seen,) = watcher.told
    assert (seen.exit_code, seen.how) == (1, "was not submitted: Slurm refused it")
    assert seen.why == "sbatch: Invalid partition name specified"
    hands.refuses = ""
    watcher.until(at("2026-05-04T01:10"))
    assert len(hands.submitted) == 1


def test_a_batch_script_that_cannot_be_read(
    world: World, scheduler: MemoryScheduler, hands: MemoryHands
) -> None:
    world.put("/h/cron.hourly/clean.slurm")
    act = world.acts.pop("/h/cron.hourly/clean.slurm")
    watcher = Watcher(world, scheduler=scheduler, hands=hands).until(at("2026-05-04T00:30"))
    (seen,) = watcher.told
    assert (seen.exit_code, seen.how, seen.why) == (126, "was not submitted", "it is gone")
    world.acts["/h/cron.hourly/clean.slurm"] = act
    watcher.until(at("2026-05-04T01:10"))
    assert len(hands.submitted) == 1


def test_books_that_say_nothing_end_the_following(
    world: World, scheduler: MemoryScheduler, hands: MemoryHands
) -> None:
    world.put("/h/cron.daily/clean.slurm")
    watcher = Watcher(world, scheduler=scheduler, hands=hands).tick()
    scheduler.jobs = ()
    watcher.until(at("2026-05-04T02:00"))
    assert watcher.told == []
    assert "books do not say" in watcher.status("clean.slurm").why
    watcher.until(at("2026-05-04T04:10"))
    assert len(hands.submitted) == 2


def test_without_slurm_a_batch_script_is_said_to_be_left(world: World) -> None:
    world.put("/h/cron.hourly/clean.slurm")
    world.put("/h/cron.hourly/quota")
    watcher = Watcher(world).until(at("2026-05-04T01:30"))
    assert watcher.scripts.troubles == (
        "cron.hourly/clean.slurm is not submitted: there is no Slurm here",
    )
    assert len(world.times("quota")) == 2
