"""trainwatch's chain on a real cluster, started and watched as a user would, by its commands."""

import os
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

import msgspec

from tests.cluster.slurm import Cluster
from trainwatch.adapters.store.chain import ChainFile
from trainwatch.adapters.store.cron import CronReader
from trainwatch.adapters.store.shards import ShardFiles
from trainwatch.core.chain import job_name
from trainwatch.core.model.cron import CronStatus
from trainwatch.core.model.status import Status

_LOOK_S = 1.0
_LOOKS = 3  # at least
_LIVE = ("RUNNING", "CONFIGURING")


class Done(NamedTuple):
    """Of a command."""

    code: int
    out: str
    err: str


class Row(NamedTuple):
    """Of the queue."""

    job_id: str
    state: str
    reason: str


class World:
    """A folder with a configuration, a state folder, and the cluster."""

    def __init__(
        self, cluster: Cluster, folder: Path, config: str, state: Path | None = None
    ) -> None:
        """`config` is added to a configuration whose jobs live for less than a minute, on a grid of 12 s."""
        self.cluster, self.folder = cluster, folder
        self.state = state or folder / "state"
        self.config = folder / "trainwatch.toml"
        self.config.write_text(
            f'state_dir = "{self.state}"\npoll_interval_s = 2.0\nheartbeat_interval_s = 2.0\n{config}\n'
        )
        self.name = job_name(str(self.state))
        self.env = dict(cluster.env)
        self._watching = threading.Event()
        self._seen = list[tuple[list[Row], float]]()
        self._thread = threading.Thread(target=self._look, daemon=True)

    def command(self, *arguments: str, check: bool = True) -> Done:
        """`trainwatch cron ...`."""
        done = subprocess.run(
            [sys.executable, "-m", "trainwatch", *arguments, "--config", str(self.config)],
            env=self.env,
            cwd=self.folder,
            capture_output=True,
            text=True,
            timeout=300,
            check=False,
        )
        found = Done(done.returncode, done.stdout, done.stderr)
        assert not check or done.returncode == 0, (found, self.told())
        return found

    def start(self, *options: str) -> Done:
        """The chain begins, and from now on its jobs are counted each second."""
        if not self._thread.is_alive():
            self._thread.start()
        return self.command("cron", "start", *options)

    def stop(self) -> Done:
        """The chain ends."""
        done = self.command("cron", "stop")
        self._watching.set()
        self._thread.join()
        return done

    def rows(self) -> list[Row]:
        """The chain's jobs in the queue now."""
        answer = self.cluster.run("squeue", "-h", "-r", f"--name={self.name}", "-o", "%i|%T|%r")
        return [Row(*line.split("|", 2)) for line in answer.splitlines()]

    def running(self) -> str:
        """The job that runs; empty for none, or for more than one."""
        live = [row.job_id for row in self.rows() if row.state in _LIVE]
        return live[0] if len(live) == 1 else ""

    def status(self) -> CronStatus | None:
        """What the chain's job last wrote."""
        return CronReader(self.state).read()

    def handed_over(self) -> int:
        """How many jobs began after the first."""
        record = ChainFile(self.state).read()
        return record.handed_over if record is not None else 0

    def watching(self) -> str:
        """The job that last gave a sign of life."""
        beats = ShardFiles(self.state).read()
        return max(beats, key=lambda beat: beat.at).job_id if beats else ""

    def run_status(self, run: str) -> Status | None:
        """What the watcher of a run last published."""
        for path in self.state.glob(f"runs/{run}-*/status.json"):
            return msgspec.json.decode(path.read_bytes(), type=Status, strict=False)
        return None

    def until(self, holds: Callable[[], bool], what: str, patience_s: float = 240.0) -> None:
        """Wait for what the chain does."""
        try:
            self.cluster.until(holds, what, patience_s)
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.told()}") from None

    def until_follows(self, job_id: str, patience_s: float = 90.0) -> str:
        """Until another job than this watches and its successor waits; its id."""

        def follows() -> bool:
            now = self.running()
            waits = [row for row in self.rows() if row.state == "PENDING"]
            return now not in ("", job_id) and self.watching() == now and len(waits) == 1

        self.until(follows, f"a job after {job_id}", patience_s)
        return self.running()

    def told(self) -> str:
        """What the chain's jobs wrote, and its rows."""
        wrote = [path.read_text() for path in sorted(self.state.glob("cron/*.out"))]
        runs = [path.read_text() for path in sorted(self.state.glob("runs/*/status.json"))]
        return "\n".join(["== cron", *wrote, *map(str, self.rows()), str(self.status()), *runs])

    def most_at_once(self) -> tuple[int, int]:
        """Of all looks at the queue: the most jobs that ran, and that waited."""
        looks = [
            (
                sum(row.state in _LIVE for row in rows),
                sum(row.state == "PENDING" for row in rows),
            )
            for rows, _ in self._seen
        ]
        assert self.was_looked_at(), "what was doubled would not have been seen"
        return max(ran for ran, _ in looks), max(waited for _, waited in looks)

    def was_looked_at(self) -> bool:
        """Whether the queue was looked at often enough to see what is doubled."""
        return len(self._seen) > _LOOKS

    def _look(self) -> None:
        while not self._watching.wait(_LOOK_S):
            try:
                self._seen.append((self.rows(), time.time()))
            except (AssertionError, subprocess.SubprocessError):
                continue  # the controller is away


def cron_table(**more: str) -> str:
    """[cron] with jobs of less than a minute in `prepost`."""
    lines = {
        "partition": '"prepost"',
        "interval_min": "0.2",
        "time_limit_h": "0.0167",
        "hand_over_min": "0.6",
        **more,
    }
    return "[cron]\n" + "\n".join(f"{key} = {value}" for key, value in lines.items())


def alive(process_of: str) -> list[int]:
    """The processes of this machine whose command line holds a text."""
    found = []
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit() and int(entry.name) != os.getpid():
            try:
                command = (entry / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except (OSError, UnicodeDecodeError):
                continue
            if process_of in command:
                found.append(int(entry.name))
    return found
