"""A real `trainwatch watch` whose configuration is edited, with an editor's habits."""

import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.adapters.receiving import web
from tests.app.rigs import iteration
from tests.waiting import PATIENCE_S, until
from trainwatch.adapters.store import StoreReader
from trainwatch.app.config import RunSettings, Settings
from trainwatch.app.wire import Site

# As from a shell, but for the time between looks at the configuration, which no test waits for.
MAIN = """
import sys
from trainwatch.app import configfile
configfile.LOOK_S, configfile.SETTLE_S = 1.0, 0.5
from trainwatch.app.cli import run
sys.exit(run(sys.argv[1:]))
"""
LEAK = (
    "[alerts.patterns.leak]\npattern = 'host memory \\d+ GB'\nseverity = 'critical'\ntimes = {}\n"
)
SECRET = "T0KENvalue1234567890"


class Process:
    """The watch, and its configuration."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.path = folder, folder / "trainwatch.toml"
        self.site = Site(Settings(), folder / "state")
        self.out = folder / "stderr"
        self.edit("", "one")
        command = [sys.executable, "-c", MAIN, "watch", "--config", str(self.path)]
        with self.out.open("wb") as out:
            self.process = subprocess.Popen(
                [*command, "--state-dir", str(folder / "state")], stderr=out, cwd=folder
            )

    def edit(self, text: str, *runs: str) -> None:
        tables = [f'[[runs]]\nname = "{run}"\nlog = "{self.log(run)}"\n' for run in runs]
        for run in runs:
            if not self.log(run).exists():
                self.log(run).write_bytes(b"".join(map(iteration, range(1, 31))))
        self.path.write_text(
            "\n".join(["poll_interval_s = 0.5\nheartbeat_interval_s = 1", text, *tables])
        )

    def log(self, run: str) -> Path:
        return self.folder / f"{run}.log"

    def store(self, run: str) -> StoreReader:
        return StoreReader(self.site.folder(RunSettings(name=run, log=str(self.log(run)))))

    def warnings(self, run: str) -> tuple[str, ...]:
        status = self.store(run).status()
        return status.warnings if status is not None else ()

    def leak(self, run: str) -> None:
        with self.log(run).open("ab") as log:
            log.write(b"host memory 700 GB\n" + iteration(31))

    def said(self) -> str:
        return self.out.read_text()


@pytest.fixture
def watch(tmp_path: Path) -> Iterator[Process]:
    made = Process(tmp_path)
    yield made
    if made.process.poll() is None:
        made.process.kill()
    made.process.wait(10)


def test_edits_of_a_day_in_the_life_of_a_watch(watch: Process) -> None:
    with web() as people:
        url = watch.folder / "url"
        url.write_text(people.url("json", "/people"))
        url.chmod(0o600)
        tell = f"[receivers.people]\nurl_file = '{url}'\nseverities = ['critical']\n"
        until(lambda: watch.store("one").is_held())
        watch.edit(tell + LEAK.format(3), "one", "two")
        until(lambda: watch.store("two").is_held() and "runs.two" in watch.said())
        watch.leak("one")
        watch.edit(tell + LEAK.format(1), "one", "two")
        until(lambda: watch.said().count("alerts.patterns.leak") == 2)
        watch.leak("one")
        assert people.arrived.acquire(timeout=PATIENCE_S)
        watch.edit(f"[receivers.a]\nkind = 'slack://{SECRET}/b'\n", "two")
        until(lambda: any("stay in force" in why for why in watch.warnings("one")))
        watch.edit(tell + LEAK.format(1), "two")
        until(lambda: not watch.store("one").is_held())
        until(lambda: not watch.warnings("two"))
        watch.process.send_signal(signal.SIGTERM)
        assert watch.process.wait(30) == 0
        assert not watch.store("two").is_held()
        assert SECRET not in watch.said()
        assert "Traceback" not in watch.said()
        assert watch.said().count("stay in force") == 1
        assert len(people.got) == 1
