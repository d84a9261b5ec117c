"""trainwatch report: a row per log."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple

import click

from trainwatch.app import clock, config
from trainwatch.app.amounts import COUNT, POSITIVE
from trainwatch.app.progress import progress
from trainwatch.app.reporting import choosing, finding, naming, reading
from trainwatch.core.errors import ExitCode, LogUnreadable, UsageError
from trainwatch.core.facts import configured
from trainwatch.core.rows import ReportRow


class Asked(NamedTuple):
    """What is asked for, by option."""

    logs: tuple[str, ...]
    form: str
    filters: tuple[str, ...]
    sort: str | None
    goodput: bool
    html: Path | None
    tokens: float | None
    plot: Path | None
    name_pattern: str | None
    peak_tflops: float | None
    jobs: int | None
    slurm: int | None
    update_table: Path | None
    in_place: bool
    seq_length: int | None
    gpus_per_node: int | None
    no_recompute: bool
    config_file: Path | None

    def settings(self) -> config.Settings:
        """The configuration. Raises UsageError."""
        return config.load(self.config_file or config.default_path())


@click.command(name="report")
@click.argument("logs", nargs=-1)
@click.option(
    "--format",
    "form",
    type=click.Choice(("md", "csv", "json", "html")),
    default="md",
    show_default=True,
    help="A table to read, or every value for other programs.",
)
@click.option(
    "--filter",
    "filters",
    multiple=True,
    metavar="COND",
    help="E.g. 'gpus>=64' or 'end=completed'; repeatable.",
)
@click.option("--sort", metavar="KEY[,desc]", help="Order of the rows; keys are those of the JSON.")
@click.option(
    "--goodput",
    is_flag=True,
    help="Instead of rows: where the hours of each run went (md or json). Runs by name, too.",
)
@click.option(
    "--html",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE",
    help="Instead of rows: one run as a page to share, with charts. Shows what [runs.public] allows.",
)
@click.option("--tokens", type=POSITIVE, help="Add the days to train so many, e.g. 300e9 or 300G.")
@click.option(
    "--plot",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Draw days (or step time) and TFLOPs against GPUs into this .svg, .png or .pdf.",
)
@click.option(
    "--name-pattern",
    metavar="PATTERN",
    help="What file names tell, where the log does not: '*-mbs-{mbs}-pp{pp}-*.out', or a regex with "
    "named groups.",
)
@click.option(
    "--peak-tflops", type=POSITIVE, help="The GPUs' peak, for MFU where the log names no GPU."
)
@click.option("--jobs", type=COUNT, help="Logs read at once. Default: the cores (of each task).")
@click.option(
    "--slurm",
    type=click.IntRange(1, 1000),
    metavar="N",
    help="Read by a job array of N tasks, and wait for it. The same rows; see [slurm.jobs].",
)
@click.option(
    "--update-table",
    type=click.Path(path_type=Path, dir_okay=False),
    metavar="FILE.md",
    help="Instead: compute the TFLOPs column of this Markdown table anew, and print it.",
)
@click.option("--in-place", is_flag=True, help="With --update-table: write the file.")
@click.option("--seq-length", type=COUNT, help="With --update-table, where it has no Seq column.")
@click.option(
    "--gpus-per-node", type=COUNT, help="With --update-table, where it has Nodes, no GPUs."
)
@click.option(
    "--no-recompute", is_flag=True, help="With --update-table: no activation recomputation."
)
@click.option(
    "--config",
    "config_file",
    type=click.Path(path_type=Path),
    help="A configuration; else TRAINWATCH_CONFIG, ./trainwatch.toml, ~/.config/trainwatch.",
)
def command(**given: Any) -> int:
    """Compare logs: a row each, with speed, TFLOPs and how it ended.

    LOGS are files, globs and folders, which are searched. No configuration is needed.

    \b
    Examples:
      trainwatch report *.out
      trainwatch report runs/ --filter 'gpus>=64' --sort tflops,desc
      trainwatch report *.out --tokens 300e9 --plot speed.svg
      trainwatch report main_log.txt --goodput > goodput.md
      trainwatch report main_log.txt --html run.html
      trainwatch report /archive --slurm 20 --format csv > all.csv
      trainwatch report --update-table results.md --seq-length 2048
    """
    asked = Asked(**given)
    if asked.update_table is not None:
        from trainwatch.app.commands.report_table import update

        return update(asked, asked.update_table)
    if asked.in_place or asked.seq_length or asked.gpus_per_node or asked.no_recompute:
        raise UsageError(
            "--in-place, --seq-length, --gpus-per-node and --no-recompute go with --update-table"
        )
    if not asked.logs:
        raise UsageError("name a log, a glob or a folder, e.g. trainwatch report *.out")
    if asked.html is not None:
        from trainwatch.app.commands.report_page import write

        return write(asked, asked.html)
    if asked.goodput:
        from trainwatch.app.commands.report_goodput import goodput

        return goodput(asked)
    return _rows(asked)


def _rows(asked: Asked) -> ExitCode:
    """A table of what was chosen, and a picture."""
    conditions = [choosing.condition(text) for text in asked.filters]
    by = choosing.order(asked.sort) if asked.sort else None
    if asked.plot is not None:
        from trainwatch.app.reporting import plotting

        plotting.check(asked.plot)
    how = reading.How(
        now=clock.now(),
        settings=asked.settings(),
        facts=configured({"peak_tflops": asked.peak_tflops} if asked.peak_tflops else {}),
        pattern=naming.pattern(asked.name_pattern) if asked.name_pattern else None,
        tokens=asked.tokens,
    )
    rows, wrong, lost = _found(asked, how)
    chosen = choosing.chosen(rows, conditions)
    if by is not None:
        chosen = choosing.ordered(chosen, by)
    if any(not row.error for row in rows) or asked.form != "md":
        click.echo(_written(chosen, asked.form), nl=False)
    if asked.plot is not None:
        _draw(chosen, asked.plot)
    return ExitCode.UNHEALTHY if lost else _code(rows, wrong)


def _found(asked: Asked, how: reading.How) -> tuple[list[ReportRow], list[str], bool]:
    """The rows; what is wrong with logs, which is said as well; and whether rows were lost."""
    found, wrong = finding.find(asked.logs)
    paths = [each.path for each in found]
    for path in paths:
        naming.read(path.name, how.pattern)  # says what is wrong with it before hours of reading
    read, lost = _read(asked, paths, how)
    wrong += [row.error for row in read if row and row.error]
    for each in wrong:
        click.echo(f"trainwatch: {each}", err=True)
    there = [(row, log) for row, log in zip(read, found, strict=True) if row is not None]
    rows = [row for row, log in there if log.named or not _blind(row)]
    for row in filter(_blind, rows):
        click.echo(f"trainwatch: {row.log} {_why_blind(row)}", err=True)
    if len(rows) < len(there):
        click.echo(f"left out, as no training log: {len(there) - len(rows)} of the files", err=True)
    if how.pattern and not any(naming.matches(path.name, how.pattern) for path in paths):
        click.echo("trainwatch: --name-pattern fits none of the names", err=True)
    return rows, wrong, lost


def _read(
    asked: Asked, paths: Sequence[Path], how: reading.How
) -> tuple[Sequence[ReportRow | None], bool]:
    """A row for each log, None for one that no task could read; and whether there are such."""
    if asked.slurm is not None and paths:
        from trainwatch.app.commands import report_slurm

        return report_slurm.rows(paths, how, asked.slurm, asked.jobs)
    with progress("reading", sum(map(reading.size, paths))) as shown:
        return reading.rows(paths, how, asked.jobs or reading.cores(), shown.advance), False


def _draw(rows: Sequence[ReportRow], plot: Path) -> None:
    from trainwatch.app.reporting import plotting

    drawn = plotting.draw(rows, plot)
    click.echo(f"{drawn} of {len(rows)} logs drawn" + (f": {plot}" if drawn else ""), err=True)


def _blind(row: ReportRow) -> bool:
    """Whether the log was read, and nothing in it was recognised."""
    return not row.error and not row.attempts


def _why_blind(row: ReportRow) -> str:
    if not row.log_bytes:
        return "is empty so far"
    return (
        "holds no log format trainwatch knows. Describe it with a regular expression: "
        "see [formats] in config.example.toml"
    )


def _written(rows: list[ReportRow], form: str) -> str:
    if form in ("json", "csv"):
        from trainwatch.app.reporting import machine

        return machine.json(rows) if form == "json" else machine.csv(rows)
    from trainwatch.app.reporting import tables

    return tables.markdown(rows) if form == "md" else tables.html(rows)


def _code(rows: list[ReportRow], wrong: list[str]) -> ExitCode:
    readable = [row for row in rows if not row.error]
    if wrong:
        return ExitCode.UNHEALTHY if readable else LogUnreadable.exit_code
    return ExitCode.UNKNOWN if all(map(_blind, readable)) else ExitCode.OK
