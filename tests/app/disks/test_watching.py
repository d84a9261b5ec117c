"""Disks under watch: what is asked when, what is told, and what is said of what hangs or fails."""

import threading
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.adapters.test_disks import program
from trainwatch.adapters import disks as adapter
from trainwatch.app import wirehouse
from trainwatch.app.config import RunSettings, Settings
from trainwatch.app.disks.settings import DiskSettings
from trainwatch.app.disks.watching import Disks, Eyes, Scanned
from trainwatch.app.sources import EVERY
from trainwatch.core.disks.values import Allowance, Asked, Quota, Room
from trainwatch.core.errors import DiskUnknown
from trainwatch.core.model.observations import DiskReading
from trainwatch.core.strays import Found

T0, MIN = 1_790_000_000.0, 60.0
GB = 10**9
SCRATCH = DiskSettings(path="/scratch")
LIMITED = DiskSettings(path="/scratch", quota="lustre")


class World:
    """Disks that answer as a test wants: at once, with a failure, or not before they are let go."""

    def __init__(self) -> None:
        self.asked = list[object]()
        self.trouble = self.quota_trouble = ""
        self.free = 100
        self.used = 10
        self.files = list[Found]()
        self.gate = threading.Event()
        self.gate.set()

    def room(self, path: str) -> Room:
        self.asked.append(path)
        self.gate.wait(20.0)
        if self.trouble:
            raise DiskUnknown(self.trouble)
        return Room(bytes_total=1000, bytes_free=self.free)

    def quota(self, kind: str, asked: Asked, at: float, deadline_s: float) -> Quota:
        self.asked.append((kind, asked, at))
        if self.quota_trouble:
            raise DiskUnknown(self.quota_trouble)
        return Quota(filesystem="", bytes=Allowance(used=self.used, hard=50))

    def scan(self, patterns: Sequence[str]) -> Scanned:
        return self.files, ("/x: Permission denied",)

    def disks(self, *settings: DiskSettings, patience_s: float = 5.0) -> Disks:
        eyes = Eyes(self.room, lambda path: ("fs0", path), self.quota, self.scan, lambda: "ada")
        made = Disks(settings, eyes, patience_s=patience_s)
        made.add(RunSettings(log="x"))
        return made


@pytest.fixture
def world() -> World:
    return World()


def told(disks: Disks, at: float) -> list[tuple[str, int | None]]:
    seen = disks.tick(at).get(EVERY, [])
    return [(each.path, each.bytes_free) for each in seen if isinstance(each, DiskReading)]


def soon(disks: Disks, at: float) -> list[tuple[str, int | None]]:
    """What is told within some ticks: threads need a moment."""
    waiting = threading.Event()
    for _ in range(1000):
        if seen := told(disks, at):
            return seen
        waiting.wait(0.01)
    return []


def test_a_reading_when_it_is_time(world: World) -> None:
    disks = world.disks(SCRATCH)
    assert told(disks, T0) == [("/scratch", 100)]
    assert told(disks, T0 + 9 * MIN) == []
    world.free = 90
    assert told(disks, T0 + 10 * MIN) == [("/scratch", 90)]
    assert told(disks, T0 - 5 * MIN) == [("/scratch", 90)]  # a clock that was set back
    assert disks.remarks("run") == []


def test_of_a_quota_and_its_filesystem_what_ends_first(world: World) -> None:
    disks = world.disks(LIMITED)
    assert told(disks, T0) == [("/scratch", 40)]
    kind, asked, at = next(each for each in world.asked if isinstance(each, tuple))
    assert (kind, asked.user, asked.names, at) == ("lustre", "ada", ("fs0", "/scratch"), T0)
    world.free = 7
    assert told(disks, T0 + 10 * MIN) == [("/scratch", 7)]


def test_without_its_quota_a_disk_is_unknown_and_asked_for_less_and_less_often(
    world: World,
) -> None:
    disks = world.disks(LIMITED)
    world.quota_trouble = "lfs: no such user \x1b[2J"
    assert told(disks, T0) == []
    assert disks.remarks("run") == ["disk /scratch: lfs: no such user  [2J"]
    asked_at = [each[2] for each in world.asked if isinstance(each, tuple)]
    for minute in range(1, 300):
        assert told(disks, T0 + minute * MIN) == []
        asked_at = [each[2] for each in world.asked if isinstance(each, tuple)]
    assert [(at - T0) / MIN for at in asked_at] == [0, 20, 60, 120, 180, 240]
    world.quota_trouble = ""
    assert told(disks, T0 + 300 * MIN) == [("/scratch", 40)]
    assert disks.remarks("run") == []


def test_what_hangs_is_said_never_asked_twice_and_told_when_it_answers(world: World) -> None:
    world.gate.clear()
    disks = world.disks(SCRATCH, patience_s=0.0)
    for second in range(0, 7200, 15):
        assert told(disks, T0 + second) == []
        hangs = ["disk /scratch: /scratch gives no answer: does its filesystem hang?"]
        assert disks.remarks("run") == (hangs if second >= 30 else [])
        why = {"disk /scratch": "/scratch gives no answer: does its filesystem hang?"}
        assert disks.troubles("run") == (why if second >= 30 else {})
    world.gate.set()
    assert soon(disks, T0 + 7200) == [("/scratch", 100)]
    assert world.asked == ["/scratch"]
    assert disks.remarks("run") == []
    disks.close()


def test_a_hung_disk_keeps_no_other_from_being_told_of(world: World) -> None:
    def room(path: str) -> Room:
        if path == "/hung":
            world.gate.wait(20.0)
        return Room(bytes_total=9, bytes_free=5)

    world.gate.clear()
    eyes = Eyes(room, lambda path: (), world.quota, world.scan, lambda: "ada")
    settings = (DiskSettings(path="/hung"), DiskSettings(path="/well"))
    disks = Disks(settings, eyes, patience_s=0.2)
    assert soon(disks, T0) == [("/well", 5)]
    assert disks.remarks("run") == ["disk /hung: /hung gives no answer: does its filesystem hang?"]
    world.gate.set()


def test_two_quotas_of_one_path_ask_for_its_room_once(world: World) -> None:
    mine = DiskSettings(path="/scratch", name="mine", quota="quota", interval_min=30)
    ours = DiskSettings(path="/scratch", name="ours", quota="quota", group="six")
    disks = world.disks(mine, ours)
    assert told(disks, T0) == [("mine", 40), ("ours", 40)]
    assert world.asked.count("/scratch") == 1
    assert told(disks, T0 + 10 * MIN) == [("ours", 40)]
    world.trouble = "/scratch: Stale file handle"
    assert told(disks, T0 + 20 * MIN) == []
    assert disks.remarks("run") == [
        f"disk {name}: /scratch: Stale file handle" for name in ("mine", "ours")
    ]


def test_an_error_that_nobody_foresaw_ends_nothing(world: World) -> None:
    def broken(path: str) -> Room:
        raise ZeroDivisionError(path)

    eyes = Eyes(broken, lambda path: (), world.quota, world.scan, lambda: "ada")
    disks = Disks([SCRATCH], eyes, patience_s=5.0)
    assert told(disks, T0) == []
    assert disks.remarks("run") == ["disk /scratch: asking failed with ZeroDivisionError: /scratch"]


def test_strays_are_remarked_and_go_with_readings(world: World) -> None:
    disks = world.disks(DiskSettings(path="/scratch", watch=("/scratch/logs",), output_gb=5))
    world.files = [
        Found("/scratch/logs/core.7", "core", 23 * GB),
        Found("/scratch/logs/a.out", "output", 6 * GB),
        Found("/scratch/logs/b.out", "output", 5 * GB),
    ]
    disks.tick(T0)
    lines = ("23 GB /scratch/logs/core.7: core file", "6 GB /scratch/logs/a.out: large output")
    assert disks.remarks("run") == [
        "disk /scratch: /x: Permission denied",
        *(f"disk /scratch: look at {line}" for line in lines),
    ]
    seen = disks.tick(T0 + 10 * MIN)[EVERY][0]
    assert isinstance(seen, DiskReading)
    assert seen.strays == lines


# the real thing


def test_a_real_disk_and_a_real_command(tmp_path: Path) -> None:
    path = program(tmp_path, "echo 'used 30 of 100'")
    own = DiskSettings(
        path=str(tmp_path),
        name="own",
        quota="own",
        command=(path,),
        pattern=r"used (?P<bytes_used>\d+) of (?P<bytes_total>\d+)",
    )
    sources = wirehouse.sources(
        Settings(disks=(own,)), (), state_dir=tmp_path, acts=False, once=True
    )
    (seen,) = sources.tick(T0)[EVERY]
    assert isinstance(seen, DiskReading)
    assert (seen.path, seen.folder, seen.bytes_total, seen.bytes_free) == (
        *("own", str(tmp_path)),
        *(100, 70),
    )
    assert seen.inodes_total == adapter.room(str(tmp_path)).inodes_total
    assert sources.remarks("run") == ()
    sources.close()


def test_a_real_command_that_hangs(tmp_path: Path) -> None:
    path = program(tmp_path, "sleep 300")
    own = DiskSettings(
        path=str(tmp_path),
        quota="own",
        command=(path,),
        pattern=r"(?P<bytes_free>\d+)",
        deadline_s=0.2,
    )
    sources = wirehouse.sources(
        Settings(disks=(own,)), (), state_dir=tmp_path, acts=False, once=True
    )
    assert sources.tick(T0) == {}
    assert sources.remarks("run") == (f"disk {tmp_path}: {path} gave no answer in 0.2 s",)
    sources.close()


def test_without_disks_there_is_no_source(tmp_path: Path) -> None:
    assert wirehouse.sources(Settings(), (), state_dir=tmp_path, acts=False).tick(T0) == {}
