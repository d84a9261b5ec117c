"""The watcher is watched: what it published, seen from outside. Its silence is never health."""

from msgspec.structs import replace

from trainwatch.core.model.status import Alert, Status

SILENT_AFTER_S = 300.0  # a watcher that did not look for so long is down


def judged(published: Status, now: float, silent_after_s: float = SILENT_AFTER_S) -> Status:
    """What a watcher published, seen from outside: its silence is part of the answer."""
    if published.heartbeat_at is None:
        reason = f"nobody says when the watcher last looked (it said: {published.health})"
        return replace(published, health="unknown", reason=reason)
    silence_s = now - published.heartbeat_at
    if abs(silence_s) <= silent_after_s:
        return published
    minutes = round(abs(silence_s) / 60)
    reason = f"the watcher has been silent for {minutes} min (it said: {published.health})"
    if silence_s < 0:
        reason = f"the watcher's clock is {minutes} min ahead of here (it said: {published.health})"
    since = min(published.heartbeat_at, now)
    alert = Alert(rule="watcher-down", severity="critical", since=since, summary=reason)
    alerts = (alert, *published.alerts)
    return replace(published, health="unknown", reason=reason, alerts=alerts)
