"""trainwatch report --goodput: where the hours of runs went."""

from collections.abc import Iterable
from typing import TYPE_CHECKING

import click

from trainwatch.app import clock
from trainwatch.app.reporting import hours
from trainwatch.app.reporting.hours import Hours
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode, TrainwatchError, UsageError

if TYPE_CHECKING:
    from trainwatch.app.commands.report import Asked


def goodput(asked: "Asked") -> ExitCode:
    """Where the hours went, run by run. Raises UsageError; of one run alone what is wrong with it."""
    others = (asked.filters, asked.sort, asked.tokens, asked.plot, asked.name_pattern)
    if any((*others, asked.peak_tflops, asked.jobs)) or asked.form not in {"md", "json"}:
        raise UsageError(
            "--goodput goes with logs or runs, --format md|json, --slurm and --config only"
        )
    read, lost = _read(asked)
    told = [each for each in read if isinstance(each, Hours)]
    wrong = [each for each in read if isinstance(each, TrainwatchError)]
    if wrong and not told and not lost:
        raise wrong[0]
    for why in wrong:
        click.echo(f"trainwatch: {why}", err=True)
    click.echo(hours.markdown(told) if asked.form == "md" else hours.json(told), nl=False)
    return ExitCode.UNHEALTHY if wrong or lost else ExitCode.OK


def _read(asked: "Asked") -> tuple[Iterable[Hours | TrainwatchError | None], bool]:
    site, now = Site(asked.settings()), clock.now()
    if asked.slurm is None:
        return list(hours.each(site, asked.logs, now)), False
    from trainwatch.app.commands import report_slurm

    return report_slurm.accounts(asked.logs, site, now, asked.slurm)
