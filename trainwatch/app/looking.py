"""One look at a run: at what its watcher published, or, where nobody watches, at the log itself."""

from pathlib import Path

from msgspec.structs import replace

from trainwatch.app.config import RunSettings
from trainwatch.app.logfile import check_log
from trainwatch.app.watched import Watched
from trainwatch.app.wire import Site
from trainwatch.core.errors import LeaseHeld, LogUnknown, StoreUnusable
from trainwatch.core.model.state import RunState
from trainwatch.core.model.status import Status

SILENT_AFTER_S = 300.0  # a watcher that did not look for so long is down


def status_of(site: Site, run: RunSettings, now: float) -> Status:
    """How a run is doing. Raises LogUnreadable where there is nothing to look at."""
    watched = look(site, run, now)
    if watched is not None:
        status = watched.status(now)
        watched.close()
        if not watched.blind:
            require_format(watched.state, run.log, watched.size)
        return status
    published = site.reader(run).status()
    if published is None:
        raise LeaseHeld(f"another trainwatch is reading {run.log} for the first time; try again")
    return judged(published, now)


def require_format(state: RunState, log: str, size: int | None) -> None:
    """Raise LogUnknown for a log in which nothing was recognised, and say what to do."""
    if state.attempts:
        return
    if size == 0:
        raise LogUnknown(f"{log} is empty so far")
    raise LogUnknown(
        f"{log} holds no log format trainwatch knows. Describe it with a regular expression: "
        "see [formats] in config.example.toml"
    )


def judged(published: Status, now: float) -> Status:
    """What a watcher published, seen from outside: its silence is part of the answer."""
    if published.heartbeat_at is None or now - published.heartbeat_at <= SILENT_AFTER_S:
        return published
    minutes = round((now - published.heartbeat_at) / 60)
    reason = f"the watcher has been silent for {minutes} min (it said: {published.health})"
    return replace(published, health="unknown", reason=reason)


def look(site: Site, run: RunSettings, now: float) -> Watched | None:
    """Read a log up to its end, going on from what is known; None when another process does."""
    if not site.folder(run).exists():
        check_log(Path(run.log))
    try:
        watched = site.watched(run)
    except LeaseHeld:
        return None
    except StoreUnusable:
        watched = site.unkept(run)  # nothing can be kept here, but the log can be read
    while watched.tick(now, heartbeat_s=0.0):
        pass
    return watched
