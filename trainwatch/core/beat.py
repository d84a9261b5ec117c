"""The watcher is watched: what it published, seen from outside. Its silence is never health."""

import math

from msgspec.structs import replace

from trainwatch.core import chainhealth
from trainwatch.core.model.cron import CronStatus
from trainwatch.core.model.status import Alert, Status
from trainwatch.core.words import duration

SILENT_AFTER_S = 300.0  # a watcher that did not look for so long is down
_OVER = frozenset({"dead", "stopped"})  # nobody writes any more, and the last word said so


def judged(published: Status, now: float, silent_after_s: float = SILENT_AFTER_S) -> Status:
    """What a watcher published, seen from outside: its silence is part of the answer."""
    if published.heartbeat_at is None:
        reason = f"nobody says when the watcher last looked (it said: {published.health})"
        return replace(published, health="unknown", reason=reason)
    silent_s = silence_s(published.heartbeat_at, published.silent_after_s, now, silent_after_s)
    if silent_s is None:
        return published
    minutes = round(abs(silent_s) / 60)
    reason = f"the watcher has been silent for {minutes} min (it said: {published.health})"
    if silent_s < 0:
        reason = f"the watcher's clock is {minutes} min ahead of here (it said: {published.health})"
    since = min(published.heartbeat_at, now)
    alert = Alert(rule="watcher-down", severity="critical", since=since, summary=reason)
    alerts = (alert, *published.alerts)
    return replace(published, health="unknown", reason=reason, alerts=alerts)


def silence_s(
    heartbeat_at: float, published_s: float | None, now: float, silent_after_s: float
) -> float | None:
    """How long a watcher has been silent, if that is too long; below 0: its clock is ahead of here.

    `published_s` is how long it said it may be silent.
    """
    silent_s = now - heartbeat_at
    return None if abs(silent_s) <= max(silent_after_s, published_s or 0.0) else silent_s


def judged_chain(written: CronStatus, now: float) -> CronStatus:
    """What a chain wrote of itself, seen from outside: when it has been silent for too long it is dead.

    Whatever it said; but what was stopped by hand is stopped, and of what cannot be read nothing is known.
    """
    silence_s, due_s = (
        now - written.at,
        chainhealth.silent_after_s(written.mode, written.interval_s),
    )
    if written.health in _OVER or not written.at:
        return written
    if not math.isfinite(silence_s) or silence_s < -SILENT_AFTER_S:
        why = f"its clock is ahead of here (it said: {written.health})"
        return replace(written, health="unknown", why=why)
    if silence_s <= due_s:
        return written
    why = f"no heartbeat for {duration(silence_s)} (it said: {written.health})"
    return replace(written, health="dead", why=why)
