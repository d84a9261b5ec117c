"""trainwatch report --update-table: the TFLOPs column of a Markdown table, computed anew."""

from pathlib import Path
from typing import TYPE_CHECKING

import click

from trainwatch.app.reporting import files
from trainwatch.app.reporting.retable import Given, retabled
from trainwatch.core.errors import ExitCode, UsageError

if TYPE_CHECKING:
    from trainwatch.app.commands.report import Asked


def update(asked: "Asked", file: Path) -> ExitCode:
    """Print the table, or write it back. Raises UsageError."""
    if asked.logs:
        raise UsageError("--update-table computes from the table's own columns; name no logs")
    before = files.read(file)
    try:
        given = Given(asked.seq_length, asked.gpus_per_node, not asked.no_recompute)
        table = retabled(before, given)
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error
    for row in table.left:
        click.echo(f"{file} line {row.line} stays as it is: {row.why}", err=True)
    if not asked.in_place:
        click.echo(files.encode(table.text), nl=False)
    elif table.text != before:
        files.replace(file, table.text)
    done = (
        "computed"
        if not asked.in_place
        else "written"
        if table.text != before
        else "were right already"
    )
    click.echo(f"{table.computed} rows {done}", err=True)
    return ExitCode.OK
