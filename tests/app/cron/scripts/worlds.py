"""A machine with folders of scripts and a hand-wound clock, and watchers over a real ledger."""

from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime
from pathlib import Path
from zoneinfo import ZoneInfo

from tests.fakes import MemoryHands, MemoryScheduler
from trainwatch.adapters.scripts import LedgerFile
from trainwatch.app.cron.jobs import BatchJobs
from trainwatch.app.cron.scripts import Scripts
from trainwatch.core.errors import LeaseHeld, UsageError
from trainwatch.core.model.cron import ScriptStatus
from trainwatch.core.model.observations import ScriptReading
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
