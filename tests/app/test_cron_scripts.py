"""Days of hourly and daily scripts, minute by minute, with a hand-wound clock and a real ledger."""

import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, nullcontext
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest

from tests.fakes import MemoryHands, MemoryScheduler
from trainwatch.adapters.scripts import LedgerFile
from trainwatch.app.cron.jobs import BatchJobs
from trainwatch.app.cron.scripts import Scripts
from trainwatch.core.errors import LeaseHeld, UsageError
from trainwatch.core.model.cron import ScriptStatus
from trainwatch.core.model.observations import AttemptEnd, ScriptReading
from trainwatch.core.model.scripts import Ended, Listing, Process
from trainwatch.core.periods import Grid, Period

MIN, H, DAY = 60.0, 3600.0, 86_400.0
PARIS = ZoneInfo("Europe/Paris")
BATCH = "#!/bin/bash\n#SBATCH --time=10\nsrun true\n"


def at(text: str, fold: int = 0) -> float:
    return datetime.fromisoformat(text).replace(tzinfo=PARIS, fold=fold).timestamp()


def offset_at(moment: float) -> float:
    offset = datetime.fromtimestamp(moment, PARIS).utcoffset()
    assert offset is not None
    return offset.total_seconds()


class Act:
    """What a script does: takes its time, exits."""

    def __init__(self, takes_s: float = 5.0, code: int = 0, tail: str = "") -> None:
        self.takes_s, self.code, self.tail = takes_s, code, tail
        self.breaks: OSError | None = None


class World:
    """A machine, its folders and its clock. Processes belong to a watcher and die when told to."""

    def __init__(self, tmp_path: Path) -> None:
        self.now = at("2026-05-04T00:00")
        self.folders = {"/h/cron.hourly": Listing(), "/h/cron.daily": Listing()}
        self.acts = dict[str, Act]()
        self.begun = list[tuple[float, str]]()
        self.living = dict[int, str]()  # pid -> path; "" of a watcher
        self.ledger_path = tmp_path / "scripts.json"
        self.full = self.held = False
        self.pids = 100

    def put(self, path: str, act: Act | None = None) -> None:
        folder, _, name = path.rpartition("/")
        names = self.folders.get(folder, Listing()).names
        self.folders[folder] = Listing(names=tuple(sorted({*names, name})))
        self.acts[path] = act or Act()

    def remove(self, path: str) -> None:
        folder, _, name = path.rpartition("/")
        names = self.folders[folder].names
        self.folders[folder] = Listing(names=tuple(n for n in names if n != name))

    def born(self, path: str = "") -> int:
        self.pids += 1
        self.living[self.pids] = path
        return self.pids

    def ledger(self) -> LedgerFile:
        return LedgerFile(self.ledger_path, self._replace, self._hold)

    def times(self, name: str) -> list[str]:
        """When a script began, as `04 09:00`."""
        found = [moment for moment, path in self.begun if path.endswith(name)]
        return [f"{datetime.fromtimestamp(moment, PARIS):%d %H:%M}" for moment in found]

    def _replace(self, path: Path, data: bytes) -> None:
        if self.full:
            raise OSError(28, "No space left on device")
        path.write_bytes(data)

    @contextmanager
    def _hold(self) -> Iterator[None]:
        if self.held:
            raise LeaseHeld("another trainwatch writes it")
        yield


class Host:
    """The `Machine` of one watcher in the world."""

    def __init__(self, world: World, name: str) -> None:
        self.world = world
        self.me = Process(host=name, pid=world.born(), birth="b")

    def listed(self, path: str) -> Listing:
        return self.world.folders.get(path, Listing(trouble="no such file or directory"))

    def start(
        self,
        path: str,
        *,
        output: Path,
        heading: str,
        environment: Mapping[str, str],
        deadline_s: float,
    ) -> "Doing":
        act = self.world.acts[path]
        assert output.suffix == ".out"
        assert path in heading
        assert environment["TRAINWATCH_PERIOD"] in ("hourly", "daily")
        self.world.begun.append((self.world.now, path))
        if act.breaks is not None:
            raise act.breaks
        pid = self.world.born(path)
        return Doing(self.world, act, Process(host=self.me.host, pid=pid, birth="b"), deadline_s)

    def text(self, path: str) -> str:
        if path not in self.world.acts:
            raise UsageError("it is gone")
        return BATCH

    def make_room(self, output: Path) -> None:
        assert output.suffix == ".out"

    def alive(self, process: Process) -> bool | None:
        return process.pid in self.world.living if process.host == self.me.host else None

    def end(self, process: Process) -> None:
        self.world.living.pop(process.pid, None)


class Doing:
    """A script that runs by the world's clock."""

    def __init__(self, world: World, act: Act, process: Process, deadline_s: float) -> None:
        self.process = process
        self._world, self._act, self._began = world, act, world.now
        self._deadline_s = deadline_s

    def poll(self) -> Ended | None:
        took_s = self._world.now - self._began
        if took_s >= self._act.takes_s:
            return self._over(Ended(exit_code=self._act.code, took_s=took_s, tail=self._act.tail))
        if took_s >= self._deadline_s:
            return self._over(Ended(exit_code=None, took_s=took_s, tail=self._act.tail))
        return None

    def stop(self, patience_s: float, how: str) -> Ended:
        self._world.now += patience_s
        ended = self.poll()
        took_s = self._world.now - self._began
        return ended or self._over(Ended(exit_code=None, took_s=took_s, how=how))

    def _over(self, ended: Ended) -> Ended:
        self._world.living.pop(self.process.pid, None)
        return ended


FOLDERS: dict[Period, tuple[str, ...]] = {
    "hourly": ("/h/cron.hourly",),
    "daily": ("/h/cron.daily",),
}


class Watcher:
    """A process that watches: it ticks each minute."""

    def __init__(
        self,
        world: World,
        host: str = "login1",
        folders: Mapping[Period, tuple[str, ...]] = FOLDERS,
        scheduler: MemoryScheduler | None = None,
        hands: MemoryHands | None = None,
        deadline_s: float = 1800.0,
        ledger: LedgerFile | None = None,
    ) -> None:
        self.world, self.host = world, Host(world, host)
        jobs = BatchJobs(hands, scheduler) if hands and scheduler else None
        self.scripts = Scripts(
            folders,
            self.host,
            ledger or world.ledger(),
            Path("/state/cron/scripts"),
            Grid(offset_at=offset_at),
            deadline_s=deadline_s,
            jobs=jobs,
            patience_s=20.0,
        )
        self.told = list[ScriptReading]()

    def tick(self, ends_at: float | None = None) -> "Watcher":
        self.told += self.scripts.tick(self.world.now, ends_at)
        assert not any("failed with" in trouble for trouble in self.scripts.troubles)
        return self

    def until(self, moment: float, each: Callable[[], None] = lambda: None) -> "Watcher":
        while self.world.now < moment:
            each()
            self.tick()
            self.world.now += MIN
        return self

    def killed(self, *, with_scripts: bool = True) -> None:
        """The process is gone, without a word; with its job, so are its scripts."""
        self.scripts._probe.close()
        self.world.living.pop(self.host.me.pid)
        if with_scripts:
            for pid in [pid for pid, path in self.world.living.items() if path]:
                del self.world.living[pid]

    def codes(self, name: str) -> list[int | None]:
        return [seen.exit_code for seen in self.told if seen.script.endswith(name)]

    def status(self, name: str) -> ScriptStatus:
        (found,) = [s for s in self.scripts.statuses(self.world.now) if s.name.endswith(name)]
        return found


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


def hours(first: int, last: int, day: int = 4) -> list[str]:
    return [f"{day:02} {hour:02}:00" for hour in range(first, last)]


def test_a_day(world: World) -> None:
    """A missed night, an overlap, a failure and a hang, all in one day and the next morning."""
    world.now = at("2026-05-04T07:30")
    world.put("/h/cron.hourly/quota", Act(20.0))
    world.put("/h/cron.hourly/slow", Act(70 * MIN))
    world.put("/h/cron.daily/fails", Act(9.0, 3, "\x1b[31mno token\x1b[0m\n"))
    world.put("/h/cron.daily/hangs", Act(99 * DAY))
    first = Watcher(world, deadline_s=100 * MIN)
    first.until(at("2026-05-04T23:00"))
    first.killed()
    # each once at first sight; then the slow one and the hang delay the others, and nothing overlaps
    assert len(world.times("fails")) == len(world.times("hangs")) == 1
    assert first.codes("fails") == [3]
    assert first.told[[s.script for s in first.told].index("cron.daily/fails")].why == "no token"
    assert first.codes("hangs") == [None]
    assert set(first.codes("slow")) == {0}
    began = [moment for moment, _ in world.begun]
    assert began == sorted(began)
    per_hour = [when[:5] for when in world.times("quota")]
    assert len(per_hour) == len(set(per_hour))
    world.begun.clear()
    world.now = at("2026-05-05T09:00")
    second = Watcher(world).until(at("2026-05-05T10:00"))
    assert [path for _, path in world.begun].count("/h/cron.hourly/quota") == 1
    assert len(world.times("fails")) == len(world.times("hangs")) == 1
    assert second.codes("quota") == [0]


def test_hourly_and_daily_in_a_quiet_week(world: World) -> None:
    world.put("/h/cron.hourly/a")
    world.put("/h/cron.hourly/b", Act(90.0))
    world.put("/h/cron.daily/c")
    watcher = Watcher(world).until(world.now + 2 * DAY)
    assert len(world.times("a")) == len(world.times("b")) == 48
    # at first sight, though it is before four; then each day at four, behind the hourly ones
    assert [when[:4] for when in world.times("c")] == ["04 0", "04 0", "05 0"]
    assert world.times("c")[0] == "04 00:03"
    assert all(when[3:5] == "04" for when in world.times("c")[1:])
    assert set(watcher.codes("")) == {0}
    assert watcher.scripts.troubles == ()
    assert not watcher.scripts.busy
    status = watcher.status("cron.daily/c")
    assert (status.outcome, status.exit_code, status.period) == ("ok", 0, "daily")
    assert status.next_at == at("2026-05-06T04:00")


def test_a_missed_night(world: World) -> None:
    world.put("/h/cron.hourly/quota")
    world.put("/h/cron.daily/report")
    Watcher(world).until(at("2026-05-04T23:00")).killed()
    assert world.times("report") == ["04 00:01", "04 04:00"]
    world.begun.clear()
    world.now = at("2026-05-05T09:00")
    Watcher(world, "login2").until(at("2026-05-05T11:30"))
    assert world.times("report") == ["05 09:00"]  # whoever waited longest comes first
    assert world.times("quota") == ["05 09:01", "05 10:00", "05 11:00"]


def test_one_that_takes_longer_than_its_period_does_not_overlap(world: World) -> None:
    world.put("/h/cron.hourly/slow", Act(90 * MIN))
    watcher = Watcher(world, deadline_s=5 * H).until(at("2026-05-04T10:00"))
    assert world.times("slow") == [
        *("04 00:00", "04 01:30", "04 03:00", "04 04:30", "04 06:00", "04 07:30", "04 09:00")
    ]
    assert watcher.codes("slow") == [0] * 6
    assert watcher.status("slow").outcome == "running"
    assert watcher.scripts.busy


def test_a_hang_is_ended_and_tried_again_next_time(world: World) -> None:
    world.put("/h/cron.hourly/du", Act(99 * H, tail="4.0K\tx\n"))
    watcher = Watcher(world).until(at("2026-05-04T02:45"))
    assert world.times("du") == hours(0, 3)
    assert watcher.codes("du") == [None] * 3
    assert watcher.told[0].took_s == 1800.0
    assert (watcher.told[0].how, watcher.told[0].why) == ("", "4.0K x")
    assert watcher.status("du").why == "was ended after its deadline: 4.0K x"


def test_a_failure_and_its_end(world: World) -> None:
    act = Act(code=2, tail="a\n\nb\nTOKEN=hf_abcdefghijklmnop\nquota: 97 %\n")
    world.put("/h/cron.hourly/quota", act)
    watcher = Watcher(world).until(at("2026-05-04T00:30"))
    (seen,) = watcher.told
    assert (seen.script, seen.exit_code, seen.took_s) == ("cron.hourly/quota", 2, 60.0)
    assert seen.why == "b | TOKEN=*** | quota: 97 %"
    assert watcher.status("quota").outcome == "failed"
    act.code = 0
    watcher.until(at("2026-05-04T01:30"))
    assert watcher.codes("quota") == [2, 0]
    assert watcher.status("quota").why == ""


@pytest.mark.parametrize("host", ["login1", "login2"])
def test_a_watcher_killed_in_the_middle(world: World, host: str) -> None:
    """Its script is not begun again in that period, and is said to be lost; the next period has its run."""
    world.put("/h/cron.hourly/copy", Act(20 * MIN))
    Watcher(world).until(at("2026-05-04T00:05")).killed()
    watcher = Watcher(world, host)
    watcher.until(at("2026-05-04T00:59"))
    assert world.times("copy") == ["04 00:00"]
    (lost,) = watcher.told
    assert (lost.exit_code, lost.how) == (None, "was lost with its watcher on login1")
    # on another machine nobody knows before its deadline is over
    assert lost.at == at("2026-05-04T00:05" if host == "login1" else "2026-05-04T00:32")
    watcher.until(at("2026-05-04T01:30"))
    assert world.times("copy") == ["04 00:00", "04 01:00"]
    assert watcher.codes("copy") == [None, 0]


def test_an_orphan_is_not_doubled_and_is_ended_at_its_deadline(world: World) -> None:
    world.put("/h/cron.hourly/copy", Act(99 * H))
    Watcher(world, deadline_s=2 * H).until(at("2026-05-04T00:05")).killed(with_scripts=False)
    watcher = Watcher(world, deadline_s=2 * H).until(at("2026-05-04T02:00"))
    assert (world.times("copy"), watcher.told) == (["04 00:00"], [])
    watcher.until(at("2026-05-04T02:05"))
    assert watcher.told[0].how == "was ended after its deadline; its watcher was gone"
    assert world.times("copy") == ["04 00:00", "04 02:02"]
    assert sum(1 for path in world.living.values() if path) == 1


def test_two_watchers_with_one_ledger(world: World) -> None:
    world.put("/h/cron.hourly/a", Act(10 * MIN))
    world.put("/h/cron.hourly/b", Act(10 * MIN))
    one, other = Watcher(world), Watcher(world, "login2")
    while world.now < at("2026-05-04T06:00"):
        one.tick()
        other.tick()
        world.now += MIN
    assert len(world.times("a")) == len(world.times("b")) == 6
    assert len(one.codes("") + other.codes("")) == 12


def test_handing_over(world: World) -> None:
    world.put("/h/cron.hourly/long", Act(20 * MIN))
    first = Watcher(world).until(at("2026-05-04T00:05"))
    told = first.scripts.close(world.now, 30.0)
    assert [(t.exit_code, t.how) for t in told] == [
        (None, "was ended when its watcher handed over")
    ]
    second = Watcher(world, "login2").until(at("2026-05-04T00:55"))
    assert world.times("long") == ["04 00:00"]
    assert second.told == []
    assert second.status("long").outcome == "ended"
    assert "handed over" in second.status("long").why
    second.until(at("2026-05-04T01:30"))
    assert second.codes("long") == [0]
    third = Watcher(world, "login3").until(at("2026-05-04T02:19"))
    told = third.scripts.close(world.now, 120.0)  # it ends while it is waited for
    assert [(t.exit_code, t.how) for t in told] == [(0, "")]


def test_what_does_not_fit_before_the_hand_over_is_left_to_the_successor(world: World) -> None:
    world.put("/h/cron.hourly/long", Act(20 * MIN))
    first = Watcher(world).until(at("2026-05-04T00:59"))
    first.scripts.close(world.now)
    world.now = at("2026-05-04T01:00")
    second = Watcher(world)
    for _ in range(9):
        second.tick(ends_at=at("2026-05-04T01:15"))
        world.now += MIN
    assert world.times("long") == ["04 00:00"]
    assert second.status("long").next_at == world.now
    third = Watcher(world).tick(ends_at=at("2026-05-04T02:00"))
    third.killed()
    assert world.times("long") == ["04 00:00", "04 01:09"]
    # one that never fits is begun in the end
    world.begun.clear()
    world.now = at("2026-05-04T05:00")
    Watcher(world).tick(ends_at=world.now + 60)
    assert world.times("long") == ["04 05:00"]


def test_days_on_which_clocks_are_set(world: World) -> None:
    world.put("/h/cron.hourly/h")
    world.put("/h/cron.daily/d")
    for day, count in (("2026-10-25", 25), ("2026-03-29", 23)):
        world.begun.clear()
        world.ledger_path.unlink(missing_ok=True)
        world.now = at(f"{day}T00:00")
        Watcher(world).until(world.now + count * H)
        assert len(world.times("/h")) == count
        assert len(world.times("/d")) == 2  # at first sight, and at four


def test_a_clock_that_is_set_back(world: World) -> None:
    world.put("/h/cron.hourly/h")
    watcher = Watcher(world).until(at("2026-05-04T10:20"))
    for back_s in (10 * MIN, H, 5 * H, 400 * DAY):
        world.begun.clear()
        world.now -= back_s
        watcher.until(world.now + 5 * H)
        assert 3 <= len(world.begun) <= 5
        gaps = [b - a for (a, _), (b, _) in zip(world.begun, world.begun[1:], strict=False)]
        assert all(gap == H for gap in gaps)


def test_an_empty_folder_and_one_that_is_not_there(world: World) -> None:
    del world.folders["/h/cron.daily"]
    watcher = Watcher(world).until(at("2026-05-04T03:00"))
    assert (world.begun, watcher.told, watcher.scripts.statuses(world.now)) == ([], [], ())
    (trouble,) = watcher.scripts.troubles
    assert trouble == "/h/cron.daily (daily scripts): no such file or directory"
    world.put("/h/cron.daily/late")
    watcher.tick()
    assert list(watcher.scripts.troubles) == []
    assert world.times("late") == ["04 03:00"]


def test_no_folders_at_all(world: World) -> None:
    watcher = Watcher(world, folders={}).until(at("2026-05-04T00:05"))
    assert not watcher.scripts.busy
    assert watcher.scripts.close(world.now) == []


def test_one_that_is_disabled_is_over(world: World) -> None:
    """Its alert too: nobody can make it work any more. Enabled again, it waits for its period."""
    world.put("/h/cron.hourly/bad", Act(code=1))
    watcher = Watcher(world).until(at("2026-05-04T00:10"))
    world.remove("/h/cron.hourly/bad")
    watcher.until(at("2026-05-04T00:30"))
    assert watcher.codes("bad") == [1, 0]
    assert watcher.told[-1].why == "it is not there any more: removed, or disabled"
    watcher.until(at("2026-05-04T03:30"))
    assert (len(watcher.told), world.times("bad")) == (2, ["04 00:00"])
    assert watcher.scripts.statuses(world.now) == ()
    world.put("/h/cron.hourly/bad")
    watcher.until(at("2026-05-04T03:40"))
    assert world.times("bad") == ["04 00:00", "04 03:30"]


def test_a_folder_that_is_unmounted_takes_nothing_back(world: World) -> None:
    world.put("/h/cron.hourly/bad", Act(code=1))
    watcher = Watcher(world).until(at("2026-05-04T00:10"))
    kept = world.folders.pop("/h/cron.hourly")
    watcher.until(at("2026-05-04T00:30"))
    assert watcher.codes("bad") == [1]
    world.folders["/h/cron.hourly"] = kept
    watcher.until(at("2026-05-04T00:50"))
    assert watcher.codes("bad") == [1]


def test_disabled_while_it_runs(world: World) -> None:
    world.put("/h/cron.hourly/bad", Act(10 * MIN, code=1))
    watcher = Watcher(world).until(at("2026-05-04T00:05"))
    world.remove("/h/cron.hourly/bad")
    watcher.until(at("2026-05-04T00:30"))
    assert watcher.codes("bad") == [1, 0]


def test_several_folders_with_the_same_names(world: World) -> None:
    world.put("/h/ada/cron.hourly/quota", Act(code=1))
    world.put("/h/bob/cron.hourly/quota")
    folders: dict[Period, tuple[str, ...]] = {
        "hourly": ("/h/ada/cron.hourly", "/h/bob/cron.hourly")
    }
    watcher = Watcher(world, folders=folders).until(at("2026-05-04T02:30"))
    assert len(world.begun) == 6
    assert watcher.codes("ada/cron.hourly/quota") == [1] * 3
    assert watcher.codes("bob/cron.hourly/quota") == [0] * 3
    assert len({s.name for s in watcher.scripts.statuses(world.now)}) == 2
    outputs = {s.output for s in watcher.scripts._look.scripts}
    assert "hourly/quota.out" in outputs
    assert len(outputs) == 2


def test_what_cannot_be_started_has_failed(world: World) -> None:
    world.put("/h/cron.hourly/crlf")
    world.acts["/h/cron.hourly/crlf"].breaks = FileNotFoundError(2, "No such file or directory")
    world.put("/h/cron.hourly/good")
    watcher = Watcher(world).until(at("2026-05-04T02:30"))
    assert watcher.codes("crlf") == [126] * 3
    assert watcher.codes("good") == [0] * 3
    assert watcher.told[0].how == "could not be started"
    assert "CR line ends" in watcher.told[0].why


def test_nothing_begins_that_cannot_stand_in_the_ledger(world: World) -> None:
    world.put("/h/cron.hourly/quota")
    world.full = True
    watcher = Watcher(world).until(at("2026-05-04T00:30"))
    assert world.begun == []
    (trouble,) = watcher.scripts.troubles
    assert trouble.startswith("cron.hourly/quota is not begun: ")
    assert trouble.endswith("No space left on device")
    world.full = False
    watcher.until(at("2026-05-04T00:40"))
    assert world.times("quota") == ["04 00:30"]
    assert watcher.scripts.troubles == ()


def test_a_disk_that_fills_meanwhile(world: World) -> None:
    """Ends that cannot be written are kept in mind: it runs neither again, nor never."""
    world.put("/h/cron.hourly/quota", Act(5 * MIN))
    watcher = Watcher(world).until(at("2026-05-04T00:02"))
    world.full = True
    watcher.until(at("2026-05-04T01:30"))
    assert world.times("quota") == ["04 00:00"]
    assert watcher.codes("quota") == [0]
    assert watcher.status("quota").outcome == "ok"
    unwritten, refused = watcher.scripts.troubles
    assert refused.startswith("cron.hourly/quota is not begun: ")
    assert unwritten.startswith("the ledger of scripts cannot be written: ")
    world.full = False
    watcher.until(at("2026-05-04T01:40"))
    assert world.times("quota") == ["04 00:00", "04 01:30"]


def test_a_ledger_that_somebody_else_holds(world: World) -> None:
    world.put("/h/cron.hourly/quota")
    world.held = True
    watcher = Watcher(world).until(at("2026-05-04T00:10"))
    assert world.begun == []
    assert "another trainwatch writes it" in watcher.scripts.troubles[0]


def test_a_ledger_that_is_removed_or_damaged_runs_nothing_twice(world: World) -> None:
    world.put("/h/cron.hourly/quota")
    watcher = Watcher(world).until(at("2026-05-04T00:10"))
    world.ledger_path.unlink()
    watcher.until(at("2026-05-04T00:20"))
    world.ledger_path.write_bytes(b"{")
    watcher.until(at("2026-05-04T00:30"))
    assert world.times("quota") == ["04 00:00"]
    world.ledger_path.write_bytes(b"{")
    watcher.killed()
    other = Watcher(world, "login2").tick()  # it knows of nothing
    assert other.scripts.troubles == (
        "the ledger of scripts was damaged: all wait for their next period",
    )
    other.until(at("2026-05-04T01:30"))
    assert world.times("quota") == ["04 00:00", "04 01:00"]


def test_a_look_that_hangs(world: World) -> None:
    """A folder on a dead disk: it is said, nothing waits for it, and closing begins nothing more."""
    world.put("/h/cron.hourly/quota")
    watcher = Watcher(world)
    dead = threading.Event()
    listed = watcher.host.listed

    def hangs(path: str) -> Listing:
        dead.wait(20)
        return listed(path)

    watcher.host.listed = hangs  # type: ignore[method-assign]
    watcher.scripts._patience_s = 0.0
    for _ in range(3):
        assert watcher.tick().scripts.busy
        world.now += 50
    watcher.tick()
    assert not watcher.scripts.busy  # whoever ticks once does not wait for ever
    (trouble,) = watcher.scripts.troubles
    assert trouble.startswith("looking for scripts hangs")
    threading.Timer(0.2, dead.set).start()
    assert watcher.scripts.close(world.now, 10.0) == []
    assert (world.begun, watcher.told) == ([], [])


def test_two_watchers_and_one_that_hangs(world: World) -> None:
    """A watcher that lives and does nothing keeps its script only for as long as the script may take."""
    world.put("/h/cron.hourly/copy", Act(99 * H))
    Watcher(world).tick()
    for pid in [pid for pid, path in world.living.items() if path]:
        del world.living[pid]
    other = Watcher(world)
    world.now += MIN
    other.until(at("2026-05-04T00:59"))
    assert [seen.at for seen in other.told] == [at("2026-05-04T00:32")]
    assert world.times("copy") == ["04 00:00"]


def test_many_scripts_have_their_turn(world: World) -> None:
    """Also when they take longer than there is time: none is left out for ever."""
    for number in range(9):
        world.put(f"/h/cron.hourly/s{number}", Act(10 * MIN))
    Watcher(world).until(world.now + 9 * H)
    counts = [len(world.times(f"s{number}")) for number in range(9)]
    assert sum(counts) >= 48
    assert max(counts) - min(counts) <= 1


# -- batch scripts


@pytest.fixture
def scheduler() -> MemoryScheduler:
    return MemoryScheduler()


@pytest.fixture
def hands(scheduler: MemoryScheduler) -> MemoryHands:
    return MemoryHands(scheduler)


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


def test_a_bug_in_looking_ends_nothing(world: World) -> None:
    class Broken(LedgerFile):
        def read(self) -> None:
            raise RuntimeError("a bug")

    watcher = Watcher(world, ledger=Broken(world.ledger_path, Path.write_bytes, nullcontext))  # type: ignore[arg-type]
    assert watcher.scripts.tick(world.now) == []
    assert watcher.scripts.troubles == ("looking for scripts failed with RuntimeError: a bug",)
    assert not watcher.scripts.busy
