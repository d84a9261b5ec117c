"""What fires, as part of a run's status: the worst of it is the run's health."""

from msgspec.structs import replace

from trainwatch.core.model.alerts import SEVERITIES, Alarm, Book
from trainwatch.core.model.status import Alert, Status
from trainwatch.core.muting import acknowledged, in_force, silenced
from trainwatch.core.telling import since_of

_RANK = {severity: rank for rank, severity in enumerate(SEVERITIES)}


def with_alerts(status: Status, book: Book, now: float) -> Status:
    """The status with the alerts that fire, the worst first; its health is no better than they are."""
    book = in_force(book, now)
    firing = [alarm for alarm in book.alarms if alarm.fired_at is not None]
    firing.sort(key=lambda alarm: (-_RANK[alarm.severity], alarm.fired_at))
    alerts = tuple(_alert(alarm, book, now) for alarm in firing)
    status = replace(status, alerts=alerts, book=book)
    causes = [alert for alert in alerts if alert.muted != "inhibited" and alert.severity != "info"]
    if not causes or (causes[0].severity == "warning" and status.health == "critical"):
        return status
    worst = causes[0]
    return replace(status, health=worst.severity, reason=f"{worst.rule}: {worst.summary}")


def _alert(alarm: Alarm, book: Book, now: float) -> Alert:
    finding = alarm.finding
    muted = str(alarm.withheld)
    if acknowledged(book, alarm):
        muted = "acknowledged"
    elif silenced(book, alarm):
        muted = "silenced"
    return Alert(
        rule=finding.rule,
        severity=alarm.severity,
        since=since_of(alarm, now),
        summary=finding.summary,
        key=finding.key,
        iteration=finding.iteration,
        cost=finding.cost,
        advice=finding.advice,
        evidence=finding.evidence,
        muted=muted,
    )
