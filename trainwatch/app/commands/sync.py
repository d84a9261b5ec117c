"""trainwatch sync: send what is due, now, and say a line for each route.

The trap: a watcher may send over the same route at this moment. Whoever comes second says so and leaves it.
"""

import sys
from collections.abc import Sequence

import click

from trainwatch.app import wirehouse, words
from trainwatch.app.commands.shared import leaving_in_order, say, site_options
from trainwatch.app.syncing.turn import Route, Said
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode, TrainwatchError, UsageError
from trainwatch.core.upload import Plan

_MOST_TURNS = 1000
_MOST_SHOWN = 20  # of what is left out


@click.command(name="sync")
@click.option("--dry-run", is_flag=True, help="Print what would be sent where; send nothing.")
@click.option("--route", "names", multiple=True, help="Only this [[sync]] table; may be repeated.")
@site_options
def command(dry_run: bool, names: tuple[str, ...], site: Site) -> int:
    """Send what is due over the configured routes ([[sync]]): to the Hub, a folder or an object store.

    `trainwatch watch` does the same by itself, as often as each route says. Nothing is ever deleted at the
    other side. The exit code is 1 if something has to be done by somebody, 3 if it is worth trying again.

    \b
    Example:
      trainwatch sync --dry-run
      trainwatch sync --route logs
    """
    routes = _chosen(wirehouse.routes(site.settings, site.state_dir, site.run_of), names)
    if dry_run:
        for route in routes:
            _show(route)
        return ExitCode.OK
    with leaving_in_order():
        return max(_code(_send(route)) for route in routes)


def _chosen(routes: Sequence[Route], names: Sequence[str]) -> list[Route]:
    known = {route.settings.name: route for route in routes}
    if not known:
        raise UsageError("no route is configured; add a [[sync]] table (see config.example.toml)")
    for name in names:
        if name not in known:
            raise UsageError(f"there is no route '{name}'; there are {', '.join(known)}")
    return [known[name] for name in names] if names else list(routes)


def _send(route: Route) -> Said:
    """Turn after turn, until nothing is due."""
    files = total = 0
    try:
        for _ in range(_MOST_TURNS):
            said = route.turn(at_once=True, began=lambda planned: _begun(route, planned))
            files += len(said.sent)
            total += sum(piece.end - piece.start for piece in said.sent)
            if not said.more:
                break
    finally:
        route.close()
    did = f"sent {_amount(files, total)} to {route.place}" if files else "nothing is due"
    if said.why:
        did = f"{did}; {said.why}" if files else said.why
    click.echo(f"{route.settings.name}: {words.clean(did, 600)}")
    _leave_out(route, said.left_out)
    return said


def _code(said: Said) -> int:
    """Of one route. A budget that is used up is no failure."""
    if said.reading is None or said.transient:
        return ExitCode.UNKNOWN
    return ExitCode.OK if said.reading.ok else ExitCode.UNHEALTHY


def _begun(route: Route, planned: Plan) -> None:
    if sys.stderr.isatty():
        size = sum(piece.end - piece.start for piece in planned.pieces)
        say(f"{route.settings.name}: sending {_amount(len(planned.pieces), size)} ...")


def _show(route: Route) -> None:
    name = route.settings.name
    try:
        planned, look = route.plan()
    except TrainwatchError as error:
        click.echo(f"{name}: {error}")
        return
    if look.trouble:
        click.echo(f"{name}: {words.clean(look.trouble, 600)}")
        return
    size = sum(piece.end - piece.start for piece in planned.pieces)
    would = f"would send {_amount(len(planned.pieces), size)} to {route.place}"
    more = f"; {words.short(planned.waiting, 'B')} more later" if planned.waiting else ""
    held = f": {planned.held}" if planned.held else ""
    click.echo(f"{name}: {would if planned.pieces else 'would send nothing'}{held}{more}")
    for piece in planned.pieces:
        size_text = words.short(piece.end - piece.start, "B")
        click.echo(f"  {size_text:>8}  {words.clean(piece.name)} -> {words.clean(piece.to)}")
    _leave_out(route, tuple(look.left_out))


def _leave_out(route: Route, left_out: Sequence[tuple[str, str]]) -> None:
    for file, why in left_out[:_MOST_SHOWN]:
        say(f"{route.settings.name}: not sent: {words.clean(file)}: {words.clean(why)}")
    if len(left_out) > _MOST_SHOWN:
        say(f"{route.settings.name}: not sent: {len(left_out) - _MOST_SHOWN} more")


def _amount(files: int, size: float) -> str:
    return f"{files} file{'s' * (files != 1)}, {words.short(size, 'B')}"
