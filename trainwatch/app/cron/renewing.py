"""A job of the chain goes on by other settings: its runs, its scripts, its share. [cron] is the next job's.

The trap: the chain itself must not notice. Its successor waits already, submitted as it was configured then.
"""

import os

from trainwatch.app import wireslurm
from trainwatch.app.config import Settings
from trainwatch.app.cron.ground import Ground
from trainwatch.app.cron.keeper import Keeper
from trainwatch.app.cron.share import Share
from trainwatch.app.cron.wire import CronSite
from trainwatch.app.daemon import Daemon
from trainwatch.app.renewing import InForce
from trainwatch.app.wire import Site


class Job(InForce):
    """What a job of the chain goes by."""

    def __init__(
        self, daemon: Daemon, site: Site, keeper: Keeper, ground: Ground, share: Share
    ) -> None:
        super().__init__(daemon, site, site.runs())
        self._keeper, self._ground, self._share = keeper, ground, share

    def take(self, site: Site, now: float) -> tuple[str, ...]:
        """Go by these settings from now on; runs that are new are watched from the next tick on.

        Raises TrainwatchError where that cannot be; then everything is as it was.
        """
        runs, cron = site.runs(), CronSite(site)
        kept, ways = self.kept(runs), self.ways(site, runs)
        beside = self.beside(site, runs, kept, of_job=os.environ)
        new = cron.ground(self._share.shards, tends=self._ground.tends)
        share = self._share.renewed(cron, now, new.lost_s)
        anew = _runs_scripts_by(site.settings) != _runs_scripts_by(self.site.settings)
        scripts = (
            [wireslurm.scripts(site.settings, site.state_dir, site.config_path)] if anew else []
        )
        self._ground = self._ground._replace(
            status_of=new.status_of, hands_of=new.hands_of, lost_s=new.lost_s
        )
        self._share = share
        self.drop(runs, now)
        self.daemon.renew(beside, site.settings.heartbeat_interval_s)
        self.go_on(site, runs, kept, ways)
        for each in scripts:
            self._keeper.run_scripts(each)
        self._keeper.renew(self._ground, share)
        return ()


def _runs_scripts_by(settings: Settings) -> tuple[object, ...]:
    return settings.scripts, settings.slurm.deadline_s
