"""A job of the chain minute by minute: successor, heartbeat, share, and its end. The clock is hand-wound."""

from collections.abc import Sequence
from pathlib import Path

import pytest
from msgspec.structs import replace

from tests.app.cron.test_share import Cluster as Runs
from tests.app.cron.test_share import own
from tests.fakes import MemoryHands, MemoryScheduler
from trainwatch.adapters.store.chain import ChainFile
from trainwatch.adapters.store.shards import ShardFiles
from trainwatch.app.cron.chain import Chain
from trainwatch.app.cron.ground import Ground, Place
from trainwatch.app.cron.keeper import Keeper
from trainwatch.app.cron.share import Share
from trainwatch.app.daemon import Daemon
from trainwatch.app.queueing import Queues
from trainwatch.core.chain import job_name
from trainwatch.core.model.chain import ChainRecord
from trainwatch.core.model.cron import CronStatus, ScriptStatus
from trainwatch.core.model.observations import Job, ScriptReading
from trainwatch.core.model.status import Status
from trainwatch.core.slurm.submitting import Submission

NAME = job_name("/state")
JOB = Submission(script="#!/bin/bash\n", name=NAME)
T0, LOST_S = 1_000_000_200.0, 240.0


class Scripts:
    """One that failed, told once."""

    def __init__(self) -> None:
        self.busy = self.closed = self.winding = False
        self.troubles = ()
        self.ticks = 0

    def tick(self, now: float, ends_at: float | None = None) -> Sequence[ScriptReading]:
        self.ticks += 1
        if self.ticks > 1:
            return ()
        return (ScriptReading(at=now, script="cron.daily/quota", exit_code=1),)

    def statuses(self, now: float) -> tuple[ScriptStatus, ...]:
        return (ScriptStatus(name="cron.daily/quota", period="daily", outcome="failed"),)

    def wind_down(self) -> None:
        self.winding = True

    def close(self, now: float, patience_s: float = 0.0) -> Sequence[ScriptReading]:
        self.closed = True
        return ()


class World:
    """One task of a chain's job, and what it stands on."""

    def __init__(self, folder: Path, task: int = 0, shards: int = 1) -> None:
        self.scheduler = MemoryScheduler()
        self.hands = MemoryHands(self.scheduler)
        self.scheduler.jobs = tuple(self.job(n, shards) for n in range(shards))
        self.runs, self.scripts = Runs(), Scripts()
        self.published, self.reasons = list[CronStatus](), list[str]()
        self.file, self.beats = ChainFile(folder), ShardFiles(folder)
        self.file.write(ChainRecord(wanted=True, at=T0, job=JOB, last_job="7"))
        self.share = Share(self.runs, task, shards, T0, LOST_S)
        ground = Ground(
            chain=Chain(NAME, "me", self.file, self.hands, 600.0, JOB),
            tends=True,
            scheduler=self.scheduler,
            beats=self.beats,
            publish=self.published.append,
            record=self.file.read,
            status_of=lambda name: Status(run=name, health="ok"),
            hands_of=lambda run: None,
            kept="chain",
            mode="daemon",
            interval_s=600.0,
            hand_over_s=120.0,
            lost_s=LOST_S,
        )
        place = Place("7", task, shards, "node1")
        stop = self.reasons.append
        self.keeper = Keeper(ground, place, self.share, stop, self.scripts, patience_s=5.0)
        self.queues = Queues(self.scheduler, {}, 60.0, patience_s=5.0)
        self.daemon = Daemon([], heartbeat_s=30.0, queues=self.queues, keeper=self.keeper)
        self.now = T0

    def job(self, task: int, shards: int) -> Job:
        job_id = f"7_{task}" if shards > 1 else "7"
        end = T0 + 72_000.0
        return Job(job_id=job_id, array_job_id="7", name=NAME, state="RUNNING", user="me", end=end)

    def begin(self) -> None:
        jobs = self.keeper.begin(self.now)
        if jobs is not None:
            self.queues.prime(jobs, self.now)
        for found in self.share.first():
            self.keeper.adopt(found, self.daemon)
        self.keeper.beat(self.now, self.daemon)

    def pass_minutes(self, minutes: float) -> None:
        """Tick each quarter of a minute."""
        until = self.now + 60.0 * minutes
        while self.now < until:
            self.now += 15.0
            self.daemon.tick(self.now)

    def waiting(self) -> list[str]:
        return [job.array_job_id for job in self.scheduler.jobs if job.state == "PENDING"]


@pytest.fixture
def world(tmp_path: Path) -> World:
    made = World(tmp_path)
    made.begin()
    return made


def test_the_successor_is_there_before_anything_is_read(world: World) -> None:
    assert world.waiting() == ["1001"]
    assert world.published[-1].health == "ok"
    assert world.published[-1].successor is not None


def test_an_hour_costs_a_question_a_minute_and_no_second_successor(world: World) -> None:
    asked = world.scheduler.asked
    world.pass_minutes(60)
    assert world.scheduler.asked - asked <= 60
    assert len(world.hands.submitted) == 1
    assert len(world.published) == pytest.approx(60, abs=2)
    assert {status.health for status in world.published} == {"ok"}
    assert [beat.at for beat in world.beats.read()] == [pytest.approx(world.now, abs=60.0)]
    assert world.reasons == []


def test_a_successor_that_is_lost_is_back_within_two_minutes(world: World) -> None:
    world.pass_minutes(5)
    world.hands.cancel(["1001"])
    world.pass_minutes(2)
    assert world.waiting() == ["1002"]


def test_while_the_queue_is_unknown_nothing_is_done_and_it_is_said(world: World) -> None:
    world.pass_minutes(1)
    world.scheduler.trouble = "Unable to contact slurm controller"
    world.pass_minutes(10)
    blind = world.published[-1]
    assert (blind.health, "Unable to contact" in blind.why) == ("unknown", True)
    assert len(world.hands.submitted) == 1
    world.scheduler.trouble = ""
    world.pass_minutes(6)
    assert world.published[-1].health == "ok"


def test_a_chain_that_was_stopped_ends(world: World) -> None:
    record = world.file.read()
    assert record is not None
    world.file.write(replace(record, wanted=False))
    world.pass_minutes(2)
    assert world.reasons[0] == "the chain was stopped"
    assert world.waiting() == []


def test_without_a_signal_it_ends_by_its_own_clock(world: World) -> None:
    world.now = T0 + 72_000.0 - 180.0
    world.pass_minutes(1)
    assert world.reasons == []
    world.pass_minutes(1.5)
    assert "no signal came" in world.reasons[0]


def test_a_script_that_failed_is_told_to_one_run_and_shown(world: World) -> None:
    world.pass_minutes(2)
    alerts = [run.status(world.now).alerts for run in world.daemon.runs]
    assert [alert.rule for found in alerts for alert in found] == ["script-failed"]
    assert world.published[-1].scripts[0].outcome == "failed"


def test_at_the_end_it_tries_again_for_a_successor(tmp_path: Path) -> None:
    world = World(tmp_path)
    world.scheduler.trouble = "Unable to contact slurm controller"
    world.begin()
    assert world.waiting() == []
    pauses = list[float]()

    def pause(seconds: float) -> None:
        pauses.append(seconds)
        world.now += seconds
        if len(pauses) == 3:
            world.scheduler.trouble = ""

    world.keeper.finish(lambda: world.now, pause, lambda: 75.0)
    assert world.waiting() == ["1001"]
    assert len(pauses) == 3


def test_scripts_end_before_the_stores_are_closed(world: World) -> None:
    world.keeper.end_scripts(world.now, world.daemon)
    assert world.scripts.closed


def test_the_lowest_task_that_runs_leads(tmp_path: Path) -> None:
    first, second = World(tmp_path / "a", 0, 2), World(tmp_path / "b", 1, 2)
    first.begin()
    second.begin()
    assert (first.keeper.leads, second.keeper.leads) == (True, False)
    assert (len(first.hands.submitted), len(second.hands.submitted)) == (1, 0)
    assert (first.scripts.ticks, second.scripts.ticks) == (0, 0)
    second.pass_minutes(1)
    assert second.scripts.ticks == 0
    second.scheduler.jobs = second.scheduler.jobs[1:]  # the node of the first is gone
    second.pass_minutes(2)
    assert second.keeper.leads
    assert second.scripts.ticks > 0
    assert second.waiting() == ["1001"]


def test_the_runs_of_a_lost_shard_are_watched_and_said_to_be_taken(tmp_path: Path) -> None:
    world = World(tmp_path, 1, 2)
    world.begin()
    world.runs.beats = dict.fromkeys(own(0), T0)
    world.pass_minutes(3)
    assert sorted(run.name for run in world.daemon.runs) == sorted(own(1))
    assert set(world.keeper.elsewhere(world.now).values()) == {""}
    world.pass_minutes(3)
    assert len(world.daemon.runs) == 12
    (shard,) = world.beats.read()
    assert set(shard.taken_over) == set(own(0))
