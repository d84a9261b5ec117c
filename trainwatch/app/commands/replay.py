"""trainwatch replay: what happened when, from a recording or a log."""

from pathlib import Path

import click
import msgspec

from trainwatch.app import clock, looking, words
from trainwatch.app.commands.shared import say, site_options
from trainwatch.app.commands.status import text
from trainwatch.app.logfile import check_log
from trainwatch.app.progress import progress
from trainwatch.app.recording import Flaws
from trainwatch.app.replaying import SCHEMA_VERSION, Replayed, observations, replay
from trainwatch.app.wire import Site
from trainwatch.core.columns import Columns
from trainwatch.core.errors import ExitCode
from trainwatch.core.journal import by_time
from trainwatch.core.model.alerts import Change
from trainwatch.core.model.state import Event, RunState
from trainwatch.core.status import status_of

_WIDTH = 160


@click.command(name="replay")
@click.argument("file", type=click.Path(path_type=Path))
@click.option("--json", "as_json", is_flag=True, help="JSON lines: an event each, the state last.")
@site_options
def command(file: Path, as_json: bool, site: Site) -> int:
    """Fold a recording or a log, and print what happened when, then the state at its end.

    The clock is the file's own: the times of a recording, the stamps of a log, or its iteration times
    added up. Lines of a recording that cannot be read are left out and named; the exit code is then 2.

    \b
    Example:
      trainwatch replay main_log.txt
    """
    check_log(file)
    run = site.run_of(str(file))
    last = Replayed(RunState(run=run.name or file.stem), Columns(), (), 0)
    flaws = Flaws()
    seen = observations(file, clock.now(), flaws)
    with progress("replaying", file.stat().st_size) as shown:
        judge = site.judge(run)
        steps = replay(last.state.run, seen, site.scanner(), site.utc_offset_s(), judge)
        for last in steps:
            shown.advance(last.read_bytes)
            _tell(last, as_json)
    code = _complain(flaws)
    looking.require_format(last.state, str(file), file.stat().st_size)
    at = last.state.clock.at if last.state.clock else last.state.seen_at or clock.now()
    status = status_of(last.state, last.recent, run.facts(), at, log=str(file))
    if as_json:
        click.echo(_json(None, kind="state", at=at, status=status))
    else:
        click.echo("\n" + text(status, at))
    return code


def _complain(flaws: Flaws) -> int:
    for flaw in flaws.first:
        say(f"trainwatch: {flaw}")
    if flaws.lines > len(flaws.first):
        say(f"trainwatch: and {flaws.lines - len(flaws.first):,} more lines like these")
    return ExitCode.USAGE if flaws.lines else ExitCode.OK


def _tell(replayed: Replayed, as_json: bool) -> None:
    """Events and alert changes. Where a log has no clock yet, the time of a change is that of reading."""
    for each in by_time(replayed.events, replayed.changes):
        if isinstance(each, Change):
            click.echo(_changed(each, as_json))
        else:
            click.echo(_line(each, replayed.state.run, as_json))


def _json(told: Event | Change | None, **more: object) -> str:
    """A line of JSON; docs/schemas/replay.json describes it."""
    values = msgspec.to_builtins(told) if told is not None else {}
    return msgspec.json.encode({**more, **values, "schema_version": SCHEMA_VERSION}).decode()


def _changed(change: Change, as_json: bool) -> str:
    if as_json:
        return _json(change)
    at = clock.local(change.at).strftime("%Y-%m-%d %H:%M:%S")
    iteration = f"{change.iteration:>9,}" if change.iteration is not None else " " * 9
    muted = f" ({change.muted}: nobody is told)" if change.muted else ""
    cost = f"; {change.cost}" if change.cost else ""
    told = words.clean(f"{change.severity}: {change.summary}{cost}{muted}", 2 * _WIDTH)
    return f"{at}  ALERT {change.rule} {change.change}  {iteration.strip()}  {told}".rstrip()


def _line(event: Event, run: str, as_json: bool) -> str:
    if as_json:
        return _json(event, run=run)
    at = clock.local(event.at).strftime("%Y-%m-%d %H:%M:%S") if event.at else " " * 19
    iteration = f"{event.iteration:>9,}" if event.iteration is not None else " " * 9
    values = "   ".join(f"{name} {words.number(value)}" for name, value in event.values.items())
    told = words.clean("   ".join(part for part in (event.text, values) if part), _WIDTH)
    attempt = "" if event.attempt is None else f"#{event.attempt + 1}"
    return f"{at}  {attempt:<4} {event.kind:<14} {iteration}  {told}".rstrip()
