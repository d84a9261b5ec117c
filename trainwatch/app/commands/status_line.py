"""trainwatch status --line: one short line, for prompts and status bars, soon.

The trap: a prompt prints whatever comes, and hides why. So a run that cannot be looked at is in the line,
too; only what is wrong with the command or its configuration goes to stderr.
"""

import sys

import click

from trainwatch.app import clock, looking
from trainwatch.app.commands.status import exit_code
from trainwatch.app.oneline import WIDTH as USUAL_WIDTH
from trainwatch.app.oneline import line
from trainwatch.app.wire import Site
from trainwatch.core.errors import TrainwatchError

__all__ = ["USUAL_WIDTH", "tell"]


def tell(site: Site, log_or_run: str | None, width: int) -> int:
    """Print the line; the exit code is that of `status`. Raises UsageError where no run is meant."""
    now, failed = clock.now(), None
    runs = [site.run_of(log_or_run)] if log_or_run else site.runs()
    statuses = []
    for run in runs:
        try:
            statuses.append(looking.glance(site, run, now))
        except TrainwatchError as error:
            failed = error
            statuses.append(looking.why_not(run, error))
    click.echo(_sayable(line(statuses, width)))
    return failed.exit_code if failed and log_or_run else exit_code(statuses)


def _sayable(text: str) -> str:
    """Names in any script, also where the terminal's encoding has no letters for them."""
    encoding = sys.stdout.encoding or "utf-8"
    return text.encode(encoding, "replace").decode(encoding)
