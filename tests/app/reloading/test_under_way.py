"""What is under way while settings change is finished, or goes on by its ledger; nothing is done twice."""

import threading
from collections.abc import Callable
from pathlib import Path

from tests.adapters.checkpoints.disk import names
from tests.app.checkpoints.test_looking import made
from tests.app.reloading.rigs import SETTLED_S, Rig
from tests.fakes import MemoryEvidence, MemoryHands, MemoryScheduler
from trainwatch.app import clock
from trainwatch.app.checkpoints.desk import Desk, Told
from trainwatch.app.checkpoints.looking import Looking
from trainwatch.app.checkpoints.settings import CheckpointSettings
from trainwatch.app.config import RunSettings
from trainwatch.app.deeds import Call
from trainwatch.app.hands import Hands
from trainwatch.core.checkpoints.survey import Survey
from trainwatch.core.model.observations import DeedReading

FAST = "poll_interval_s = 1\n"


def doing(rig: Rig, free: threading.Event) -> Hands:
    """Hands with a deed under way that ends when it is let go."""
    scheduler = MemoryScheduler()
    hands = Hands(scheduler, MemoryHands(scheduler), MemoryEvidence(), {}, interval_s=60.0)
    begun = DeedReading(at=rig.now, hand="cancel", cause="stall:1", outcome="begun")

    def do(_: Callable[[], bool]) -> DeedReading:
        assert free.wait(30)
        return begun

    hands._calls["one"] = Call(begun, do, rig.now)
    rig.daemon.beside = rig.daemon.beside._replace(hands=hands)
    return hands


def test_a_deed_on_jobs_is_heard_of_before_others_take_over(tmp_path: Path) -> None:
    rig, free = Rig(tmp_path, ""), threading.Event()
    rig.begin()
    hands = doing(rig, free)
    rig.edit(FAST, "one")
    rig.pass_s(SETTLED_S + 60)
    assert rig.took == []
    free.set()
    hands.finish(rig.daemon.runs, rig.now, 10.0)
    rig.pass_s(10)
    assert rig.took == [1]
    rig.close()


def test_a_deed_that_hangs_does_not_keep_settings_out_for_ever(tmp_path: Path) -> None:
    rig, free = Rig(tmp_path, ""), threading.Event()
    rig.begin()
    doing(rig, free)
    rig.edit(FAST, "one")
    rig.pass_s(SETTLED_S + 300)
    assert rig.took == [1]
    free.set()
    rig.close()


def test_a_look_that_is_closed_prunes_nothing_by_settings_that_are_no_more(tmp_path: Path) -> None:
    world = made(tmp_path, CheckpointSettings(keep_last=2, apply=True))
    looks, free, desks = threading.Event(), threading.Event(), list[Desk]()

    class Slow:
        """A listing that takes its time."""

        def look(self, now: float, told: Told | None = None, anew: object = ()) -> Survey:
            looks.set()
            assert free.wait(30)
            return desks[0].lister.look(now)

    def make(_: RunSettings) -> Desk:
        desks.append(world.desk())
        return desks[0]._replace(lister=Slow())

    looking = Looking(make, acts=True)
    looking.add(world.run)
    looking.tick(world.now)
    assert looks.wait(10)
    looking.close()
    free.set()
    assert looking._runs["tr"].probe._done.wait(10)
    assert names(world.root) == list(range(10, 80, 10))


def test_what_was_sent_is_not_sent_again_by_who_takes_over(tmp_path: Path) -> None:
    root, to = tmp_path / "root", tmp_path / "there"
    for folder in (root, to):
        folder.mkdir()
    (root / "a.txt").write_text("hello")
    route = f'[[sync]]\nname = "r"\nroot = "{root}"\nwhat = ["*.txt"]\nto = "{to}"\ncalm_min = 0\n'
    rig = Rig(tmp_path, route)
    rig.begin()

    def commits() -> list[int | None]:
        return [each.commits for each in rig.status().syncs]

    ends = clock.elapsed() + 60.0
    while commits() != [1] and clock.elapsed() < ends:
        clock.wait(0.05)
        rig.pass_s(1)
    assert commits() == [1]
    before = rig.daemon.beside.sources
    rig.edit(f'{route}[[disks]]\npath = "{tmp_path}"\n', "one")
    rig.pass_s(SETTLED_S)
    assert rig.daemon.beside.sources is not before
    for _ in range(20):
        clock.wait(0.05)
        rig.pass_s(5)
    assert commits() == [1]
    assert rig.status().warnings == ()
    rig.close()
