"""trainwatch init: a commented configuration from what a log shows, and from what lies around it."""

from pathlib import Path

import click

from trainwatch.app import clock, logfile, looking, names, wiredoctor, wireslurm
from trainwatch.app.commands.shared import say, site_options
from trainwatch.app.config import RunSettings
from trainwatch.app.initial import around
from trainwatch.app.initial.writing import configuration
from trainwatch.app.wire import Site
from trainwatch.core.around import Around, LogAt
from trainwatch.core.derived import facts_of
from trainwatch.core.errors import UsageError
from trainwatch.core.facts import Facts

__all__ = ["command", "configuration"]


@click.command(name="init")
@click.argument("log", metavar="[LOG|FOLDER]", required=False, type=click.Path(path_type=Path))
@click.option(
    "-o", "--output", type=click.Path(path_type=Path), help="Write it here, if nothing is."
)
@site_options
def command(log: Path | None, output: Path | None, site: Site) -> int:
    """Write a commented configuration from what a log shows, and from what lies around it.

    Without a log, one is looked for: by what it holds, in the folder that is named or in this one, and among
    what your jobs write. Folders of checkpoints and of TensorBoard, your jobs and a login to the Hub are
    seen, too. What is uncertain is written commented out. Without --output it is printed.

    \b
    Example:
      trainwatch init main_log.txt --output trainwatch.toml
      trainwatch init /scratch/tr11
    """
    if output is not None and logfile.there(output):
        raise _exists(output)
    senses, now = wiredoctor.senses(site.settings), clock.now()
    is_folder = log is None or log.expanduser().is_dir()
    place = log or Path()
    seen = around.look(senses, site, place if is_folder else place.parent, now)
    chosen = _likeliest(seen) if is_folder else str(place)
    run = site.run_of(chosen)
    facts = _facts(site, run, now)
    seen = around.with_root(senses, seen, facts)
    text = configuration(
        run,
        facts,
        output.name if output else "trainwatch.toml",
        wireslurm.proposal(site.settings),
        seen if is_folder else seen._replace(folder="", cut=""),
        _more(site, seen, run) if is_folder else (),
        others=is_folder,
    )
    if output is None:
        click.echo(text, nl=False)
        return 0
    _write(output, text)
    say(f"{output} is written. Next: trainwatch tui {run.name} --config {output}")
    say(f"Whether all of it works says: trainwatch doctor --config {output}")
    return 0


def _likeliest(seen: Around) -> str:
    """Of all logs: what a job writes to now, else the newest. Raises UsageError."""
    if not seen.logs:
        cut = f" ({seen.cut})" if seen.cut else ""
        raise UsageError(
            f"{seen.folder} is a folder; name the log in it: none of the files below it holds iterations in "
            f"a format that trainwatch knows{cut}"
        )
    written = [at.path for at in seen.logs if seen.job_of(at.path) is not None]
    return (written or [seen.logs[0].path])[0]


def _more(site: Site, seen: Around, run: RunSettings) -> list[tuple[RunSettings, LogAt]]:
    """The other logs that jobs write to now: they are runs beyond doubt."""
    first = str(names.absolute(run.log))
    alive = [at for at in seen.logs if seen.job_of(at.path) is not None and at.path != first]
    return [(site.run_of(at.path), at) for at in alive]


def _facts(site: Site, run: RunSettings, now: float) -> Facts:
    """What the whole log says. Raises LogUnreadable, LogUnknown."""
    watched = looking.look(site, run, now)
    if watched is None:
        saved = site.reader(run).load()
        return facts_of(saved.state, Facts()) if saved else Facts()
    state = watched.state
    watched.close()
    looking.require_known(watched, run)
    return facts_of(state, Facts())


def _write(output: Path, text: str) -> None:
    try:
        with output.open("x") as file:
            file.write(text)
    except FileExistsError as error:
        raise _exists(output) from error
    except OSError as error:
        raise UsageError(f"cannot write {output}: {error.strerror}") from error


def _exists(output: Path) -> UsageError:
    return UsageError(f"{output} exists; nothing was written. Choose another --output.")
