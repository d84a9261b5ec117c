"""trainwatch alerts: what fires, and asking not to be told of it.

The trap: this is not the process that watches. It leaves a request, and the watcher acts on it when it looks
next.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, TypeVar

import click
import msgspec

from trainwatch.app import alerting, clock, names, words
from trainwatch.app.commands import alerts_test
from trainwatch.app.commands.shared import say, site_options
from trainwatch.app.config import RunSettings
from trainwatch.app.durations import DURATION
from trainwatch.app.logfile import check_log
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode, UsageError
from trainwatch.core.model.alerts import Book
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.rules.table import RULES

F = TypeVar("F", bound=Callable[..., Any])
_LONGEST_WORD = 1000  # characters of a reason


@click.group(name="alerts")
def command() -> None:
    """List alerts, acknowledge or silence them.

    Rules are named as in the list. Who acknowledges an alert says: I know, do not repeat it. A silence keeps
    whole rules from being told until it ends; what still fires then is told.

    \b
    Example:
      trainwatch alerts list
      trainwatch alerts ack stall --why "node 17 is being drained"
      trainwatch alerts silence --for 4h --why maintenance
    """


def _of_run(function: F) -> F:
    return click.option(
        "--run", "log_or_run", metavar="LOG|RUN", help="Of this run only; else of all configured."
    )(function)


@command.command(name="list")
@click.argument("log_or_run", required=False)
@click.option("--json", "as_json", is_flag=True, help="One JSON object (several runs: a list).")
@site_options
def list_alerts(log_or_run: str | None, as_json: bool, site: Site) -> int:
    """Say what fires, what is pending and what is muted. The exit code is 3 if that is known of no run.

    \b
    Example:
      trainwatch alerts list --json
    """
    now = clock.now()
    books = [(_name(run), site.reader(run).book()) for run in _runs(site, log_or_run)]
    if as_json:
        found = [alerting.rows(name, book, now) for name, book in books]
        said = msgspec.json.encode(found[0] if log_or_run else found)
        click.echo(msgspec.json.format(said).decode())
    else:
        parts = [f"{words.clean(name)}\n{alerting.listing(book, now)}" for name, book in books]
        click.echo("\n\n".join(parts))
    return ExitCode.UNKNOWN if all(book is None for _, book in books) else ExitCode.OK


@command.command()
@click.argument("rule")
@click.option("--key", default="", help="One alert of the rule (a node, a disk); else all of it.")
@click.option("--for", "length_s", type=DURATION, help="Repeat it again after so long, as in 4h.")
@click.option("--why", default="", help="What others should know.")
@_of_run
@site_options
def ack(
    rule: str, key: str, length_s: float | None, why: str, log_or_run: str | None, site: Site
) -> None:
    """Acknowledge a firing alert: it is not repeated, its end is told.

    \b
    Example:
      trainwatch alerts ack stall --why "on it"
    """
    runs = [run for run in _runs(site, log_or_run) if _may_fire(site.reader(run).book(), rule, key)]
    if not runs:
        name = f"{rule} {key}".rstrip()
        raise UsageError(f"no alert '{name}' fires; see: trainwatch alerts list")
    now = clock.now()
    until = None if length_s is None else now + length_s
    _ask(site, runs, _request("ack", now, rule=rule, key=key, until=until, why=why))


@command.command()
@click.argument("rule", default="")
@click.option("--for", "length_s", type=DURATION, required=True, help="For how long, as in 4h.")
@click.option("--why", required=True, help="What others should know.")
@_of_run
@site_options
def silence(rule: str, length_s: float, why: str, log_or_run: str | None, site: Site) -> None:
    """Tell nobody of a rule, or of any, for a time. What fires is kept in the journal.

    \b
    Example:
      trainwatch alerts silence throughput-drop --for 4h --why "profiling"
    """
    now, rule = clock.now(), _known(site, rule)
    request = _request("silence", now, rule=rule, until=now + length_s, why=why)
    _ask(site, _runs(site, log_or_run), request)


@command.command()
@click.argument("rule", default="")
@_of_run
@site_options
def unmute(rule: str, log_or_run: str | None, site: Site) -> None:
    """Take back silences and acknowledgements: of a rule, or all.

    \b
    Example:
      trainwatch alerts unmute stall
    """
    request = _request("unmute", clock.now(), rule=_known(site, rule))
    _ask(site, _runs(site, log_or_run), request)


def _known(site: Site, rule: str) -> str:
    """The rule's name. Raises UsageError with the nearest for one that there is not."""
    import difflib

    names = [*(known.name for known in RULES), *site.settings.alerts.patterns, "watcher-down"]
    if not rule or rule in names:
        return rule
    near = difflib.get_close_matches(rule, names, n=1, cutoff=0.5)
    hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(names)}"
    raise UsageError(f"no rule is called '{rule}'; {hint}")


def _runs(site: Site, log_or_run: str | None) -> list[RunSettings]:
    return [site.run_of(log_or_run)] if log_or_run else site.runs()


def _name(run: RunSettings) -> str:
    return run.name or run.log


def _may_fire(book: Book | None, rule: str, key: str) -> bool:
    """Whether there is something to acknowledge; where nobody knows, there may be."""
    return book is None or any(
        alarm.fired_at is not None and alarm.finding.rule == rule and key in ("", alarm.finding.key)
        for alarm in book.alarms
    )


def _request(ask: str, at: float, *, why: str = "", **more: object) -> AlertRequest:
    said = {"ask": ask, "at": at, "by": names.user(), "why": why[:_LONGEST_WORD], **more}
    return msgspec.convert(said, AlertRequest)


def _ask(site: Site, runs: Sequence[RunSettings], request: AlertRequest) -> None:
    for run in runs:
        if not site.folder(run).exists():
            check_log(Path(run.log))  # a name that was mistyped, more likely than a log to come
        site.ask(run, request)
        say(f"{words.clean(_name(run))}: asked; its watcher acts on it at its next look")


command.add_command(alerts_test.command)
