"""trainwatch score: how good the rules are, on simulated incidents and healthy runs."""

from pathlib import Path

import click

from trainwatch.app.commands.shared import say, site_options
from trainwatch.app.progress import progress
from trainwatch.app.scoring.rendering import Scored, page
from trainwatch.app.scoring.suite import carried_out, tasks
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode, TrainwatchError


@click.command(name="score")
@click.option(
    "--hours",
    type=click.FloatRange(min=0, max=2_100),
    default=2_000.0,
    show_default=True,
    help="Run-hours of each healthy run; 0: incidents only.",
)
@click.option(
    "--write", type=click.Path(path_type=Path, dir_okay=False), help="Write the page there, too."
)
@site_options
def command(hours: float, write: Path | None, site: Site) -> int:
    """Play every incident and healthy run before the rules, and say what they are worth.

    For each rule: incidents caught, how late, false alarms per 1,000 run-hours of health. With your own
    thresholds (--config) it says what they would cost. The exit code is 1 if an incident is missed, told
    late, or if there is more than one false alarm per 1,000 run-hours.

    \b
    Example:
      trainwatch score --hours 200
    """
    todo = tasks(site.settings.alerts, hours)
    with progress("playing", len(todo), unit=" scenarios") as shown:
        done = list(carried_out(todo, lambda marked: shown.advance(1)))
    scored = Scored(
        tuple(marked for task, marked in done if task.is_incident),
        tuple(marked for task, marked in done if not task.is_incident),
    )
    text = page(scored)
    click.echo(text, nl=False)
    if write is not None:
        try:
            write.write_text(text)
        except OSError as error:
            raise TrainwatchError(f"cannot write {write}: {error.strerror}") from error
        say(f"written to {write}")
    return ExitCode.OK if scored.holds else ExitCode.UNHEALTHY
