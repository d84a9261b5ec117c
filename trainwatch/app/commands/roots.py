"""What the commands on checkpoints share: the folders that are meant, a look at them, and common options."""

from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import click
import msgspec

from trainwatch.app import clock, names
from trainwatch.app.progress import progress
from trainwatch.core.errors import UsageError

if TYPE_CHECKING:
    from collections.abc import Iterable

    from trainwatch.app.checkpoints.desk import Desk
    from trainwatch.app.config import RunSettings
    from trainwatch.app.wire import Site
    from trainwatch.core.checkpoints.survey import Survey

argument = click.argument("run_or_folder", required=False)
apply = click.option("--apply", is_flag=True, help="Do it; without, it is only shown.")
as_json = click.option("--json", "as_json", is_flag=True, help="For machines.")


class Of(NamedTuple):
    """What a command is about."""

    name: str
    desk: "Desk"
    run: "RunSettings"


def desks(site: "Site", run_or_folder: str | None) -> list[Of]:
    """The runs that are meant, all without a name. Raises UsageError."""
    from trainwatch.app import wirehouse
    from trainwatch.app.config import RunSettings as Run

    settings = site.settings
    if run_or_folder is not None and "/" in run_or_folder and not _is_there(run_or_folder):
        raise UsageError(f"{run_or_folder}: there is no such folder, and no such log")
    if run_or_folder is not None and Path(run_or_folder).expanduser().is_dir():
        root = names.absolute(run_or_folder)
        run = next((r for r in settings.runs if _is_root(r, root)), Run(log=str(root)))
        return [Of(str(root), wirehouse.desk_of(settings, site.state_dir, run, root), run)]
    runs = [site.run_of(run_or_folder)] if run_or_folder else site.runs()
    return [
        Of(run.name or run.log, wirehouse.desk(settings, site.state_dir, run), run) for run in runs
    ]


def _is_there(path: str) -> bool:
    return Path(path).expanduser().exists()


def _is_root(run: "RunSettings", root: Path) -> bool:
    return bool(run.checkpoints.path) and names.absolute(run.checkpoints.path or "") == root


def seen(one: Of) -> "Survey":
    """What is there now."""
    with progress(f"listing {one.name}", 0, " checkpoints") as shown:

        def told(done: int, total: int) -> None:
            shown.expect(total)
            shown.advance(done - shown.done)

        return one.desk.lister.look(clock.now(), told)


def encoded(found: "Iterable[object]", *, alone: bool) -> str:
    """As JSON: a list, or the one thing that was asked for."""
    each = list(found)
    return msgspec.json.format(msgspec.json.encode(each[0] if alone and each else each)).decode()
