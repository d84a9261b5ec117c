"""What a job of the chain stands on: the part of app/wire.py that only `trainwatch cron` needs."""

import os
import sys
from collections.abc import Sequence

from trainwatch.app import names, wirehouse, wiremetrics, wireslurm
from trainwatch.app.config import RunSettings
from trainwatch.app.cron.files import CronFiles
from trainwatch.app.cron.ground import Ground
from trainwatch.app.cron.keeper import Keeper
from trainwatch.app.cron.submission import submission
from trainwatch.app.daemon import Daemon
from trainwatch.app.reaching import pulses
from trainwatch.app.watched import Watched
from trainwatch.app.wire import Site
from trainwatch.core.chainhealth import silent_after_s
from trainwatch.core.slurm.submitting import Submission

_TICK_PATIENCE_S = 5.0  # `status` between two ticks looks for itself, for a moment
_BEATS_LOST, _LEAST_LOST_S = 8, 60.0  # a run without so many heartbeats of its store is lost


class CronSite:
    """A chain under a configuration."""

    def __init__(self, site: Site) -> None:
        self.site, self.settings = site, site.settings
        self.files = CronFiles(site.state_dir, site.settings)

    def job(self, shards: int) -> Submission:
        """What `cron start` submits, and each job of the chain again."""
        cron = self.settings.cron
        return submission(
            cron,
            name=self.files.name,
            command=self.command("job", shards),
            folder=os.getcwd(),  # noqa: PTH109 - what relative paths of the configuration begin with
            output=self.files.output_pattern(shards),
            shards=shards,
        )

    def command(self, verb: str, shards: int = 1) -> list[str]:
        """This very trainwatch, on a compute node: nothing of a login shell is needed there."""
        config = self.site.config_path
        return [
            sys.executable,
            "-P",  # a json.py in the user's folder is none of Python's
            "-m",
            "trainwatch",
            "cron",
            verb,
            *(["--config", str(names.absolute(str(config)))] if config is not None else []),
            "--state-dir",
            str(self.files.state_dir),
            *(["--shards", str(shards)] if shards > 1 else []),
        ]

    def ground(self, shards: int, *, tends: bool) -> Ground:
        """What a keeper stands on."""
        cron = self.settings.cron
        lost_s = max(_LEAST_LOST_S, _BEATS_LOST * self.settings.heartbeat_interval_s)
        if cron.mode == "ticks":  # all tick at the same moments of the grid
            lost_s += 1.5 * cron.interval_s
        return Ground(
            chain=self.files.chain(self.job(shards)),
            tends=tends,
            scheduler=self.files.slurm,
            beats=self.files.beats,
            publish=self.files.writer.write,
            record=self.files.file.read,
            status_of=lambda run: self.site.reader(self.site.run_of(run)).status(),
            hands_of=lambda run: (
                wireslurm.chosen(run, self.site.folder(run)) if run.hands.any else None
            ),
            kept=cron.keeper,
            mode=cron.mode,
            interval_s=cron.interval_s,
            hand_over_s=cron.hand_over_s,
            lost_s=lost_s,
        )

    def daemon(self, keeper: Keeper, *, once: bool, shard: int | None = None) -> Daemon:
        """A daemon that has no runs yet: the keeper's share is adopted. `shard`: which of several it is."""
        runs = self.site.runs()
        return Daemon(
            [],
            heartbeat_s=self.settings.heartbeat_interval_s,
            pulses=pulses(self.site.ways, runs),
            queues=wireslurm.queues(self.settings, {}, once=once, of_job=os.environ),
            hands=wireslurm.hands(self.settings, {})
            if any(run.hands.any for run in runs)
            else None,
            keeper=keeper,
            sources=wirehouse.sources(
                self.settings,
                (),
                state_dir=self.site.state_dir,
                acts=True,
                run_of=self.site.run_of,
                once=once,
            ),
            exposer=wiremetrics.exposer(self.settings, shard=shard, once=once),
        )

    def runs(self) -> Sequence[RunSettings]:
        """See app/cron/share.py."""
        return self.site.runs()

    def key(self, run: RunSettings) -> str:
        """See app/cron/share.py."""
        return self.site.folder(run).name

    def heartbeat(self, run: RunSettings) -> float | None:
        """See app/cron/share.py."""
        return self.site.reader(run).heartbeat()

    def watch(self, run: RunSettings) -> Watched:
        """See app/cron/share.py."""
        cron = self.settings.cron
        if cron.mode == "daemon":
            return self.site.watched(run, patience_s=0.2)
        watched = self.site.watched(run, patience_s=_TICK_PATIENCE_S, once=True)
        watched.silent_after_s = silent_after_s(cron.mode, cron.interval_s)
        return watched
