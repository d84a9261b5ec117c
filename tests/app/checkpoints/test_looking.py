"""Checkpoints beside the watch: readings, remarks, and pruning where it is allowed. Real folders."""

from pathlib import Path

import pytest

from tests.adapters.checkpoints.disk import names, save, track
from tests.fakes import MemoryScheduler
from trainwatch.adapters.checkpoints.listing import Lister
from trainwatch.adapters.checkpoints.trash import Trash
from trainwatch.app.checkpoints.desk import Desk
from trainwatch.app.checkpoints.looking import Looking
from trainwatch.app.checkpoints.settings import CheckpointSettings
from trainwatch.app.config import RunSettings
from trainwatch.core.errors import TrainwatchError, UsageError
from trainwatch.core.model.observations import AttemptEnd, CheckpointReading, Job
from trainwatch.core.model.policies import Round
from trainwatch.core.model.state import Attempt, RunState
from trainwatch.core.ours import Ours

NOW = 1_800_000_000.0
DAY_S = 86_400.0
OURS = Ours(job_name="tr*")


class World:
    """A run with a folder of checkpoints, and a hand-wound clock."""

    def __init__(self, root: Path, settings: CheckpointSettings, *, acts: bool = True) -> None:
        self.root, self.now = root, NOW
        self.scheduler, self.state = MemoryScheduler(), RunState(run="tr", log="log")
        self.settings = settings
        self.run = RunSettings(log="log", name="tr", checkpoints=settings, slurm=OURS)
        self.looking = Looking(self.desk, acts=acts, waits=True)
        self.looking.add(self.run)

    def desk(self, run: RunSettings | None = None) -> Desk:
        if not self.root.exists():
            raise UsageError("nothing says where")
        return Desk(
            root=str(self.root),
            settings=self.settings,
            ours=OURS,
            lister=Lister(self.root, 1e9, lambda: 0.0, lambda _: None),
            trash=Trash(self.root, lambda: 0.0, lambda _: None),
            scheduler=self.scheduler,
            state=lambda: self.state,
            now=lambda: self.now,
        )

    def tick(self) -> CheckpointReading | None:
        told = self.looking.tick(self.now)
        (found,) = told.get("tr", (None,))
        assert found is None or isinstance(found, CheckpointReading)
        return found


def made(tmp_path: Path, settings: CheckpointSettings, *, acts: bool = True) -> World:
    root = tmp_path / "checkpoints"
    for n in range(10, 80, 10):
        save(root, n)
    track(root, 70)
    return World(root, settings, acts=acts)


def test_a_reading_now_and_then(tmp_path: Path) -> None:
    world = made(tmp_path, CheckpointSettings(keep_last=2))
    reading = world.tick()
    assert reading is not None
    assert (reading.at, reading.latest, len(reading.found)) == (NOW, "global_step70", 7)
    world.now += 300.0
    assert world.tick() is None
    world.now += 301.0
    assert world.tick() is not None
    assert names(world.root) == list(range(10, 80, 10))


def test_it_prunes_only_when_allowed_and_empties_the_trash_after_its_days(tmp_path: Path) -> None:
    world = made(tmp_path, CheckpointSettings(keep_last=2, apply=True, trash_days=3))
    world.tick()
    assert names(world.root) == [60, 70]
    trash = world.desk().trash
    assert len(trash.holds(trash.operations()[0])) == 5
    world.now += 2 * DAY_S
    world.tick()
    assert trash.operations()[0].state == "done"
    world.now += 1.1 * DAY_S
    world.tick()
    assert trash.operations()[0].state == "emptied"


def test_a_screen_that_watches_by_itself_only_looks(tmp_path: Path) -> None:
    world = made(tmp_path, CheckpointSettings(keep_last=2, apply=True), acts=False)
    reading = world.tick()
    assert reading is not None
    assert reading.prunable_bytes == 1000
    assert names(world.root) == list(range(10, 80, 10))


def test_what_an_attempt_went_on_from_stays(tmp_path: Path) -> None:
    world = made(tmp_path, CheckpointSettings(keep_last=2, apply=True))
    world.state = RunState(run="tr", log="log", attempts=(Attempt(index=0, loaded_iteration=30),))
    world.tick()
    assert names(world.root) == [30, 60, 70]


def test_troubles_are_remarks_and_end_nothing(tmp_path: Path) -> None:
    world = World(tmp_path / "nowhere", CheckpointSettings(keep_last=2))
    assert world.tick() is None
    assert world.looking.remarks("tr") == ("checkpoints: nothing says where",)
    assert world.looking.troubles("tr") == {"checkpoints": "nothing says where"}
    for n in (10, 20):
        save(world.root, n)
    (world.root / "latest").write_text("rubbish")
    world.now += 700.0
    assert world.tick() is not None
    assert any("latest holds 'rubbish'" in each for each in world.looking.remarks("tr"))
    assert world.looking.remarks("another") == ()
    assert world.looking.troubles("tr") == world.looking.troubles("another") == {}


def test_a_reading_says_why_each_stays_or_goes_and_what_the_rounds_are(tmp_path: Path) -> None:
    rounds = (Round(target=50, save_interval=10), Round(target=500, save_interval=18))
    world = made(tmp_path, CheckpointSettings(keep_last=2, rounds=rounds))
    reading = world.tick()
    assert reading is not None
    assert reading.rounds == rounds
    assert (reading.policy, reading.prunes, reading.refused) == ("the last 2", False, ())
    told = {one.iteration: (one.state, one.keeps, one.goes) for one in reading.found}
    assert told[10] == ("complete", "", "no policy keeps it")
    assert told[60] == ("complete", "one of the last 2", "")
    assert told[70][1] == "one of the last 2; the newest complete one; latest names it"


def test_without_a_policy_all_stay(tmp_path: Path) -> None:
    reading = made(tmp_path, CheckpointSettings(path="there")).tick()
    assert reading is not None
    assert (reading.policy, reading.prunable_bytes) == ("", None)
    assert {one.goes for one in reading.found} == {""}
    assert reading.found[0].keeps == "nothing is removed"
    assert reading.found[-1].keeps == "the newest complete one; latest names it"


def test_what_the_watcher_removed_is_in_no_reading(tmp_path: Path) -> None:
    reading = made(tmp_path, CheckpointSettings(keep_last=2, apply=True)).tick()
    assert reading is not None
    assert [one.iteration for one in reading.found] == [60, 70]
    assert (reading.prunes, reading.prunable_bytes) == (True, 0)


def job(state: str, reason: str = "", job_id: str = "7") -> Job:
    return Job(job_id=job_id, array_job_id=job_id, name="tr11", state=state, reason=reason)


@pytest.fixture
def ended(tmp_path: Path) -> World:
    """A run whose job has ended, by Slurm's books."""
    world = made(tmp_path, CheckpointSettings(rounds=(Round(target=40, save_interval=10),)))
    world.state = RunState(run="tr", log="log", attempts=(Attempt(index=0, job_id="7"),))
    world.scheduler.books["7"] = AttemptEnd(job_id="7", state="COMPLETED", end=NOW - 60)
    return world


def test_a_round_is_finished_when_the_job_is_proven_stopped(ended: World) -> None:
    desk = ended.desk()
    plan = desk.finish(desk.lister.look(NOW), 1)
    assert plan.refused == ()
    assert desk.apply(plan, "me").failed == ()
    assert names(ended.root) == [10, 20, 30, 40]
    assert (ended.root / "latest").read_text() == "global_step40"


@pytest.mark.parametrize(
    ("jobs", "said"),
    [
        ((job("RUNNING"),), "job 7 is running: stop it first"),
        ((job("COMPLETING"),), "job 7 is completing"),
        ((job("PENDING", "Priority", "8"),), "job 8 waits and may start at any moment"),
        ((job("PENDING", "JobHeldUser", "8"),), ""),
    ],
)
def test_a_job_that_runs_or_may_start_refuses_it(
    ended: World, jobs: tuple[Job, ...], said: str
) -> None:
    ended.scheduler.jobs = jobs
    desk = ended.desk()
    refused = desk.finish(desk.lister.look(NOW), 1).refused
    assert bool(refused) == bool(said)
    assert not said or said in refused[0]


def test_a_queue_that_does_not_answer_is_no_proof(ended: World) -> None:
    ended.scheduler.trouble = "Unable to contact slurm controller"
    desk = ended.desk()
    assert "not known whether the job runs" in desk.finish(desk.lister.look(NOW), 1).refused[0]


def test_a_pattern_that_never_matched_is_no_proof(ended: World) -> None:
    ended.state = RunState(run="tr", log="log")
    desk = ended.desk()
    assert "no job was ever seen that matches" in desk.finish(desk.lister.look(NOW), 1).refused[0]


def test_a_job_that_starts_between_the_plan_and_its_doing_stops_it(ended: World) -> None:
    desk = ended.desk()
    plan = desk.finish(desk.lister.look(NOW), 1)
    ended.scheduler.jobs = (job("RUNNING", job_id="9"),)
    with pytest.raises(TrainwatchError, match="job 9 is running"):
        desk.apply(plan, "me")
    assert len(names(ended.root)) == 7
    assert (ended.root / "latest").read_text() == "global_step70"


def test_what_the_next_round_wrote_is_not_taken_for_overshoot(ended: World) -> None:
    desk = ended.desk()
    desk.apply(desk.finish(desk.lister.look(NOW), 1), "me")
    for n in (54, 72):
        save(ended.root, n)
    track(ended.root, 72)
    refused = desk.finish(desk.lister.look(NOW), 1).refused
    assert "round 1 was finished before" in refused[0]
    assert desk.finish(desk.lister.look(NOW), 1, again=True).refused == ()
