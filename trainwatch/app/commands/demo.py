"""trainwatch demo: a simulated training job, live on the screen or as status lines."""

import shutil
import tempfile
from collections.abc import Callable
from pathlib import Path

import click

from trainwatch.app import clock, words
from trainwatch.app.commands.shared import leaving_in_order
from trainwatch.app.config import Settings
from trainwatch.app.daemon import Loop
from trainwatch.app.simulating import DEMO, DEMO_SPEED, LiveRun, clock_of
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode
from trainwatch.core.model.status import Status

_LINE_INTERVAL_S = 2.0
_POLL_INTERVAL_S = 1.0
_FOR_S = 30.0  # without a terminal nobody can end it


@click.command(name="demo")
@click.option("--headless", is_flag=True, help="Print status lines instead of opening the screen.")
@click.option("--for", "for_s", type=click.FloatRange(min=0), help="End after so many seconds.")
@click.option("--scenario", default=DEMO, show_default=True, help="See trainwatch simulate --list.")
@click.option("--speed", type=click.FloatRange(min=0.1), default=DEMO_SPEED, show_default=True)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
def command(headless: bool, for_s: float | None, scenario: str, speed: float, seed: int) -> int:
    """Watch a simulated training job, live. Everything is in a temporary folder that is removed.

    The clock passes as fast as the job's, up to 60 times: what takes an hour in life takes a minute.

    \b
    Example:
      trainwatch demo
      trainwatch demo --headless --for 20
      trainwatch demo --scenario evaluation-hang
    """
    with leaving_in_order():
        return _demo(headless, for_s, scenario, speed, seed)


def _demo(headless: bool, for_s: float | None, scenario: str, speed: float, seed: int) -> int:
    from trainwatch.app.commands.tui import has_terminal

    folder = Path(tempfile.mkdtemp(prefix="trainwatch-demo-"))
    try:
        now = clock_of(speed)
        site = Site(Settings(poll_interval_s=_POLL_INTERVAL_S), folder / "state", now)
        with LiveRun(folder / scenario, scenario, speed=speed, seed=seed, now=now) as run:
            if headless or not has_terminal():
                code = _headless(site, run.log, for_s or _FOR_S, now)
            else:
                code = _on_screen(site, run.log, for_s)
        if run.error is not None:
            raise run.error
        return code
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _headless(site: Site, log: Path, for_s: float, now: Callable[[], float]) -> int:
    """Status lines until the time is over; fails if no iteration was seen."""
    daemon = site.daemon([site.run_of(str(log))])
    loop = Loop(daemon, _POLL_INTERVAL_S, now=now)
    loop.start()
    end = clock.now() + for_s
    try:
        while (left := end - clock.now()) > 0:
            loop.wait(min(_LINE_INTERVAL_S, left))
            click.echo(line(daemon.runs[0].status(now()), now()))
    finally:
        loop.stop()
    seen = daemon.runs[0].state.open is not None
    return ExitCode.OK if seen else ExitCode.UNHEALTHY


def line(status: Status, now: float) -> str:
    """A status in a line."""
    loss = "NaN" if status.loss_is_nan else words.number(status.loss)
    target = f" / {status.target_iteration:,}" if status.target_iteration else ""
    parts = [
        words.when(now, now),
        f"{status.health:<8}",
        f"iteration {words.number(status.iteration)}{target}",
        words.step_time(status.step_time_s),
        f"{words.number(status.tflops)} TFLOPs/GPU",
        f"loss {loss}",
        f"ETA {words.duration(status.eta_s)}",
    ]
    if status.iteration is None:
        parts[2:] = [status.phase]
    parts += [f"{alert.severity.upper()} {alert.rule}" for alert in status.alerts]
    return "   ".join(parts)


def _on_screen(site: Site, log: Path, for_s: float | None) -> int:
    from trainwatch.app.commands.tui import Look, open_screen

    open_screen(site, site.run_of(str(log)), Look(for_s=for_s))
    return ExitCode.OK
