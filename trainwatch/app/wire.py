"""Settings -> adapters -> daemon or screen: the only file that names adapters."""

import glob
from collections.abc import Callable, Sequence
from contextlib import AbstractContextManager, closing
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING

from msgspec.structs import replace

from trainwatch.adapters.store.cron import CronReader
from trainwatch.adapters.store.reader import StoreReader
from trainwatch.app import clock, config, formats, known, names, opening, wirehouse, wireslurm
from trainwatch.app.config import RunSettings, Settings
from trainwatch.app.logfile import there
from trainwatch.app.wirereceivers import Receivers
from trainwatch.core.errors import (
    StoreFull,
    StoreUnusable,
    UsageError,
)
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.observations import AlertRequest, Observation
from trainwatch.core.ports import Log, Store

# What reads logs is loaded by who reads one: a shell's prompt waits for who only asks what is known.
if TYPE_CHECKING:
    from trainwatch.app.daemon import Daemon
    from trainwatch.app.sources import Source as Look
    from trainwatch.app.viewing import Source, Watch
    from trainwatch.app.watched import Watched
    from trainwatch.core.judge import Judge
    from trainwatch.core.logs.scan import Scanner
    from trainwatch.core.model.cron import CronStatus

Recorder = Callable[[Observation], None]
Follow = Callable[[Path, Mark | None], Log]
_A_MOMENT = partial(clock.wait, 0.2)  # between two looks at a log that took another's place


class Site:
    """Where things are, and how they are read, under one configuration."""

    def __init__(
        self,
        settings: Settings,
        state_dir: Path | None = None,
        now: Callable[[], float] = clock.now,
        config_path: Path | None = None,
    ) -> None:
        """`now` is the clock by which screens watch; `config_path` is where the settings come from."""
        self.settings, self._now, self.config_path = settings, now, config_path
        self.state_dir = config.state_dir(settings, state_dir)
        self.ways = Receivers(settings, self.state_dir, self._runs)
        self._formats = formats.own(settings)

    def runs(self) -> list[RunSettings]:
        """The configured runs, globs resolved. Raises UsageError when there are none."""
        found = self._runs()
        if not found and self.settings.runs:
            patterns = ", ".join(run.log for run in self.settings.runs)
            raise UsageError(f"no log matches what is configured: {patterns}")
        if not found:
            raise UsageError(
                "no run is configured; name a log, or add a [[runs]] table (trainwatch init)"
            )
        return found

    def _runs(self) -> list[RunSettings]:
        """A run for each log of a glob; what would share a store is one run, configured as the first."""
        found = dict[Path, RunSettings]()
        for run in self.settings.runs:
            pattern = str(Path(run.log).expanduser())
            paths = [pattern]
            if glob.has_magic(pattern) and not there(Path(pattern)):
                paths = sorted(glob.glob(pattern, recursive=True))  # noqa: PTH207 - may be absolute
            one = len(paths) == 1
            for path in paths:
                name = run.name if run.name and one else names.run_name(Path(path))
                one_run = replace(run, log=path, name=name)
                found.setdefault(self.folder(one_run), one_run)
        return list(found.values())

    def run_of(self, log_or_run: str) -> RunSettings:
        """The run of a log's path, of a configured name, or of one that was given with `trainwatch run`."""
        runs, place = self._runs(), names.absolute(log_or_run)
        named = [run for run in runs if run.name == log_or_run]
        named += [run for run in runs if names.absolute(run.log) == place]
        if named:
            return named[0]
        path = Path(log_or_run).expanduser()
        if not there(path) and (found := known.named(self.state_dir, log_or_run)) is not None:
            return found
        if not there(path) and runs and "/" not in log_or_run:
            listed = ", ".join(run.name or run.log for run in runs)
            raise UsageError(f"'{log_or_run}' is neither a log nor a configured run ({listed})")
        return known.of_log(self.state_dir, place) or RunSettings(
            log=str(path), name=names.run_name(place)
        )

    def folder(self, run: RunSettings) -> Path:
        """Where a run's store is."""
        return names.run_folder(self.state_dir, run.name, run.log)

    def reader(self, run: RunSettings) -> StoreReader:
        """What views read of a run."""
        return StoreReader(self.folder(run))

    def readers(self) -> list[StoreReader]:
        """Of every run that was ever watched with this state folder."""
        return [StoreReader(folder) for folder in sorted((self.state_dir / "runs").glob("*/"))]

    def chain(self) -> "CronStatus | None":
        """What the cron job said last of its chain; None where none was ever started. Raises nothing."""
        return CronReader(self.state_dir).look()

    def ask(self, run: RunSettings, request: AlertRequest) -> None:
        """Leave a request for whoever watches a run. Raises StoreUnusable."""
        from trainwatch.adapters.store import requests

        requests.leave(self.folder(run), request)

    def scanner(self) -> "Scanner":
        """A reader of log formats, the user's own among them."""
        from trainwatch.core.logs.scan import Scanner

        return Scanner(self._formats)

    def utc_offset_s(self) -> float:
        """How far the logs' clock is ahead of UTC: as configured, else as this machine's is."""
        hours = self.settings.log_utc_offset_h
        return clock.local_utc_offset_s(clock.now()) if hours is None else hours * 3600

    def watched(
        self,
        run: RunSettings,
        record: Recorder | None = None,
        *,
        patience_s: float = 1.0,
        once: bool = False,
        follow: "Follow | None" = None,
    ) -> "Watched":
        """A run under watch, which goes on where the last watcher stopped. `follow` opens its log.

        `once`: for a single look. Raises LeaseHeld when another process still watches it after `patience_s`,
        StoreUnusable or StoreFull when nothing can be kept.
        """
        from trainwatch.adapters.store.writer import StoreWriter
        from trainwatch.adapters.tail import Follower
        from trainwatch.app.reaching import teller
        from trainwatch.app.watched import Watched

        path = names.absolute(run.log)
        store = StoreWriter(self.folder(run), patience_s=patience_s)
        saved, memory = opening.kept(store, path)
        judge, mark = self.judge(run, memory), saved.mark if saved else None
        return Watched(
            run.name or path.stem,
            str(path),
            (follow or partial(Follower, wait=_A_MOMENT if once else None))(path, mark),
            store,
            self.scanner(),
            saved=saved,
            configured=run.facts(),
            utc_offset_s=self.utc_offset_s(),
            record=record,
            judge=judge,
            teller=teller(self.ways, run, judge.memory.outbox, once=once),
            warning=store.warning,
        )

    def unkept(self, run: RunSettings, store: Store | None = None) -> "Watched":
        """A run that is looked at without leaving anything behind."""
        from trainwatch.adapters.tail import Follower
        from trainwatch.app.watched import Watched

        path = names.absolute(run.log)
        return Watched(
            run.name or path.stem,
            str(path),
            Follower(path),
            store,
            self.scanner(),
            configured=run.facts(),
            utc_offset_s=self.utc_offset_s(),
            judge=self.judge(run),
        )

    def judge(self, run: RunSettings, memory: Memory | None = None) -> "Judge":
        """Who says what is wrong with a run, by the rules as they are set."""
        from trainwatch.core.judge import Judge

        name = run.name or names.absolute(run.log).stem
        return Judge(name, self.settings.alerts, run.facts(), memory)

    def screen(self, run: RunSettings) -> "Source":
        """What the screen is handed: a run's store, its log, and a way to watch it."""
        from trainwatch.adapters.logview import LogView
        from trainwatch.adapters.store.view import StoreView  # loads numpy
        from trainwatch.app.accounting import add_up
        from trainwatch.app.comparing import Others, Stores
        from trainwatch.app.viewing import Source

        path = names.absolute(run.log)
        view, name = StoreView(self.folder(run)), run.name or path.stem
        return Source(
            name,
            str(path),
            view,
            LogView(path),
            begin=lambda: self._watch(run),
            now=self._now,
            ask=lambda request: self.ask(run, request),
            cron=self.chain,
            add_up=partial(add_up, self.reader(run), run.facts()),
            configured=wirehouse.configured(self.settings, run),
            others=Others(
                Stores(self.folder(run), self.run_of, self.folder, StoreView, self._runs)
            ),
        )

    def _watch(self, run: RunSettings) -> "Watch":
        """A daemon over one run; in memory where nothing can be kept. Raises LeaseHeld."""
        from trainwatch.app.daemon import Daemon
        from trainwatch.app.memory import MemoryStore
        from trainwatch.app.viewing import Watch

        try:
            return Watch(self.daemon([run]))
        except (StoreFull, StoreUnusable) as error:
            memory = MemoryStore()
            heartbeat_s = self.settings.heartbeat_interval_s
            unkept = Daemon([self.unkept(run, memory)], heartbeat_s=heartbeat_s)
            return Watch(unkept, memory, str(error))

    def daemon(
        self,
        runs: Sequence[RunSettings],
        record: Recorder | None = None,
        *,
        once: bool = False,
        hands: bool = False,
        follow: "Follow | None" = None,
        more: "Sequence[Look]" = (),
    ) -> "Daemon":
        """A daemon over these runs. Those that another process watches, or that cannot be kept, are left.

        `once`: for a single tick; who refused a message for good is not asked again by each. `hands`: what
        is configured may be done to jobs; a screen that watches by itself only looks. `more`: other sources.
        Raises LeaseHeld, StoreUnusable or StoreFull when that is so for all of them.
        """
        from trainwatch.app import wiremetrics
        from trainwatch.app.daemon import Daemon
        from trainwatch.app.reaching import pulses

        open_run = partial(self.watched, record=record, once=once, follow=follow)
        watched, left = opening.each(open_run, runs)
        return Daemon(
            watched,
            heartbeat_s=self.settings.heartbeat_interval_s,
            left=left,
            pulses=pulses(self.ways, runs),
            queues=wireslurm.queues_of(self.settings, watched, runs, once=once),
            hands=wireslurm.hands_of(self.settings, watched, runs, self.folder) if hands else None,
            sources=wirehouse.sources(
                self.settings,
                runs,
                state_dir=self.state_dir,
                acts=hands,
                run_of=self.run_of,
                once=once,
                more=more,
            ),
            exposer=wiremetrics.exposer(self.settings, once=once) if hands else None,
        )


def hints(logs: Sequence[Path], wake: Callable[[], None]) -> AbstractContextManager[object]:
    """Calls `wake` when a log on a local filesystem is written to, until the context ends."""
    from trainwatch.adapters.hints import Hints  # 30 ms that only a daemon needs

    return closing(Hints(list(logs), wake))
