"""A daemon goes on by other settings: what each part of it hangs on, and what is made anew when that changed.

The trap: whatever may fail is done before anything is let go. A run that stays keeps its lease, its place in
the log and what it knows: nothing is read or told twice, also where nothing can be kept at that moment.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

from msgspec.structs import replace

from trainwatch.app import names, reaching, wirehouse, wireslurm
from trainwatch.app.beside import Beside
from trainwatch.app.config import RunSettings, Settings
from trainwatch.app.cron.settings import CronSettings
from trainwatch.app.daemon import Daemon
from trainwatch.app.queueing import Queues
from trainwatch.app.scriptsettings import ScriptSettings
from trainwatch.app.watched import Watched
from trainwatch.app.wire import Recorder, Site
from trainwatch.core.errors import TrainwatchError
from trainwatch.core.model.telling import Receiver
from trainwatch.core.ours import Ours
from trainwatch.core.ports import Sender
from trainwatch.core.rules.settings import AlertSettings

_PATIENCE_S = 0.2  # for the lease of a run that is new

Runs = tuple[RunSettings, ...]
Key = tuple[str, str]  # a run's name and its log
Ways = tuple[Sequence[Receiver], Mapping[str, Sender]]


class Hangs(NamedTuple):
    """What the parts of a daemon hang on: a part is made anew when its own changed."""

    told: tuple[object, ...]  # who is told
    asked: tuple[object, ...]  # who asks the scheduler, and acts
    looked: tuple[
        object, ...
    ]  # who looks at the rest of the world; a setting nobody thought of is here

    @classmethod
    def of(cls, settings: Settings, runs: Runs) -> "Hangs":
        """Those of these settings, with globs resolved."""
        rest = replace(
            settings,
            alerts=AlertSettings(purge_risk=settings.alerts.purge_risk),
            receivers={},
            cron=CronSettings(),
            scripts=ScriptSettings(),
            poll_interval_s=1.0,
            heartbeat_interval_s=1.0,
        )
        return cls(
            (settings.receivers, settings.poll_interval_s, runs),
            (settings.slurm, settings.poll_interval_s, runs),
            (rest, runs),
        )


class InForce:
    """The settings that a daemon goes by, and how it goes on by others."""

    def __init__(self, daemon: Daemon, site: Site, runs: Sequence[RunSettings]) -> None:
        """`runs`: those that are asked for, by what the daemon goes by now."""
        self.daemon, self.site = daemon, site
        self.runs = {key_of(run): run for run in runs}
        self._hangs = Hangs.of(site.settings, tuple(runs))

    def kept(self, runs: Sequence[RunSettings]) -> list[tuple[Watched, RunSettings]]:
        """Those of the runs that are watched now."""
        have = {_key(run): run for run in self.daemon.runs if run not in self.daemon.given_up}
        return [(have[key_of(run)], run) for run in runs if key_of(run) in have]

    def ways(self, site: Site, runs: Sequence[RunSettings]) -> dict[Key, Ways]:
        """How each is told of, if that changes. Raises UsageError."""
        if Hangs.of(site.settings, tuple(runs)).told == self._hangs.told:
            return {}
        return {key_of(run): reaching.parts(site.ways, run) for run in runs}

    def beside(
        self,
        site: Site,
        runs: Sequence[RunSettings],
        watched: Sequence[tuple[Watched, RunSettings]],
        *,
        of_job: Mapping[str, str] | None = None,
    ) -> Beside:
        """What is done beside, anew where that hangs on what changed. Raises UsageError.

        `of_job`: the environment of the chain's job; the queue is asked in any case then.
        """
        before, hangs = self.daemon.beside, Hangs.of(site.settings, tuple(runs))
        pulses, queues, hands, sources = before
        if hangs.told != self._hangs.told:
            pulses = reaching.pulses(site.ways, runs)
        if hangs.asked != self._hangs.asked:
            queues = _queues(site, watched, before.queues, of_job)
            chosen = {
                w.name: wireslurm.chosen(run, site.folder(run)) for w, run in _handed(watched)
            }
            hands = None
            if any(run.hands.any for run in runs):
                hands = wireslurm.hands(site.settings, chosen)
        if hangs.looked != self._hangs.looked:
            mine = [run for _, run in watched]
            sources = wirehouse.sources(
                site.settings, mine, state_dir=site.state_dir, acts=True, run_of=site.run_of
            )
        return Beside(pulses, queues, hands, sources)

    def go_on(
        self,
        site: Site,
        runs: Sequence[RunSettings],
        kept: Sequence[tuple[Watched, RunSettings]],
        ways: Mapping[Key, Ways],
    ) -> None:
        """What stays goes on by these. Raises nothing."""
        alerts, facts = site.settings.alerts, {key: run.facts() for key, run in self.runs.items()}
        rules = alerts != self.site.settings.alerts
        for watched, run in kept:
            key = key_of(run)
            if rules or facts.get(key) != run.facts():
                watched.judge_by(alerts, run.facts())
            if key in ways:
                watched.tell_by(*ways[key])
        self.site, self.runs = site, {key_of(run): run for run in runs}
        self._hangs = Hangs.of(site.settings, tuple(runs))

    def drop(self, runs: Sequence[RunSettings], now: float, more: Iterable[Watched] = ()) -> None:
        """Let go of what is not among these any more, and of what was given up and is watched anew."""
        wanted, anew = {key_of(run) for run in runs}, {_key(run) for run in more}
        for run in tuple(self.daemon.runs):
            if _key(run) not in wanted or (run in self.daemon.given_up and _key(run) in anew):
                self.daemon.drop(run, now)


class Watching(InForce):
    """`trainwatch watch` goes on by other settings."""

    def __init__(
        self,
        daemon: Daemon,
        site: Site,
        runs: Sequence[RunSettings],
        choose: Callable[[Site], list[RunSettings]],
        record: Recorder | None = None,
    ) -> None:
        """`choose` says which runs are asked for; it raises UsageError, LogUnreadable."""
        super().__init__(daemon, site, runs)
        self._choose, self._record = choose, record

    def take(self, site: Site, now: float) -> tuple[str, ...]:
        """Go by these settings from now on. Why runs are left out.

        Raises TrainwatchError where that cannot be; then everything is as it was.
        """
        runs = self._choose(site)
        kept, ways = self.kept(runs), self.ways(site, runs)
        opened, left = self._opened(site, runs, kept)
        if left and not kept and not opened:
            raise left[0]
        try:
            beside = self.beside(site, runs, [*kept, *opened])
        except BaseException:
            for watched, _ in opened:
                watched.close()
            raise
        more = [watched for watched, _ in opened]
        self.drop(runs, now, more)
        self.daemon.renew(beside, site.settings.heartbeat_interval_s, more)
        self.go_on(site, runs, kept, ways)
        return tuple(f"a run is not watched: {why}" for why in left)

    def _opened(
        self, site: Site, runs: Sequence[RunSettings], kept: Sequence[tuple[Watched, RunSettings]]
    ) -> tuple[list[tuple[Watched, RunSettings]], list[TrainwatchError]]:
        """Those that are not watched yet."""
        have = {key_of(run) for _, run in kept}
        opened, left = list[tuple[Watched, RunSettings]](), list[TrainwatchError]()
        for run in runs:
            if key_of(run) in have:
                continue
            try:
                opened.append((site.watched(run, self._record, patience_s=_PATIENCE_S), run))
            except TrainwatchError as error:
                left.append(error)
        return opened, left


def key_of(run: RunSettings) -> Key:
    """A run is the same as long as its name and its log are."""
    path = names.absolute(run.log)
    return run.name or path.stem, str(path)


def _key(run: Watched) -> Key:
    return run.name, run.log_path


def _handed(
    watched: Sequence[tuple[Watched, RunSettings]],
) -> list[tuple[Watched, RunSettings]]:
    return [(each, run) for each, run in watched if run.hands.any]


def _queues(
    site: Site,
    watched: Sequence[tuple[Watched, RunSettings]],
    before: Queues | None,
    of_job: Mapping[str, str] | None,
) -> Queues | None:
    """Asks for these, when the one before would have."""
    asks = [(each, run) for each, run in watched if of_job is not None or run.slurm != Ours()]
    if not asks and of_job is None:
        return None
    ours = {each.name: run.slurm for each, run in asks}
    queues = wireslurm.queues(site.settings, ours, once=False, of_job=of_job)
    for each, _ in asks:
        queues.begin(each.name, each.state.queue.jobs if each.state.queue else ())
    if before is not None:
        queues.follow(before)
    return queues
