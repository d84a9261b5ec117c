"""A job of the chain, from its first moment to its hand-over.

First the successor, then everything else: whatever goes wrong here, the next job comes.
"""

import signal
import socket
from collections.abc import Callable, Mapping
from pathlib import Path
from types import FrameType

from msgspec.structs import replace

from trainwatch.app import clock, wireslurm
from trainwatch.app.cron.files import CronFiles
from trainwatch.app.cron.ground import Place
from trainwatch.app.cron.keeper import Keeper
from trainwatch.app.cron.renewing import Job
from trainwatch.app.cron.settings import CronSettings
from trainwatch.app.cron.share import Share
from trainwatch.app.cron.wire import CronSite
from trainwatch.app.daemon import Daemon, Loop
from trainwatch.app.reload import Reload, file_of
from trainwatch.app.wire import Site, hints
from trainwatch.core.chainhealth import Seen, judged
from trainwatch.core.errors import ExitCode, TrainwatchError

_PATIENCE_S = 60.0  # a single tick waits so long for its messages
_SOONER_S = 45.0  # Slurm's signal comes up to half a minute early, and the end needs a moment
_LEAST_BUDGET_S = 5.0
_LIMP_S = 30.0  # between tries for a successor

Say = Callable[[str], None]


class Stopping:
    """That this process has to end: by Slurm's signal, or by a reason of ours. Safe in a signal handler."""

    def __init__(self) -> None:
        self.why = ""
        self.wake: Callable[[], None] = lambda: None

    def stop(self, why: str) -> None:
        """End soon."""
        self.why = self.why or why
        self.wake()

    def heed_signals(self) -> None:
        """Slurm's warning before the limit, a cancel, and Ctrl-C."""
        for number, why in (
            (signal.SIGUSR1, "the time limit is near"),
            (signal.SIGTERM, "cancelled"),
            (signal.SIGINT, "interrupted"),
        ):
            signal.signal(number, self._handler(why))

    def _handler(self, why: str) -> Callable[[int, FrameType | None], None]:
        return lambda *_: self.stop(why)


def place_of(environment: Mapping[str, str], shards: int) -> Place | None:
    """Where in the chain we are, as Slurm tells its jobs; None outside of a job."""
    host = environment.get("SLURMD_NODENAME") or socket.gethostname()
    job_id = environment.get("SLURM_ARRAY_JOB_ID") or environment.get("SLURM_JOB_ID")
    if not job_id:
        return None
    task = environment.get("SLURM_ARRAY_TASK_ID", "0")
    return Place(job_id, int(task) if shards > 1 and task.isdigit() else 0, shards, host)


def run(site: Site, place: Place, stopping: Stopping, say: Say, *, tends: bool = True) -> int:
    """Watch until we have to end, or for one tick. Raises what the loop raised."""
    cron, now = CronSite(site), clock.now()
    cron.files.file.rotate(cron.files.output(place.shards, place.task))
    ground = cron.ground(place.shards, tends=tends)
    share = Share(cron, place.task, place.shards, now, ground.lost_s)
    ticks = site.settings.cron.mode == "ticks"
    mine = wireslurm.scripts(
        site.settings, site.state_dir, site.config_path, patience_s=1.0 if ticks else 0.0
    )
    keeper = Keeper(ground, place, share, stopping.stop, mine)
    jobs = keeper.begin(now)
    say(_began(keeper, place))
    if stopping.why:
        say(f"ends: {stopping.why}")
        return ExitCode.OK
    try:
        shard = place.task if place.shards > 1 else None
        daemon = cron.daemon(keeper, once=ticks, shard=shard)
        if daemon.queues is not None and jobs is not None:
            daemon.queues.prime(jobs, now)
        for found in share.first():
            keeper.adopt(found, daemon)
        keeper.beat(clock.now(), daemon)
        if ticks:
            _tick(daemon, keeper, site, stopping)
        else:
            _watch(daemon, keeper, Job(daemon, site, keeper, ground, share), stopping, say)
    finally:
        keeper.finish(clock.now, clock.wait, lambda: _left_s(site.settings.cron, stopping))
    say(f"ends: {stopping.why or 'the tick is done'}")
    return ExitCode.OK


def _left_s(cron: CronSettings, stopping: Stopping) -> float:
    """How long to try for a successor: a tick has its whole limit, a job told to end what Slurm leaves it."""
    if stopping.why:
        return max(_LEAST_BUDGET_S, cron.hand_over_s - _SOONER_S)
    return max(_LEAST_BUDGET_S, cron.time_limit_s - 2 * cron.hand_over_s)


def _began(keeper: Keeper, place: Place) -> str:
    tended = keeper.tended
    next_id = tended.submitted or (tended.successor.job_id if tended.successor else "")
    shard = f" (shard {place.task} of {place.shards})" if place.shards > 1 else ""
    follows = f", successor {next_id}" if next_id else ""
    trouble = f"; {tended.trouble}" if tended.trouble else ""
    return f"job {place.job_id}{shard} on {place.host} watches{follows}{trouble}"


def _watch(daemon: Daemon, keeper: Keeper, job: Job, stopping: Stopping, say: Say) -> None:
    reload = Reload(job, file_of(job.site), say, now=clock.now(), is_job=True)
    loop = Loop(daemon, job.site.settings.poll_interval_s, reload.tick)
    reload.took = lambda site: loop.every(site.settings.poll_interval_s)
    stopping.wake = loop.stop_soon
    loop.start()
    if stopping.why:
        loop.stop_soon()
    with hints([Path(run.log_path) for run in daemon.runs], loop.wake):
        loop.wait()
    loop.stop(lambda: keeper.end_scripts(clock.now(), daemon))
    reload.close()
    if loop.error is not None:
        raise loop.error


def _tick(daemon: Daemon, keeper: Keeper, site: Site, stopping: Stopping) -> None:
    """One tick: everything that there is to read, and the scripts that are due."""
    try:
        while daemon.tick(clock.now()) and not stopping.why:
            pass
        while keeper.busy and not stopping.why:
            clock.wait(1.0)
            daemon.tick(clock.now())
        keeper.end_scripts(clock.now(), daemon)
        daemon.tell_out(clock.now(), _PATIENCE_S)
        keeper.beat(clock.now(), daemon)
    finally:
        daemon.close()


def limp(
    files: CronFiles, place: Place, error: TrainwatchError, stopping: Stopping, say: Say
) -> int:
    """Without a configuration that can be read: keep the chain alive, and say what is wrong."""
    said = f"job {place.job_id} watches nothing: {error}"
    chain, follows = files.chain(), ""
    while not follows and not stopping.why:  # until Slurm says that the time is over
        now = clock.now()
        try:
            jobs = files.slurm.queue()
            tended = chain.tend(jobs, now, now, place.job_id)
            follows = tended.successor.job_id if tended.successor else tended.submitted
            follows = follows or tended.end
            say(f"{said}; then {follows or tended.trouble}")
            seen = Seen(files.file.read(), chain.links(jobs), files.beats.read())
            status = judged(seen, now, "daemon", files.interval_s)
            files.writer.write(replace(status, health="warning", why=str(error)))
        except (TrainwatchError, OSError) as trouble:
            say(f"{said}; {trouble}")
        if not follows:
            clock.wait(_LIMP_S)
    return error.exit_code
