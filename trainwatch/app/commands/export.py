"""trainwatch export: a row per iteration, for other programs."""

import os
import sys
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import BinaryIO

import click

from trainwatch.app import clock
from trainwatch.app.commands.shared import say, site_options
from trainwatch.app.exporting import parquet, tensorboard, text
from trainwatch.app.exporting.history import History, history
from trainwatch.app.progress import progress
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode, TrainwatchError, UsageError

Told = Callable[[int], None]
_TEXT: dict[str, Callable[[History, Told], Iterable[bytes]]] = {
    "csv": text.csv,
    "jsonl": text.jsonl,
}
_CHECKS = {"parquet": parquet.check, "tensorboard": tensorboard.check}


@click.command(name="export")
@click.argument("log_or_run")
@click.option(
    "--format",
    "form",
    type=click.Choice((*_TEXT, *_CHECKS)),
    default="csv",
    show_default=True,
    help="Parquet and TensorBoard need an extra: pip install 'trainwatch[parquet,tensorboard]'.",
)
@click.option(
    "-o",
    "--output",
    type=click.Path(path_type=Path),
    help="The file to write, for TensorBoard the folder. Default for csv and jsonl: stdout.",
)
@site_options
def command(log_or_run: str, form: str, output: Path | None, site: Site) -> int:
    """Write a row per iteration: every value of the log, with attempt and time.

    \b
    Examples:
      trainwatch export main_log.txt > run.csv
      trainwatch export main_log.txt --format parquet -o run.parquet
    """
    if form in _CHECKS:
        _CHECKS[form]()
    _check(form, output)
    with history(site, site.run_of(log_or_run), clock.now()) as found:
        with progress("writing", found.rows, " rows") as shown:
            _write(found, form, output, shown.advance)
        if not found.rows:
            say(f"{log_or_run} holds no iteration yet: there are no rows")
    return ExitCode.OK


def _check(form: str, output: Path | None) -> None:
    """Raise UsageError for a place that cannot be written, before anything is read."""
    if output is None:
        if form in _CHECKS:
            kind = "folder" if form == "tensorboard" else "file"
            raise UsageError(f"--format {form} needs -o and the {kind} to write")
        return
    if form == "tensorboard" and output.exists() and not output.is_dir():
        raise UsageError(f"-o {output}: expected a folder for TensorBoard, this is a file")
    if form == "tensorboard" and tensorboard.holds_events(output):
        raise UsageError(
            f"-o {output} holds TensorBoard events already, which would be drawn a second time; "
            "name another folder"
        )
    if form != "tensorboard" and output.is_dir():
        raise UsageError(
            f"-o {output} is a folder; name a file in it, e.g. {output / 'run'}.{form}"
        )
    if not output.absolute().parent.is_dir():
        raise UsageError(f"-o {output}: the folder {output.parent} does not exist")


def _write(found: History, form: str, output: Path | None, told: Told) -> None:
    if output is None:
        _text(found, form, sys.stdout.buffer, told)
        return
    try:
        if form == "tensorboard":
            tensorboard.write(found, output, told)
            return
        with _replaced(output) as file:
            if form == "parquet":
                parquet.write(found, file, told)
            else:
                with file.open("wb") as out:
                    _text(found, form, out, told)
    except OSError as error:
        raise TrainwatchError(f"-o {output}: {error.strerror or error}") from error


def _text(found: History, form: str, out: BinaryIO, told: Told) -> None:
    out.writelines(_TEXT[form](found, told))
    out.flush()


@contextmanager
def _replaced(output: Path) -> Iterator[Path]:
    """A file that takes the place of `output` when it is whole; devices and pipes are written to."""
    if output.exists() and not output.is_file():
        yield output
        return
    part = output.with_name(f".{output.name}.{os.getpid()}.part")
    try:
        yield part
        part.replace(output)
    finally:
        with suppress(OSError):
            part.unlink(missing_ok=True)
