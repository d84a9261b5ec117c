"""trainwatch report: a row per log."""

from pathlib import Path

import click

from trainwatch.app import clock, config
from trainwatch.app.amounts import COUNT, POSITIVE
from trainwatch.app.progress import progress
from trainwatch.app.reporting import choosing, finding, naming, reading
from trainwatch.core.errors import ExitCode, LogUnreadable, TrainwatchError, UsageError
from trainwatch.core.facts import configured
from trainwatch.core.rows import ReportRow


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
@click.option("--jobs", type=COUNT, help="Logs read at once. Default: the cores.")
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
def command(
    logs: tuple[str, ...],
    form: str,
    filters: tuple[str, ...],
    sort: str | None,
    goodput: bool,
    tokens: float | None,
    plot: Path | None,
    name_pattern: str | None,
    peak_tflops: float | None,
    jobs: int | None,
    update_table: Path | None,
    in_place: bool,
    seq_length: int | None,
    gpus_per_node: int | None,
    no_recompute: bool,
    config_file: Path | None,
) -> int:
    """Compare logs: a row each, with speed, TFLOPs and how it ended.

    LOGS are files, globs and folders, which are searched. No configuration is needed.

    \b
    Examples:
      trainwatch report *.out
      trainwatch report runs/ --filter 'gpus>=64' --sort tflops,desc
      trainwatch report *.out --tokens 300e9 --plot speed.svg
      trainwatch report main_log.txt --goodput > goodput.md
      trainwatch report --update-table results.md --seq-length 2048
    """
    if update_table is not None:
        if logs:
            raise UsageError("--update-table computes from the table's own columns; name no logs")
        return _update(update_table, in_place, seq_length, gpus_per_node, not no_recompute)
    if in_place or seq_length or gpus_per_node or no_recompute:
        raise UsageError(
            "--in-place, --seq-length, --gpus-per-node and --no-recompute go with --update-table"
        )
    if not logs:
        raise UsageError("name a log, a glob or a folder, e.g. trainwatch report *.out")
    if goodput:
        others = (filters, sort, tokens, plot, name_pattern, peak_tflops, jobs)
        return _goodput(logs, form, config_file, others)
    conditions = [choosing.condition(text) for text in filters]
    by = choosing.order(sort) if sort else None
    if plot is not None:
        from trainwatch.app.reporting import plotting

        plotting.check(plot)
    how = reading.How(
        now=clock.now(),
        settings=config.load(config_file or config.default_path()),
        facts=configured({"peak_tflops": peak_tflops} if peak_tflops else {}),
        pattern=naming.pattern(name_pattern) if name_pattern else None,
        tokens=tokens,
    )
    rows, wrong = _read(logs, how, jobs or reading.cores())
    chosen = choosing.chosen(rows, conditions)
    if by is not None:
        chosen = choosing.ordered(chosen, by)
    if any(not row.error for row in rows) or form != "md":
        click.echo(_written(chosen, form), nl=False)
    if plot is not None:
        drawn = plotting.draw(chosen, plot)
        click.echo(
            f"{drawn} of {len(chosen)} logs drawn" + (f": {plot}" if drawn else ""), err=True
        )
    return _code(rows, wrong)


def _goodput(
    logs: tuple[str, ...], form: str, config_file: Path | None, others: tuple[object, ...]
) -> int:
    """Where the hours went, run by run."""
    from trainwatch.app.reporting import hours
    from trainwatch.app.wire import Site

    if any(others) or form not in {"md", "json"}:
        raise UsageError("--goodput goes with logs or runs, --format md|json and --config only")
    site, now = Site(config.load(config_file or config.default_path())), clock.now()
    told, wrong = [], list[TrainwatchError]()
    for name in logs:
        try:
            told.append(hours.hours_of(site, site.run_of(name), now))
        except TrainwatchError as error:  # of one of many
            wrong.append(error)
    if wrong and not told:
        raise wrong[0]
    for why in wrong:
        click.echo(f"trainwatch: {why}", err=True)
    click.echo(hours.markdown(told) if form == "md" else hours.json(told), nl=False)
    return ExitCode.UNHEALTHY if wrong else ExitCode.OK


def _read(logs: tuple[str, ...], how: reading.How, jobs: int) -> tuple[list[ReportRow], list[str]]:
    """The rows, and what is wrong, which is said as well."""
    found, wrong = finding.find(logs)
    paths = [each.path for each in found]
    for path in paths:
        naming.read(path.name, how.pattern)  # says what is wrong with it before hours of reading
    with progress("reading", sum(map(reading.size, paths))) as shown:
        read = reading.rows(paths, how, jobs, shown.advance)
    wrong += [row.error for row in read if row.error]
    for each in wrong:
        click.echo(f"trainwatch: {each}", err=True)
    rows = [row for row, log in zip(read, found, strict=True) if log.named or not _blind(row)]
    for row in filter(_blind, rows):
        click.echo(f"trainwatch: {row.log} {_why_blind(row)}", err=True)
    if len(rows) < len(read):
        click.echo(f"left out, as no training log: {len(read) - len(rows)} of the files", err=True)
    if how.pattern and not any(naming.matches(path.name, how.pattern) for path in paths):
        click.echo("trainwatch: --name-pattern fits none of the names", err=True)
    return rows, wrong


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


def _update(
    file: Path, in_place: bool, seq_length: int | None, gpus_per_node: int | None, recompute: bool
) -> ExitCode:
    from trainwatch.app.reporting import files
    from trainwatch.app.reporting.retable import Given, retabled

    before = files.read(file)
    try:
        table = retabled(before, Given(seq_length, gpus_per_node, recompute))
    except UsageError as error:
        raise UsageError(f"{file}: {error}") from error
    for row in table.left:
        click.echo(f"{file} line {row.line} stays as it is: {row.why}", err=True)
    if not in_place:
        click.echo(files.encode(table.text), nl=False)
    elif table.text != before:
        files.replace(file, table.text)
    done = (
        "computed" if not in_place else "written" if table.text != before else "were right already"
    )
    click.echo(f"{table.computed} rows {done}", err=True)
    return ExitCode.OK
