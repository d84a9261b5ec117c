"""A job of the chain goes on by other settings: chain, successor and a script that runs do not notice."""

from collections.abc import Iterator, Sequence
from pathlib import Path

import pytest

from tests.app.cron.test_keeper import JOB, NAME, Scripts
from tests.app.reloading.rigs import SETTLED_S
from tests.app.rigs import NOW, iteration
from tests.fakes import MemoryHands, MemoryScheduler
from trainwatch.app import config
from trainwatch.app.configfile import ConfigFile
from trainwatch.app.cron.chain import Chain
from trainwatch.app.cron.ground import Place
from trainwatch.app.cron.keeper import Keeper
from trainwatch.app.cron.renewing import Job
from trainwatch.app.cron.share import Share
from trainwatch.app.cron.wire import CronSite
from trainwatch.app.reload import Reload
from trainwatch.app.wire import Site
from trainwatch.core.model.chain import ChainRecord
from trainwatch.core.model.cron import CronStatus
from trainwatch.core.model.observations import Job as SlurmJob


class World:
    """The only job of a chain, over real logs and stores; the queue is one in memory."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path, self.now = folder, folder / "trainwatch.toml", NOW
        self.said, self.published = list[str](), list[CronStatus]()
        self.edit("", "one", "two")
        self.site = Site(config.load(self.path), folder / "state", config_path=self.path)
        cron = CronSite(self.site)
        self.scheduler = MemoryScheduler()
        self.hands, end = MemoryHands(self.scheduler), NOW + 72_000.0
        mine = SlurmJob(
            job_id="7", array_job_id="7", name=NAME, state="RUNNING", user="me", end=end
        )
        self.scheduler.jobs = (mine,)
        cron.files.file.write(ChainRecord(wanted=True, at=NOW, job=JOB, last_job="7"))
        ground = cron.ground(1, tends=True)._replace(
            chain=Chain(NAME, "me", cron.files.file, self.hands, 600.0, JOB),
            scheduler=self.scheduler,
            publish=self.published.append,
        )
        self.share, self.scripts = Share(cron, 0, 1, NOW, ground.lost_s), Scripts()
        place = Place("7", 0, 1, "node1")
        self.keeper = Keeper(
            ground, place, self.share, lambda _: None, self.scripts, patience_s=5.0
        )
        self.keeper.begin(NOW)
        self.daemon = cron.daemon(self.keeper, once=False)
        for found in self.share.first():
            self.keeper.adopt(found, self.daemon)
        job = Job(self.daemon, self.site, self.keeper, ground, self.share)
        file = ConfigFile(lambda: config.read(self.path), str(self.path), patience_s=10.0)
        self.reload = Reload(job, file, self.said.append, now=NOW, is_job=True)

    def edit(self, text: str, *runs: str) -> None:
        for run in runs:
            log = self.folder / f"{run}.log"
            if not log.exists():
                log.write_bytes(b"".join(map(iteration, range(1, 31))))
        tables = [f'[[runs]]\nname = "{run}"\nlog = "{self.folder}/{run}.log"\n' for run in runs]
        self.path.write_text("\n".join([text, *tables]))

    def pass_s(self, seconds: float) -> None:
        until = self.now + seconds
        while self.now < until:
            self.now += 5.0
            while self.daemon.tick(self.now):
                pass
            self.reload.tick(self.now)

    def watched(self) -> Sequence[str]:
        return [run.name for run in self.daemon.runs]

    def is_held(self, run: str) -> bool:
        chosen = config.RunSettings(name=run, log=f"{self.folder}/{run}.log")
        return self.site.reader(chosen).is_held()


@pytest.fixture
def world(tmp_path: Path) -> Iterator[World]:
    made = World(tmp_path)
    made.pass_s(60)
    yield made
    made.daemon.close()
    made.reload.close()


def test_runs_come_and_go_and_the_chain_does_not_notice(world: World) -> None:
    assert world.watched() == ["one", "two"]
    world.edit("", "two", "three")
    world.pass_s(SETTLED_S + 60)
    assert sorted(world.watched()) == ["three", "two"]
    assert [world.is_held(run) for run in ("one", "two", "three")] == [False, True, True]
    assert set(world.published[-1].shards[0].runs) == {"two", "three"}
    assert len(world.hands.submitted) == 1
    assert "runs.one, runs.three changed" in world.said[0]


def test_what_is_wrong_is_shown_by_cron_status_until_it_is_mended(world: World) -> None:
    world.edit("[cron]\npartitoin = 'cpu'\n", "one", "two")
    world.pass_s(SETTLED_S + 90)
    assert any("unknown key 'cron.partitoin'" in why for why in world.published[-1].troubles)
    assert world.watched() == ["one", "two"]
    world.edit("", "one", "two")
    world.pass_s(SETTLED_S + 90)
    assert world.published[-1].troubles == ()
    assert len(world.said) == 2


def test_the_chains_own_settings_are_the_next_jobs(world: World) -> None:
    world.edit("[cron]\npartition = 'cpu'\nhand_over_min = 5\n", "one")
    world.pass_s(SETTLED_S + 90)
    assert "[cron] holds from the chain's next job on" in world.said[0]
    assert "cron.partition, cron.hand_over_min" in world.said[0]
    assert world.keeper._ground.hand_over_s == 120
    assert world.watched() == ["one"]
    assert len(world.hands.submitted) == 1


def test_a_script_that_runs_is_not_cut_off_for_other_settings(world: World) -> None:
    world.scripts.busy = True
    hourly = world.folder / "cron.hourly"
    hourly.mkdir(mode=0o700)
    world.edit(f"[scripts]\nhourly = ['{hourly}']\n", "one", "two")
    world.pass_s(SETTLED_S + 60)
    assert world.scripts.winding
    assert not world.scripts.closed
    assert world.keeper._scripts is world.scripts
    world.scripts.busy = False
    world.pass_s(10)
    assert [world.scripts.closed, world.keeper._scripts is world.scripts] == [True, False]
    world.keeper.end_scripts(world.now, world.daemon)
