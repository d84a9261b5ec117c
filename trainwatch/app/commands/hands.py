"""trainwatch hands: what trainwatch would do to the jobs of a run, and why or why not.

The trap: this is not the process that watches. It shows what the watcher planned at its last look; --apply
leaves a request, which the watcher proves anew before it acts, so that there is one who writes and acts.
"""

from collections.abc import Iterator

import click
import msgspec

from trainwatch.app import clock, names, words
from trainwatch.app.commands.shared import say, site_options
from trainwatch.app.config import RunSettings
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode
from trainwatch.core.hands.view import lines
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.status import SCHEMA_VERSION, HandStatus, Status

_FRESH_S = 300.0  # a watcher that has been silent for longer plans nothing
_WAITS_S = 600.0  # a request that was not taken by then is forgotten


class HandsOf(msgspec.Struct, frozen=True, kw_only=True):
    """The hands of one run as scripts read them."""

    run: str
    at: float | None  # of the watcher's last look, s since the epoch; None: nobody watches it
    hands: tuple[HandStatus, ...]
    asked: tuple[str, ...] = ()  # hands that --apply asked the watcher for
    schema_version: int = SCHEMA_VERSION


@click.command(name="hands")
@click.argument("log_or_run", required=False)
@click.option("--apply", is_flag=True, help="Ask the watcher to carry out what it plans, once.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object (several runs: a list).")
@site_options
def command(log_or_run: str | None, apply: bool, as_json: bool, site: Site) -> int:
    """Say what would be done to the jobs of a run: collect evidence, cancel, hold, resubmit.

    All are off until the configuration says otherwise ([runs.hands]). Nothing is done here: the process that
    watches the run does it, when its own keys allow it or after --apply, and only if every proof still holds.
    The exit code is 3 if nobody watches the run.

    \b
    Example:
      trainwatch hands
      trainwatch hands tr11-176B --apply
    """
    now = clock.now()
    runs = [site.run_of(log_or_run)] if log_or_run else site.runs()
    found = [_of(site, run, now, apply=apply) for run in runs]
    if as_json:
        said = msgspec.json.encode(found[0] if log_or_run else found)
        click.echo(msgspec.json.format(said).decode())
    else:
        click.echo("\n\n".join("\n".join(_text(each, now)) for each in found))
    return ExitCode.UNKNOWN if any(not _is_fresh(each.at, now) for each in found) else ExitCode.OK


def _of(site: Site, run: RunSettings, now: float, *, apply: bool) -> HandsOf:
    status = site.reader(run).status()
    at = None if status is None else status.heartbeat_at
    asked = _asked(site, run, status, now) if apply and status and _is_fresh(at, now) else ()
    hands = () if status is None else status.hands
    return HandsOf(run=run.name or run.log, at=at, hands=hands, asked=asked)


def _asked(site: Site, run: RunSettings, status: Status, now: float) -> tuple[str, ...]:
    """Leave a request for each deed that is planned."""
    wanted = [row for row in status.hands if row.state == "would"]
    for row in wanted:
        request = AlertRequest(
            at=now,
            ask="apply",
            rule=row.hand,
            key=row.cause,
            until=now + _WAITS_S,
            by=names.user(),
        )
        site.ask(run, request)
        say(f"{words.clean(status.run)}: asked to {words.clean(row.does, 300)}")
    if not wanted:
        say(f"{words.clean(status.run)}: nothing is planned, so nothing is asked for")
    return tuple(row.hand for row in wanted)


def _text(found: HandsOf, now: float) -> Iterator[str]:
    yield words.clean(found.run)
    if not _is_fresh(found.at, now):
        ago = "" if found.at is None else f"; as of {words.duration(max(0.0, now - found.at))} ago:"
        yield f"  nobody watches this run, and nothing is done (trainwatch watch){ago}"
    if found.hands:
        yield from (words.clean(line, 600) for line in lines(found.hands))
    elif found.at is not None:
        yield "  all hands are off: set their keys in [runs.hands] of the configuration"


def _is_fresh(at: float | None, now: float) -> bool:
    return at is not None and abs(now - at) <= _FRESH_S
