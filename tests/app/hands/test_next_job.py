"""The next job: submitted once where the chain ran out, and never where a person decided otherwise."""

from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.app.hands.worlds import NEXT, RUNNING, World
from trainwatch.core.hands.settings import HandSettings
from trainwatch.core.model.observations import AttemptEnd


@pytest.fixture
def script(tmp_path: Path) -> Path:
    path = tmp_path / "train.slurm"
    path.write_text("#!/bin/bash\n#SBATCH --job-name=tr11 --exclude=n9\nsrun train\n")
    return path


def out(world: World, state: str = "TIMEOUT") -> World:
    """The chain runs out."""
    world.train()
    end = AttemptEnd(job_id="7_1", state=state, start=RUNNING.start, end=world.now)
    world.scheduler.jobs, world.scheduler.books = (), {"7_1": end}
    return world


def test_the_next_job_is_submitted_once(script: Path) -> None:
    world = out(World(HandSettings(apply=True, resubmit=str(script)))).go_on(60)
    assert world.did == ["submit 1001"]
    (job,) = world.jobs.submitted
    assert (job.name, job.dependency, job.exclude) == ("", "singleton", "n9")
    assert job.folder == str(script.parent)
    assert job.comment.startswith("trainwatch-")
    assert "job 1001" in " ".join(world.journal())
    world.scheduler.jobs = ()
    world.begin()
    assert world.go_on(240).did == ["submit 1001"]


def test_who_was_cancelled_is_not_submitted(script: Path) -> None:
    world = out(World(HandSettings(apply=True, resubmit=str(script))), "CANCELLED").go_on(120)
    assert world.did == []
    assert "a person stopped it on purpose" in " ".join(world.hand("resubmit").why)


def test_a_person_who_submits_at_the_same_moment_is_first(script: Path) -> None:
    world = out(World(HandSettings(apply=True, resubmit=str(script))))
    queue = world.scheduler.queue
    theirs = replace(NEXT, job_id="88", array_job_id="88")
    world.scheduler.queue = lambda: queue() if world.hands._calls == {} else (theirs,)  # type: ignore[method-assign]
    world.go_on(30)
    assert world.did == []
    assert "somebody was quicker: job 88 (PENDING) is there" in " ".join(world.journal())


def test_a_kill_switch_that_is_there_keeps_the_next_job_from_being_submitted(
    script: Path, tmp_path: Path
) -> None:
    switch = tmp_path / "kill"
    switch.touch()
    world = World(HandSettings(apply=True, resubmit=str(script)))
    world.rig.log.write(f"  kill_switch_path ........ {switch}\n".encode())
    out(world).go_on(40)
    assert world.did == []
    assert "hand-not-done" in world.journal()[-1]
    assert f"the kill switch {switch} is there" in world.journal()[-1]
    switch.unlink()
    assert world.go_on(15).did == ["submit 1001"]


def test_a_submission_whose_answer_was_lost_is_not_repeated(tmp_path: Path) -> None:
    script = tmp_path / "tr11"
    script.write_text("#!/bin/bash\nsrun train\n")
    world = out(World(HandSettings(apply=True, resubmit=str(script))))
    world.jobs.silent = True
    world.go_on(60)
    assert world.did == ["submit 1001"]
    assert world.rig.run.sight(world.now).memory.deeds.done[-1].outcome == "done"


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("srun train\n", "is no batch script"),
        ("#!/bin/bash\n#SBATCH -J other\n", "its job 'other' would not be seen as the run's"),
    ],
)
def test_a_script_that_cannot_be_the_next_job_is_not_submitted(
    script: Path, text: str, why: str
) -> None:
    script.write_text(text)
    world = out(World(HandSettings(apply=True, resubmit=str(script)))).go_on(120)
    assert world.did == []
    failed = [line for line in world.journal() if line.startswith("hand-failed")]
    assert len(failed) == 1
    assert why in failed[0]


def test_a_script_that_is_gone_is_said(script: Path) -> None:
    script.unlink()
    world = out(World(HandSettings(apply=True, resubmit=str(script)))).go_on(60)
    assert world.did == []
    assert "No such file" in " ".join(world.journal())
