"""trainwatch checkpoints backup, backups, restore: copies elsewhere, made, read through, brought back.

The trap: a copy that nobody read back is a hope. Each of these believes checksums and nothing else.
"""

from typing import TYPE_CHECKING, Any

import click

from trainwatch.app import clock, names
from trainwatch.app.checkpoints import backupwords
from trainwatch.app.checkpoints.settings import BackupSettings, check_place
from trainwatch.app.commands import roots
from trainwatch.app.commands.shared import leaving_in_order, say, site_options
from trainwatch.app.progress import progress
from trainwatch.core import backups as rules
from trainwatch.core.errors import ExitCode, TrainwatchError, UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from trainwatch.app.checkpoints.safe import Shelves
    from trainwatch.app.progress import Progress
    from trainwatch.app.wire import Site
    from trainwatch.core.checkpoints.survey import Survey
    from trainwatch.core.model.backups import BackupPlan, Head, Row


@click.command()
@roots.argument
@click.option("--only", multiple=True, metavar="NAME", help="Just this checkpoint; repeatable.")
@click.option("--to", help="A folder, or a URL that fsspec knows; else as configured.")
@click.option("--create", is_flag=True, help="With --to: make the folder, if it is not there.")
@click.option("--every", type=click.IntRange(min=1), help="With --to: multiples of N iterations.")
@click.option("--newest", type=click.IntRange(min=1), help="With --to: the newest N complete ones.")
@click.option("--milestone", "milestones", type=click.IntRange(min=0), multiple=True)
@click.option("--content", type=click.Choice(["whole", "weights"]))
@click.option("--format", "format_", type=click.Choice(["files", "tar"]))
@click.option("--max-mb-per-s", type=click.FloatRange(min=0, min_open=True))
@roots.apply
@roots.as_json
@site_options
def backup(
    run_or_folder: str | None,
    only: tuple[str, ...],
    apply: bool,
    as_json: bool,
    site: "Site",
    **given: Any,
) -> int:
    """Copy complete checkpoints to other places, one after another, each read back and with a manifest.

    As [[runs.checkpoints.backups]] say, or to one place by --to. What is about to be purged goes first,
    then the newest. Killed at any moment, the next run goes on.

    \b
    Example:
      trainwatch checkpoints backup tr11
      trainwatch checkpoints backup tr11 --apply
      trainwatch checkpoints backup /scratch/tr11/checkpoints --to s3://kept/tr11 --every 1000 --apply
    """
    code = ExitCode.OK
    for one in roots.desks(site, run_or_folder):
        shelves, seen = _shelves(site, one, given, only), roots.seen(one)
        plan = shelves.plan(seen, shelves.wishes(), only)
        click.echo(roots.encoded([plan], alone=True) if as_json else backupwords.plan(plan))
        if plan.refused:
            unknown = any(why.startswith("it is not known") for why in plan.refused)
            code = max(code, ExitCode.UNKNOWN if unknown else ExitCode.UNHEALTHY)
        if plan.due and not apply:
            say("nothing was copied: --apply does it")
        elif plan.due:
            with leaving_in_order():
                code = max(code, _made(one, shelves, seen, plan))
    return code


@click.command()
@roots.argument
@click.option("--at", "at", help="A folder or URL with backups in it; else as configured.")
@click.option("--only", multiple=True, metavar="NAME", help="Just this one; repeatable.")
@click.option("--verify", is_flag=True, help="Read every byte, and compare checksums.")
@roots.as_json
@site_options
def backups(
    run_or_folder: str | None,
    at: str | None,
    only: tuple[str, ...],
    verify: bool,
    as_json: bool,
    site: "Site",
) -> int:
    """Which backups are where; --verify reads all of them through.

    \b
    Example:
      trainwatch checkpoints backups tr11
      trainwatch checkpoints backups --at s3://kept/tr11 --verify
    """
    code, now, told = ExitCode.OK, clock.now(), []
    for vault in _vaults(site, run_or_folder, at):
        shelf = vault.look()
        told.append({"place": vault.place.name, "shelf": shelf})
        if not as_json:
            click.echo(backupwords.shelf(vault.place.name, shelf, now))
        if shelf.odd:
            code = ExitCode.UNHEALTHY
        mine = [
            each for each in shelf.backups if not only or {each.label, each.checkpoint} & {*only}
        ]
        if only and not mine:
            raise UsageError(f"{vault.place.name} has no backup of that name")
        for head in mine if verify else ():
            with progress(head.label, head.bytes) as shown:
                wrong = vault.verify(head.label, _heard(shown))
            say(backupwords.verified(vault.place.name, head.label, wrong))
            code = ExitCode.UNHEALTHY if wrong else code
    if as_json:
        click.echo(roots.encoded(told, alone=at is not None))
    return code


@click.command()
@click.argument("name")
@roots.argument
@click.option("--to", "to", required=True, help="The folder that it comes into, e.g. a new one.")
@click.option("--from", "from_", help="A folder or URL with backups in it; else as configured.")
@roots.apply
@site_options
def restore(
    name: str, run_or_folder: str | None, to: str, from_: str | None, apply: bool, site: "Site"
) -> int:
    """Bring a backup back into a folder: every file by its checksum, and under its name when all is there.

    NAME is a checkpoint, or a backup as `trainwatch checkpoints backups` calls it. Nothing is ever restored
    over anything, and no tracker is touched.

    \b
    Example:
      trainwatch checkpoints restore global_step1000 tr11 --to /scratch/again --apply
      trainwatch checkpoints restore global_step1000 --from s3://kept/tr11 --to /scratch/again
    """
    folder = str(names.absolute(to))
    found = [
        (vault, head)
        for vault in _vaults(site, run_or_folder, from_)
        for head in rules.named(vault.look().backups, name)
    ]
    if not found:
        raise UsageError(
            f"there is no backup called {name}: `trainwatch checkpoints backups` lists them"
        )
    found.sort(key=lambda each: each[1].content != "whole")
    (vault, head), others = found[0], [(each.place.name, other) for each, other in found[1:]]
    target = vault.restore(head.label, folder, lambda _, __: None, dry=True)
    click.echo(backupwords.back(vault.place.name, head, target, others))
    if not apply:
        say("nothing was restored: --apply does it")
        return ExitCode.OK
    with leaving_in_order(), progress(head.label, head.bytes) as shown:
        target = vault.restore(head.label, folder, _heard(shown))
    say(f"{target}: restored, and every checksum is that of its manifest")
    return ExitCode.OK


def _made(one: roots.Of, shelves: "Shelves", seen: "Survey", plan: "BackupPlan") -> ExitCode:
    """One after another; one that fails does not stop the rest, but where nothing more can be done."""
    code = ExitCode.OK
    for row in plan.due:
        try:
            with progress(row.name, 2 * row.bytes) as shown:  # it is read back
                made = shelves.make(seen, row, _heard(shown))
        except TrainwatchError as error:
            say(f"trainwatch: {row.name}: {error}")
            code = max(code, error.exit_code if not error.transient else ExitCode.UNKNOWN)
            continue
        say(_done(one.name, row, made.head, made.copied))
    return code


def _done(name: str, row: "Row", head: "Head", copied: int) -> str:
    place = f"{row.to}/{head.label}"
    if not copied:
        return f"{name}: {row.name} is at {place} already, byte by byte"
    return f"{name}: {row.name} is backed up at {place}, and was read back"


def _heard(shown: "Progress") -> "Callable[[str, int], None]":
    return lambda _, count: shown.advance(count)


def _shelves(
    site: "Site", one: roots.Of, given: "dict[str, Any]", only: "Sequence[str]"
) -> "Shelves":
    """As configured, or as the command line says. Raises UsageError."""
    from trainwatch.app import wirebackups

    options = {
        key.rstrip("_"): value for key, value in given.items() if value not in (None, (), False)
    }
    if "to" not in options:
        if options:
            raise UsageError(f"--{next(iter(options)).replace('_', '-')} goes with --to only")
        if not one.desk.shelves.vaults:
            raise UsageError(
                f"nothing says where {one.name} is backed up to: give --to, or add a "
                "[[runs.checkpoints.backups]] table (see config.example.toml)"
            )
        return one.desk.shelves
    check_place(options["to"], "--to")
    settings = BackupSettings(**options)
    if not settings.wants and not only:
        raise UsageError("say which: --only NAME, --every N, --newest N or --milestone N")
    root = names.absolute(one.desk.root)
    return wirebackups.shelves(site.settings, site.state_dir, one.run, root, (settings,), into="")


def _vaults(site: "Site", run_or_folder: str | None, at: str | None) -> "list[Any]":
    """The places that are meant. Raises UsageError."""
    from trainwatch.app import wirebackups
    from trainwatch.core.model.backups import Place

    if at is not None:
        check_place(at, "the place")
        to = str(names.absolute(at)) if at.startswith(("/", "~")) else at
        return [wirebackups.vault(Place(to=to))]
    found = [vault for one in roots.desks(site, run_or_folder) for vault in one.desk.shelves.vaults]
    if not found:
        raise UsageError(
            "no place for backups is configured: name one (--at, --from), or add a "
            "[[runs.checkpoints.backups]] table (see config.example.toml)"
        )
    return found
