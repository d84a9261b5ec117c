"""trainwatch report --html: one run as a page that anybody may see."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trainwatch.app import clock
from trainwatch.app.exporting.history import history
from trainwatch.app.publishing.making import Maker
from trainwatch.app.reporting import files
from trainwatch.app.wire import Site
from trainwatch.core.beat import judged
from trainwatch.core.errors import ExitCode, StoreFull, TrainwatchError, UsageError

if TYPE_CHECKING:
    from trainwatch.app.commands.report import Asked


def write(asked: "Asked", file: Path) -> ExitCode:
    """Write the page of a run, its log read up to its end. Raises UsageError, and as `history`."""
    others = (
        asked.filters,
        asked.sort,
        asked.tokens,
        asked.plot,
        asked.name_pattern,
        asked.goodput,
    )
    if len(asked.logs) != 1 or any((*others, asked.jobs, asked.slurm)) or asked.form != "md":
        raise UsageError("--html FILE goes with one log or run, and --config, only")
    if not file.absolute().parent.is_dir():
        raise UsageError(f"--html {file}: the folder {file.parent} does not exist")
    site, now = Site(asked.settings()), clock.now()
    run = site.run_of(asked.logs[0])
    with history(site, run, now) as found:
        published = found.reader.status()
        status = judged(published, now) if published is not None else None
        made = Maker(found.reader, run.facts(), run.public.shown).make(now, status)
    if made is None:
        raise StoreFull(
            f"nothing could be kept of {run.log}; is the disk of the state folder full?"
        )
    _write(file, made.page.decode())
    click.echo(f"written: {file}", err=True)
    return ExitCode.OK


def _write(file: Path, text: str) -> None:
    """At once, so that nobody is shown half a page. Raises TrainwatchError."""
    try:
        file.touch()  # with the permissions of any new file
    except OSError as error:
        raise TrainwatchError(f"--html {file}: {error.strerror}") from error
    files.replace(file, text)
