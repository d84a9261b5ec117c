"""trainwatch run: a command, its output kept in a log, and a watcher beside it."""

import sys
from collections.abc import Sequence
from glob import has_magic
from pathlib import Path

import click
from msgspec.structs import replace

from trainwatch.app import known, names, recording, wirerun
from trainwatch.app.commands.shared import say, site_options
from trainwatch.app.config import RunSettings
from trainwatch.app.logfile import check_log, there
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode, UsageError

_RUNNERS = frozenset({".py", ".sh", ".bash"})


@click.command(name="run", context_settings={"allow_interspersed_args": False})
@click.option(
    "--log",
    type=click.Path(path_type=Path),
    help="Where the output is appended; else that of the configured run NAME, else NAME.log here.",
)
@click.option("--name", help="What the run is called; else as its log.")
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Write every observation to this file, for `trainwatch replay`.",
)
@click.option("--beside", hidden=True, help="PID:TIME:OFFSET of the command that is to be watched.")
@click.argument("words", metavar="-- COMMAND...", nargs=-1, type=click.UNPROCESSED, required=True)
@site_options
def command(
    log: Path | None,
    name: str | None,
    record: Path | None,
    beside: str | None,
    words: tuple[str, ...],
    site: Site,
) -> int:
    """Run a command, keep what it prints in a log, and watch it: for a machine without Slurm.

    The output is shown as it is, signals are passed on, and the exit code is the command's (128 + N after
    signal N). From another terminal: trainwatch status NAME, trainwatch tui NAME.

    \b
    Example:
      trainwatch run --name tiny -- torchrun --nproc-per-node=8 train.py
    """
    run = _run(site, name, log, words)
    if beside is not None:
        pid, began_at, offset = beside.split(":")
        with recording.writer(record) as recorder:
            meant = (int(pid), float(began_at), int(offset))
            wirerun.watch_beside(site, run, meant, recorder)
        return ExitCode.OK
    path = Path(run.log)
    if there(path):
        check_log(path)
    try:
        known.note(site.folder(run), run)
    except OSError as error:
        say(f"trainwatch: the run cannot be found by its name: {error.strerror}: {site.state_dir}")
    return wirerun.execute(words, path, lambda meant: _watcher(run, meant, record, site))


def _run(site: Site, name: str | None, log: Path | None, words: Sequence[str]) -> RunSettings:
    """Which run it is. Raises UsageError where its log is not one file."""
    configured = [run for run in site.settings.runs if name is not None and run.name == name]
    if configured and log is None and has_magic(configured[0].log):
        raise UsageError(
            f"the log of {name} is a pattern ({configured[0].log}): say which, --log FILE"
        )
    if configured:
        place = names.absolute(str(log) if log is not None else configured[0].log)
        return replace(configured[0], log=str(place))
    chosen = log or Path(f"{names.plain(name or _stem(words))}.log")
    place = names.absolute(str(chosen))
    if name is not None:
        return RunSettings(log=str(place), name=name)
    known_run = site.run_of(str(place))
    return replace(known_run, log=str(place))


def _stem(words: Sequence[str]) -> str:
    """The script that is run, else the program."""
    scripts = [Path(word) for word in words if Path(word).suffix in _RUNNERS]
    return (scripts[0] if scripts else Path(words[0])).stem


def _watcher(
    run: RunSettings, meant: wirerun.Meant, record: Path | None, site: Site
) -> Sequence[str]:
    """The command line of the watcher. -P: a folder of a training may hold a queue.py."""
    pid, began_at, offset = meant
    options = [f"--beside={pid}:{began_at!r}:{offset}", f"--log={run.log}", f"--name={run.name}"]
    options.append(f"--state-dir={names.absolute(str(site.state_dir))}")
    options += [f"--config={names.absolute(str(site.config_path))}"] if site.config_path else []
    options += [f"--record={names.absolute(str(record))}"] if record is not None else []
    return [sys.executable, "-P", "-m", "trainwatch", "run", *options, "--", "-"]
