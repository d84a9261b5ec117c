"""trainwatch schema: what other programs may rely on, as JSON Schemas."""

from pathlib import Path

import click

from trainwatch.app import schemas
from trainwatch.app.commands.shared import say
from trainwatch.core.errors import ExitCode, TrainwatchError, UsageError


@click.command(name="schema")
@click.argument("name", required=False)
@click.option(
    "--write",
    type=click.Path(path_type=Path, file_okay=False),
    metavar="FOLDER",
    help="Instead: write them all there, a file each.",
)
def command(name: str | None, write: Path | None) -> int:
    """Print the JSON Schema of what a command prints as JSON; without NAME, which there are.

    \b
    Example:
      trainwatch schema status > status.schema.json
    """
    if write is not None:
        if name is not None:
            raise UsageError("--write writes all schemas; leave the name out")
        _write(write)
    elif name is None:
        for known, schema in schemas.SCHEMAS.items():
            click.echo(f"{known:<10} {schema.title}")
    elif name in schemas.SCHEMAS:
        click.echo(schemas.text(name), nl=False)
    else:
        raise UsageError(f"there is no schema '{name}'; there are: {', '.join(schemas.SCHEMAS)}")
    return ExitCode.OK


def _write(folder: Path) -> None:
    """Raises TrainwatchError where that cannot be."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        for name in schemas.SCHEMAS:
            (folder / f"{name}.json").write_text(schemas.text(name))
            say(f"wrote {folder / name}.json")
    except OSError as error:
        raise TrainwatchError(f"cannot write into {folder}: {error.strerror}") from error
