"""What people ask of the chain: start, stop, ensure, status. Each is safe to ask for any number of times."""

from collections.abc import Callable
from typing import NamedTuple

from msgspec.structs import replace

from trainwatch.app.cron.chain import Stopped
from trainwatch.app.cron.files import CronFiles
from trainwatch.app.cron.wire import CronSite
from trainwatch.core import chainhealth
from trainwatch.core.chain import Link
from trainwatch.core.chainhealth import Seen
from trainwatch.core.errors import LeaseHeld, SchedulerUnknown, StoreUnusable, TrainwatchError
from trainwatch.core.model.chain import ChainRecord
from trainwatch.core.model.cron import CronStatus

_ASKED_S = 60.0  # so seldom does `ensure` ask the queue, however often it is called
_GONE_S = 60.0  # a cancelled job takes so long to be gone, at most
_FIRST_LOOK_S, _LONGEST_LOOK_S = 0.5, 8.0


class Started(NamedTuple):
    """`job_id` is empty where the chain ran already; then `links` are its jobs."""

    job_id: str
    links: tuple[Link, ...]


def start(site: CronSite, shards: int, now: float) -> Started:
    """Submit the first job, unless there is one.

    Raises UsageError where no run is configured, and as Chain.start.
    """
    site.site.runs()
    job = site.job(shards)
    record = ChainRecord(
        wanted=True,
        at=now,
        by=site.files.user,
        shards=shards,
        job=job,
        interval_s=site.files.interval_s,
    )
    chain = site.files.chain(job)
    job_id = chain.start(record, site.files.slurm.queue, now)
    return Started(job_id, chain.links(site.files.slurm.queue()))


def stop(files: CronFiles, now: Callable[[], float], pause: Callable[[float], None]) -> Stopped:
    """Cancel all of the chain and wait until it is gone.

    Raises as Chain.stop.
    """
    chain, began = files.chain(), now()
    cancelled, why, unkept = chain.stop(files.slurm.queue, began, files.user)
    look_s, left = _FIRST_LOOK_S, cancelled
    while left and not why and now() - began < _GONE_S:
        pause(look_s)
        look_s = min(2 * look_s, _LONGEST_LOOK_S)
        try:
            left = chain.links(files.slurm.queue())
            chain.cancel([link for link in left if link.waits])
        except SchedulerUnknown as error:
            why = str(error)
    if left and not why:
        why = f"job {left[0].job_id} is still ending"
    if not why:
        files.beats.clear()
    unkept = unkept or _publish(files, None if why else left, why, now())
    return Stopped(cancelled, why, unkept)


def ensure(site: CronSite, now: float) -> str:
    """Restart a chain that is dead, and start one that never was; what was done, empty for nothing.

    A heartbeat that is fresh is enough: then nobody is asked. Raises as `start`.
    """
    files = site.files
    if files.is_well(now):
        return ""
    record = files.file.read()
    if files.file.asked_lately(now, _ASKED_S):
        return ""
    try:
        if record is None:
            started = start(site, 1, now).job_id
        else:
            job = site.job(record.shards)
            started = files.chain(job).restart(files.slurm.queue, now)
    except LeaseHeld:  # somebody else is at it
        return ""
    return f"started as job {started}" if started else ""


def status(site: CronSite, now: float) -> CronStatus:
    """From the queue, asked now, and the heartbeats. Raises StoreUnusable."""
    files, cron = site.files, site.settings.cron
    links, why = None, ""
    try:
        links = files.chain().links(files.slurm.queue())
    except SchedulerUnknown as error:
        why = str(error)
    record, kept = files.file.read(), files.status.read()
    seen = Seen(record, links, files.beats.read(), why, cron.keeper)
    mode = kept.mode if kept is not None and record is None else cron.mode  # a crontab's ticks
    judged = chainhealth.judged(seen, now, mode, cron.interval_s)
    if kept is not None:
        judged = replace(judged, scripts=kept.scripts, troubles=kept.troubles)
    return judged


def _publish(files: CronFiles, links: tuple[Link, ...] | None, why: str, now: float) -> str:
    """For the screens; why that could not be."""
    try:
        seen = Seen(files.file.read(), links, (), why)
        files.writer.write(chainhealth.judged(seen, now, "daemon", files.interval_s))
    except StoreUnusable as error:
        return str(error)
    except OSError as error:
        return f"{files.state_dir}: {error.strerror}"
    return ""


def why_not(error: TrainwatchError) -> str:
    """What a failed start means for whoever asked."""
    if isinstance(error, SchedulerUnknown):
        return (
            f"{error}. Nobody knows whether it was submitted: `trainwatch cron status` in a minute"
        )
    return str(error)
