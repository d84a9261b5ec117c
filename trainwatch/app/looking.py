"""One look at a run: at what its watcher published, or, where nobody watches, at the log itself."""

from pathlib import Path

from trainwatch.app.config import RunSettings
from trainwatch.app.logfile import check_log
from trainwatch.app.watched import Watched
from trainwatch.app.wire import Site
from trainwatch.core.beat import SILENT_AFTER_S, judged
from trainwatch.core.errors import (
    LeaseHeld,
    LogUnknown,
    StoreFull,
    StoreUnusable,
    TrainwatchError,
)
from trainwatch.core.model.state import RunState
from trainwatch.core.model.status import Status

_BEATS = 3  # that a watcher may miss, where it beats seldom


def status_of(site: Site, run: RunSettings, now: float) -> Status:
    """How a run is doing. Raises LogUnreadable where there is nothing to look at."""
    watched = look(site, run, now)
    if watched is not None:
        status = watched.status(now)
        watched.close()
        require_known(watched, run)
        return status
    published = site.reader(run).status()
    if published is None:
        raise LeaseHeld(f"another trainwatch is reading {run.log} for the first time; try again")
    return judged(published, now, silent_after_s=silent_after_s(site))


def status_or_why_not(site: Site, run: RunSettings, now: float) -> Status:
    """How one of several runs is doing; of one that cannot be looked at, why not."""
    try:
        return status_of(site, run, now)
    except TrainwatchError as error:
        name = run.name or run.log
        return Status(run=name, health="unknown", reason=str(error), log=run.log)


def require_known(watched: Watched, run: RunSettings) -> None:
    """Raise LogUnreadable or LogUnknown where neither the log nor what was kept of it says anything."""
    if not watched.blind:
        require_format(watched.state, run.log, watched.size)
    elif not watched.state.attempts:
        check_log(Path(run.log))


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


def silent_after_s(site: Site) -> float:
    """How long a watcher may be silent, as seldom as it is configured to look."""
    beat_s = max(site.settings.heartbeat_interval_s, site.settings.poll_interval_s)
    return max(SILENT_AFTER_S, _BEATS * beat_s)


def look(site: Site, run: RunSettings, now: float) -> Watched | None:
    """Read a log up to its end, going on from what is known; None when another process does."""
    if not site.folder(run).exists():
        check_log(Path(run.log))
    try:
        watched = site.watched(run, patience_s=0.0 if _is_watched(site, run, now) else 1.0)
    except LeaseHeld:
        return None
    except (StoreFull, StoreUnusable):
        watched = site.unkept(run)  # nothing can be kept here, but the log can be read
    while watched.tick(now, heartbeat_s=0.0):
        pass
    return watched


def _is_watched(site: Site, run: RunSettings, now: float) -> bool:
    """Whether somebody looked lately: then who holds the lease is a watcher, and keeps it."""
    published = site.reader(run).status()
    beat = published.heartbeat_at if published else None
    return beat is not None and abs(now - beat) <= silent_after_s(site)
