"""trainwatch alerts test: one message to each receiver, and what became of it."""

import click
import msgspec

from trainwatch.app import clock, reaching, words
from trainwatch.app.commands.shared import site_options
from trainwatch.app.trying import Tried, tried
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode, UsageError

_DEADLINE_S = 60.0


@click.command(name="test")
@click.argument("receivers", nargs=-1)
@click.option("--run", "run", default="test", help="The run that the message is of.")
@click.option(
    "--deadline",
    "deadline_s",
    type=click.FloatRange(min=0.1),
    default=_DEADLINE_S,
    show_default=True,
    help="Give up on a receiver after so many seconds.",
)
@click.option("--json", "as_json", is_flag=True, help="A JSON list, an object for each receiver.")
@site_options
def command(
    receivers: tuple[str, ...], run: str, deadline_s: float, as_json: bool, site: Site
) -> int:
    """Send one message to each receiver of the configuration, and say what became of it.

    Without names, to all of them. An Alertmanager gets an alert that ends by itself; a dead-man's switch
    one ping; a status log one line. The exit code is 1 if any of them failed.

    \b
    Example:
      trainwatch alerts test
      trainwatch alerts test slack
    """
    calls = reaching.trials(site.ways, run, clock.now())
    if not calls:
        raise UsageError("nobody is to be told: add a [receivers.NAME] table to the configuration")
    unknown = [name for name in receivers if name not in calls]
    if unknown:
        raise UsageError(f"there is no receiver '{unknown[0]}'; there are {', '.join(calls)}")
    chosen = {name: call for name, call in calls.items() if name in receivers or not receivers}
    found = tried(chosen, deadline_s)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(found)).decode())
    else:
        click.echo("\n".join(map(text, found)))
    return ExitCode.OK if all(one.ok for one in found) else ExitCode.UNHEALTHY


def text(one: Tried) -> str:
    """A receiver's line: `slack (apprise): told, after 0.4 s`."""
    name = f"{words.clean(one.receiver)} ({one.kind})"
    if one.ok:
        return f"{name}: told, after {one.took_s:.1f} s"
    return f"{name}: NOT told: {words.clean(one.why, 400)}"
