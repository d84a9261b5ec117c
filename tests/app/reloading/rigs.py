"""A watch over real logs, stores and a real configuration, with a clock wound by hand."""

import os
from pathlib import Path

from tests.app.rigs import NOW, iteration
from trainwatch.adapters.store import StoreReader
from trainwatch.app import config
from trainwatch.app.config import RunSettings
from trainwatch.app.configfile import ConfigFile
from trainwatch.app.reload import Reload
from trainwatch.app.renewing import Watching
from trainwatch.app.wire import Site
from trainwatch.core.model.state import Event
from trainwatch.core.model.status import Status

SETTLED_S = 45  # a look at most half a minute later, and a second one


class Rig:
    """`trainwatch watch` without its loop."""

    def __init__(self, folder: Path, text: str, runs: tuple[str, ...] = ("one",)) -> None:
        self.folder, self.path = folder, folder / "trainwatch.toml"
        self.now, self.said = NOW, list[str]()
        for run in runs:
            self.write(run, 1, 50)
        self.edit(text, *runs)
        self.site = Site(config.load(self.path), folder / "state", config_path=self.path)
        self.daemon = self.site.daemon(self.site.runs(), hands=True)
        self.watching = Watching(self.daemon, self.site, self.site.runs(), self._choose)
        file = ConfigFile(lambda: config.read(self.path), str(self.path), patience_s=10.0)
        self.reload = Reload(self.watching, file, self.said.append, now=self.now)
        self.took = list[float]()  # how often the loop is to look, after each change
        self.reload.took = lambda site: self.took.append(site.settings.poll_interval_s)

    def edit(self, text: str, *runs: str) -> None:
        """Rewrite the configuration as an editor does: another file takes its place."""
        tables = [f'[[runs]]\nname = "{run}"\nlog = "{self.log(run)}"\n' for run in runs]
        aside = self.folder / "trainwatch.toml.new"
        aside.write_text("\n".join([text, *tables]))
        os.replace(aside, self.path)  # noqa: PTH105

    def log(self, run: str) -> Path:
        return self.folder / f"{run}.log"

    def write(self, run: str, first: int, last: int) -> None:
        with self.log(run).open("ab") as log:
            log.writelines(iteration(number) for number in range(first, last + 1))

    def begin(self) -> None:
        """Catch up, and see a few iterations come."""
        self.tick()
        for number in range(51, 61):
            self.write("one", number, number)
            self.pass_s(5)

    def tick(self) -> None:
        while self.daemon.tick(self.now):
            pass
        self.reload.tick(self.now)

    def pass_s(self, seconds: float, step_s: float = 5.0) -> None:
        until = self.now + seconds
        while self.now < until:
            self.now += step_s
            self.tick()

    def store(self, run: str = "one") -> StoreReader:
        return StoreReader(self.site.folder(RunSettings(log=str(self.log(run)), name=run)))

    def status(self, run: str = "one") -> Status:
        found = self.store(run).status()
        assert found is not None
        return found

    def events(self, kind: str, run: str = "one") -> list[Event]:
        self.tick()
        return [event for event in self.store(run).events() if event.kind.startswith(kind)]

    def watched(self) -> list[str]:
        return [run.name for run in self.daemon.runs if run not in self.daemon.given_up]

    @property
    def under_way(self) -> int:
        """How many messages of the first run are being sent."""
        teller = self.daemon.runs[0]._voice._teller
        return teller.under_way if teller is not None else 0

    def close(self) -> None:
        self.daemon.close()
        self.reload.close()

    def _choose(self, site: Site) -> list[RunSettings]:
        return site.runs()
