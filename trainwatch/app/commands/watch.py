"""trainwatch watch: the daemon in the foreground."""

import signal
from pathlib import Path

import click

from trainwatch.app import clock, recording
from trainwatch.app.commands.shared import say, site_options
from trainwatch.app.commands.status import text
from trainwatch.app.config import RunSettings
from trainwatch.app.daemon import Daemon, Loop
from trainwatch.app.logfile import check_log, there
from trainwatch.app.reload import Reload, file_of
from trainwatch.app.renewing import Watching
from trainwatch.app.wire import Site, hints
from trainwatch.core.errors import ExitCode, LogUnreadable

_PATIENCE_S = 60.0  # a single tick waits so long for its messages


@click.command(name="watch")
@click.argument("logs_or_runs", nargs=-1)
@click.option("--once", is_flag=True, help="A single tick: read what is there, keep it, exit.")
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write every observation to this file, for `trainwatch replay`.",
)
@site_options
def command(logs_or_runs: tuple[str, ...], once: bool, record: Path | None, site: Site) -> int:
    """Watch runs in the foreground, and keep what is seen for `status` and `tui`.

    Without a log, the runs of the configuration. A run that another process watches is left to it.

    \b
    Example:
      trainwatch watch main_log.txt
    """

    def choose(site: Site) -> list[RunSettings]:
        return _watchable([site.run_of(name) for name in logs_or_runs] or site.runs())

    runs = choose(site)
    with recording.writer(record) as recorder:
        daemon = site.daemon(runs, recorder, once=once, hands=True)
        for why in (*daemon.left, *(run.warning for run in daemon.runs if run.warning)):
            say(f"trainwatch: {why}")
        if once:
            return _once(daemon)
        return _until_stopped(daemon, Watching(daemon, site, runs, choose, recorder))


def _watchable(runs: list[RunSettings]) -> list[RunSettings]:
    """Without what can never be a log. Raises LogUnreadable where nothing is left; a log may come later."""
    found, refused = list[RunSettings](), list[LogUnreadable]()
    for run in runs:
        try:
            if there(Path(run.log)):
                check_log(Path(run.log))
            found.append(run)
        except LogUnreadable as error:
            refused.append(error)
    if refused and not found:
        raise refused[0]
    for why in refused:
        say(f"trainwatch: left out: {why}")
    return found


def _once(daemon: Daemon) -> int:
    now = clock.now()
    while daemon.tick(now):
        pass
    blind = [run for run in daemon.runs if run.blind or not run.state.attempts]
    for run in daemon.runs:
        click.echo(text(run.status(now), now))
    daemon.tell_out(clock.now(), _PATIENCE_S)
    daemon.close()
    return ExitCode.UNKNOWN if blind else ExitCode.OK


def _until_stopped(daemon: Daemon, watching: Watching) -> int:
    site, told = watching.site, set[str]()
    reload = Reload(watching, file_of(site), say, now=clock.now())

    def ticked(now: float) -> None:
        for run, error in daemon.given_up.items():
            if run.name not in told:
                told.add(run.name)
                say(f"trainwatch: {run.blind or error}")
        reload.tick(now)

    loop = Loop(daemon, site.settings.poll_interval_s, ticked)
    reload.took = lambda site: loop.every(site.settings.poll_interval_s)
    for number in (signal.SIGINT, signal.SIGTERM):
        signal.signal(number, lambda *_: loop.stop_soon())
    names = ", ".join(run.name for run in daemon.runs)
    say(f"watching {names} every {site.settings.poll_interval_s:g} s; state in {site.state_dir}")
    loop.start()
    with hints([Path(run.log_path) for run in daemon.runs], loop.wake):
        loop.wait()
    loop.stop()
    reload.close()
    if loop.error is not None:
        raise loop.error
    return ExitCode.OK
