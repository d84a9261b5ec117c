"""What the alert book says, for people and for scripts: `trainwatch alerts list`."""

import msgspec

from trainwatch.app import words
from trainwatch.core.model.alerts import Alarm, Book, Muted, Severity, Withheld
from trainwatch.core.model.status import SCHEMA_VERSION
from trainwatch.core.muting import acknowledged, in_force, silenced
from trainwatch.core.telling import since_of

_WORST_FIRST: tuple[Severity, ...] = ("critical", "warning", "info")


class AlertRow(msgspec.Struct, frozen=True, kw_only=True):
    """One alert as scripts read it. Times are s since the epoch."""

    rule: str
    key: str
    state: str  # "firing" or "pending": it has not lasted long enough to fire
    severity: Severity
    since: float
    summary: str
    told: bool  # whether people know of it
    muted: Withheld  # why they are not told, or not again


class AlertList(msgspec.Struct, frozen=True, kw_only=True):
    """The alert book of one run as scripts read it."""

    run: str
    alerts: tuple[AlertRow, ...] | None  # None: nobody has judged this run yet
    muted: tuple[Muted, ...] = ()
    schema_version: int = SCHEMA_VERSION


def rows(run: str, book: Book | None, now: float) -> AlertList:
    """The alerts of a run at `now`: what fires, the worst first, then what is pending."""
    if book is None:
        return AlertList(run=run, alerts=None)
    book = in_force(book, now)
    alerts = tuple(_row(alarm, book, now) for alarm in sorted(book.alarms, key=order))
    return AlertList(run=run, alerts=alerts, muted=book.muted)


def listing(book: Book | None, now: float) -> str:
    """The same as a person reads it, a line for each."""
    listed = rows("", book, now)
    if listed.alerts is None:
        return "  not known: nobody watches this run, or its watcher does not judge it"
    lines = [_line(row, now) for row in listed.alerts] or ["  no alerts"]
    return "\n".join([*lines, *(f"  {muted_text(muted, now)}" for muted in listed.muted)])


def order(alarm: Alarm) -> tuple[bool, int, float]:
    """To sort by: what fires, the worst first, then what is pending."""
    return alarm.fired_at is None, _WORST_FIRST.index(alarm.severity), alarm.noticed_at


def _row(alarm: Alarm, book: Book, now: float) -> AlertRow:
    return AlertRow(
        rule=alarm.finding.rule,
        key=alarm.finding.key,
        state="pending" if alarm.fired_at is None else "firing",
        severity=alarm.severity,
        since=since_of(alarm, now),
        summary=alarm.finding.summary,
        told=alarm.told is not None,
        muted=why_muted(alarm, book),
    )


def why_muted(alarm: Alarm, book: Book) -> Withheld:
    """Why people are not told of an alarm, or not again; empty if they are."""
    if silenced(book, alarm):
        return "silenced"
    if acknowledged(book, alarm):
        return "acknowledged"
    return "" if alarm.told else alarm.withheld


def mutes_of(alarm: Alarm, book: Book) -> list[Muted]:
    """The silences and acknowledgements that an alarm is muted by."""
    alone = [(muted, Book(muted=(muted,))) for muted in book.muted]
    return [muted for muted, one in alone if silenced(one, alarm) or acknowledged(one, alarm)]


def muted_text(muted: Muted, now: float) -> str:
    """Who muted what, until when, and why: foreign words, in one line."""
    what = f"{muted.rule} {muted.key}".rstrip() or "all rules"
    until = f" until {words.when(muted.until, now)}" if muted.until is not None else ""
    by = f" by {muted.by}" if muted.by else ""
    why = f": {muted.why}" if muted.why else ""
    return words.clean(f"{muted.kind}: {what}{until}{by}{why}", 300)


def _line(row: AlertRow, now: float) -> str:
    state = row.severity if row.state == "firing" else "pending"
    name = words.clean(f"{row.rule} {row.key}".rstrip(), 60)
    muted = f" ({row.muted})" if row.muted else ""
    length = words.duration(now - row.since)
    return f"  {state:<9} {name:<18} for {length}{muted}: {words.clean(row.summary, 300)}"
