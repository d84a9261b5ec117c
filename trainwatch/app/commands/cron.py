"""trainwatch cron: its own life on a Slurm cluster."""

import os
import socket
from pathlib import Path
from typing import TYPE_CHECKING

import click
import msgspec

from trainwatch.app import chain as words_of
from trainwatch.app import clock, config, words
from trainwatch.app.commands.shared import place_options, say, site_of, site_options
from trainwatch.core.errors import ExitCode, SchedulerUnknown, TrainwatchError, UsageError
from trainwatch.core.model.cron import CronStatus, ShardStatus
from trainwatch.core.words import clean

if TYPE_CHECKING:
    from trainwatch.app.wire import Site

_EXITS = {"ok": ExitCode.OK, "unknown": ExitCode.UNKNOWN}
_MOST_SHARDS = 64
_WIDTH = 200


@click.group(name="cron")
def command() -> None:
    """Live on a Slurm cluster without crontab: a job that submits its own successor.

    \b
    Example:
      trainwatch cron start      one job in the partition of [cron], for as long as you want
      trainwatch cron status     is it well, and what comes next
      trainwatch cron stop       nothing of it is left
    """


@command.command()
@click.option(
    "--shards",
    type=click.IntRange(1, _MOST_SHARDS),
    default=1,
    show_default=True,
    help="A job array of so many watchers; each has its share of the runs.",
)
@click.option("--dry-run", is_flag=True, help="Print what would be submitted, and submit nothing.")
@site_options
def start(shards: int, dry_run: bool, site: "Site") -> int:
    """Submit the job that watches; harmless where it runs already.

    \b
    Example:
      trainwatch cron start --dry-run
    """
    from trainwatch.app.cron import starting
    from trainwatch.app.cron.wire import CronSite
    from trainwatch.core.slurm import submitting

    cron = CronSite(site)
    if dry_run:
        import shlex

        job = cron.job(shards)
        click.echo(f"# {shlex.join(submitting.argv(job))}\n{job.script}", nl=False)
        return ExitCode.OK
    if site.settings.cron.keeper == "scrontab":
        return _scrontab(site, wanted=True)
    try:
        started = starting.start(cron, shards, clock.now())
    except SchedulerUnknown as error:
        say(f"trainwatch: {starting.why_not(error)}")
        return error.exit_code
    if started.job_id:
        say(f"submitted as job {started.job_id}; state in {cron.files.state_dir}")
    else:
        jobs = ", ".join(link.job_id for link in started.links)
        say(f"it is there already (job {jobs}): nothing was submitted")
    return ExitCode.OK


@command.command()
@site_options
def stop(site: "Site") -> int:
    """Cancel all jobs of the chain; `ensure` leaves it stopped."""
    from trainwatch.app.cron import starting
    from trainwatch.app.cron.files import CronFiles

    if site.settings.cron.keeper == "scrontab":
        _scrontab(site, wanted=False)
    done = starting.stop(CronFiles(site.state_dir, site.settings), clock.now, clock.wait)
    jobs = ", ".join(link.job_id for link in done.cancelled)
    if jobs:
        say(f"stopped: job {jobs}")
    if done.unkept:
        say(
            f"trainwatch: {done.unkept}. So it could not be marked as stopped, and `trainwatch cron "
            "ensure` starts it again: make room, then stop it once more"
        )
        return ExitCode.UNKNOWN
    if done.why:
        say(
            f"trainwatch: {done.why}. It is marked as stopped: a job that still runs ends itself "
            "when it sees that; look again with `trainwatch cron status`"
        )
        return ExitCode.UNKNOWN
    if not jobs:
        say("nothing of it runs or waits; it stays stopped")
    return ExitCode.OK


@command.command()
@click.option("--json", "as_json", is_flag=True, help="For machines.")
@site_options
def status(as_json: bool, site: "Site") -> int:
    """Say whether the chain is well, from the queue and its heartbeats; the exit code says it too."""
    from trainwatch.app.cron import starting
    from trainwatch.app.cron.wire import CronSite

    now = clock.now()
    found = starting.status(CronSite(site), now)
    click.echo(msgspec.json.encode(found).decode() if as_json else _text(found, now))
    return _EXITS.get(found.health, ExitCode.UNHEALTHY)


@command.command()
@site_options
def tick(site: "Site") -> int:
    """A single tick: look at every run, tell what is new, run the scripts that are due.

    For a crontab, or Slurm's own scrontab; it submits no successor.
    """
    from trainwatch.app.cron import job
    from trainwatch.app.cron.ground import Place
    from trainwatch.app.wire import Site

    place = job.place_of(os.environ, 1)
    stopping = job.Stopping()
    stopping.heed_signals()
    cron = msgspec.structs.replace(site.settings.cron, mode="ticks")
    settings = msgspec.structs.replace(site.settings, cron=cron)
    ticking = Site(settings, site.state_dir, config_path=site.config_path)
    here = place or Place("", host=socket.gethostname())
    return job.run(ticking, here, stopping, say, tends=False)


@command.command()
@place_options
def ensure(config_file: Path | None, state_dir: Path | None) -> int:
    """Restart a dead chain; cheap and silent else. For a shell's profile, or a training script.

    \b
    Example:
      trainwatch cron ensure     # a thousand times an hour, if need be
    """
    from trainwatch.app.cron.files import CronFiles

    settings, now = config.load(config_file or config.default_path()), clock.now()
    files = CronFiles(config.state_dir(settings, state_dir), settings)
    if settings.cron.keeper == "scrontab" or files.is_well(now):
        return ExitCode.OK
    from trainwatch.app.cron import starting
    from trainwatch.app.cron.wire import CronSite

    done = starting.ensure(CronSite(site_of(config_file, state_dir)), now)
    if done:
        say(f"trainwatch cron: {done}")
    return ExitCode.OK


@command.command(hidden=True)
@click.option("--config", "config_file", type=click.Path(path_type=Path))
@click.option("--state-dir", type=click.Path(path_type=Path), required=True)
@click.option("--shards", type=click.IntRange(1, _MOST_SHARDS), default=1)
def job(config_file: Path | None, state_dir: Path, shards: int) -> int:
    """What the job of the chain runs."""
    from trainwatch.app.cron import job, starting
    from trainwatch.app.cron.files import CronFiles
    from trainwatch.app.cron.wire import CronSite

    stopping = job.Stopping()
    stopping.heed_signals()
    place = job.place_of(os.environ, shards)
    if place is None:
        raise UsageError("this runs in a job of Slurm; what starts one is `trainwatch cron start`")
    files = CronFiles(state_dir)
    try:
        site = site_of(config_file, state_dir)
        if os.environ.get("SLURM_JOB_NAME") != files.name:  # submitted by hand
            started = starting.start(CronSite(site), shards, clock.now()).job_id
            say(f"started as job {started}" if started else "the chain is there already")
            return ExitCode.OK
        return job.run(site, place, stopping, say)
    except TrainwatchError as error:
        return job.limp(files, place, error, stopping, say)


def _scrontab(site: "Site", *, wanted: bool) -> int:
    from trainwatch.app.cron import slurmcron
    from trainwatch.app.cron.wire import CronSite

    say(slurmcron.put(CronSite(site), clock.now(), wanted=wanted))
    return ExitCode.OK


def _text(found: CronStatus, now: float) -> str:
    next_up = found.successor
    lines = [
        ("cron", found.health + (f": {found.why}" if found.why else "")),
        *[("job", words_of.running(job, now)) for job in found.running],
        *([("next", words_of.waiting(next_up, now))] if next_up is not None else []),
        *([("so far", words_of.about(found, now))] if found.started_at is not None else []),
        *[("watches", _watcher(shard, now)) for shard in found.shards],
        *[("script", f"{script.name}: {words_of.ended(script)}") for script in found.scripts],
        *[("trouble", trouble) for trouble in found.troubles],
    ]
    return "\n".join(f"{title:<9}{clean(text, _WIDTH)}" for title, text in lines)


def _watcher(shard: ShardStatus, now: float) -> str:
    ago = words.duration(max(0.0, now - shard.at))
    return f"{words_of.watches(shard)}; on {shard.host}, seen {ago} ago"
