"""trainwatch simulate: write a training run that never was."""

import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from trainwatch.app import clock, recording, simulating, words
from trainwatch.app.commands.shared import say
from trainwatch.core.errors import ExitCode, UsageError
from trainwatch.simulate.flavours.table import FLAVOURS
from trainwatch.simulate.folder import Folder
from trainwatch.simulate.happenings import Happening, Stepped
from trainwatch.simulate.scenario import FlavourName, Scenario, as_flavour
from trainwatch.simulate.scenarios import DEFAULT, SCENARIOS

Told = Callable[[Happening], None]
_REDRAW_S = 0.1


def _speed(ctx: click.Context, parameter: click.Parameter, value: str) -> float | None:
    """A positive number; None for `max`, which 0 means, too."""
    if value == "max":
        return None
    try:
        speed = float(value)
    except ValueError:
        speed = -1.0
    if not 0 <= speed < float("inf"):
        raise click.BadParameter(f"'{value}' is neither a number of at least 0 nor 'max'")
    return speed or None


@click.command(name="simulate")
@click.argument("folder", metavar="DIR", required=False, type=click.Path(path_type=Path))
@click.option(
    "--scenario", "name", default=DEFAULT, show_default=True, help="Which run; see --list."
)
@click.option(
    "--flavour",
    type=click.Choice(list(FLAVOURS)),
    help="The framework that prints it, else the scenario's own.",
)
@click.option(
    "--speed",
    callback=_speed,
    metavar="X|max",
    default="max",
    show_default=True,
    help="Simulated seconds a second, beginning now; max: all of it, at once.",
)
@click.option("--seed", type=click.IntRange(min=0), default=0, show_default=True)
@click.option("--iterations", type=click.IntRange(min=1), help="Stop after this one.")
@click.option(
    "--record",
    type=click.Path(path_type=Path, dir_okay=False),
    help="Also write what a watcher would observe, for `trainwatch replay`.",
)
@click.option("--list", "listed", is_flag=True, help="List the scenarios.")
def command(
    folder: Path | None,
    name: str,
    flavour: FlavourName | None,
    speed: float | None,
    seed: int,
    iterations: int | None,
    record: Path | None,
    listed: bool,
) -> int:
    """Write a training run that never was: DIR/main_log.txt, checkpoints and queue.json.

    DIR must be empty, new, or of an earlier simulation. The same seed gives the same bytes.

    \b
    Example:
      trainwatch simulate /tmp/run --scenario demo --speed 60 &
      trainwatch tui /tmp/run/main_log.txt
    """
    if listed:
        _list()
        return ExitCode.OK
    if folder is None:
        raise click.UsageError("Missing argument 'DIR' (or --list).")
    scenario = simulating.scenario_of(name)
    if flavour is not None:
        scenario = as_flavour(scenario, flavour)
    _check_recording(record, folder)
    click.echo(_write(scenario, folder, record, speed, seed, iterations or scenario.iterations))
    return ExitCode.OK


def _write(
    scenario: Scenario, folder: Path, record: Path | None, speed: float | None, seed: int, last: int
) -> Path:
    """Play it up to the iteration `last`; where its log is."""
    with (
        Folder(folder) as written,
        _told_where(written, speed),
        recording.writer(record) as recorder,
        _progress(min(last, scenario.target_iteration)) as told,
    ):
        simulating.play(
            scenario,
            written,
            speed=speed,
            seed=seed,
            iterations=last,
            stopped=threading.Event(),
            record=recorder,
            told=told,
        )
    return written.log


@contextmanager
def _told_where(folder: Folder, speed: float | None) -> Iterator[None]:
    """Say where the log is: at once while it is being written live, else when it is done."""
    if speed is not None:
        say(f"writing {folder.log} at speed {speed:g}; Ctrl-C ends it")
    yield
    if speed is None:
        say(f"to look at it: trainwatch tui {folder.log}")


def _list() -> None:
    width = max(map(len, SCENARIOS))
    for name, scenario in SCENARIOS.items():
        click.echo(f"{name:{width}}  {scenario.flavour:18}  {scenario.description}")


def _check_recording(record: Path | None, folder: Path) -> None:
    """Before a folder is emptied. What another recording holds must not be lost, nor continued."""
    if record is None:
        return
    if record.exists() and record.stat().st_size:
        raise UsageError(f"{record} exists already; remove it or name another file for --record")
    if record.parent != folder and not record.parent.is_dir():
        raise UsageError(f"cannot write {record}: there is no folder {record.parent}")


@contextmanager
def _progress(iterations: int) -> Iterator[Told | None]:
    """A bar with rate and ETA, on a terminal only."""
    if not sys.stderr.isatty():
        yield None
        return
    began = shown_at = clock.now()
    rate = 0.0
    with click.progressbar(
        range(iterations),
        label="simulating",
        file=sys.stderr,
        show_pos=True,
        item_show_func=lambda _: f"{words.number(rate, 3)} iterations/s" if rate else "",
    ) as bar:

        def told(happening: Happening) -> None:
            nonlocal shown_at, rate
            now = clock.now()
            if not isinstance(happening, Stepped) or happening.iteration <= bar.pos:
                return  # after a crash iterations are repeated
            if now - shown_at >= _REDRAW_S or happening.iteration == iterations:
                shown_at = now
                rate = happening.iteration / max(1e-6, now - began)
                bar.update(happening.iteration - bar.pos)

        yield told
