"""One look at a run: at what its watcher published, or, where nobody watches, at the log itself."""

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING

from trainwatch.app.config import RunSettings
from trainwatch.app.logfile import check_log
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

if TYPE_CHECKING:  # what reads logs is loaded when one is read
    from trainwatch.app.watched import Watched

_BEATS = 3  # that a watcher may miss, where it beats seldom


def status_of(site: Site, run: RunSettings, now: float) -> Status:
    """How a run is doing. Raises LogUnreadable where there is nothing to look at."""
    watched = look(site, run, now)
    if watched is not None:
        try:
            status = watched.status(now)
        finally:
            watched.close()
        require_known(watched, run)
        return status
    published = site.reader(run).status()
    if published is None:
        raise LeaseHeld(f"another trainwatch is reading {run.log} for the first time; try again")
    return judged(published, now, silent_after_s=silent_after_s(site))


def glance(site: Site, run: RunSettings, now: float) -> Status:
    """The same in a third of the time, while somebody watches: nothing but what they published is read.

    The trap: nobody is asked whether they live. A watcher that was killed is taken at its last word until
    that is too old. Raises as `status_of` does.
    """
    reader = site.reader(run)
    published = reader.status() if reader.is_held() else None
    if published is None or not _is_recent(site, published, now):
        return status_of(site, run, now)
    return judged(published, now, silent_after_s=silent_after_s(site))


def status_or_why_not(
    site: Site,
    run: RunSettings,
    now: float,
    look: Callable[[Site, RunSettings, float], Status] = status_of,
) -> Status:
    """How one of several runs is doing; of one that cannot be looked at, why not."""
    try:
        return look(site, run, now)
    except TrainwatchError as error:
        return why_not(run, error)


def why_not(run: RunSettings, error: TrainwatchError) -> Status:
    """What there is to say of a run that cannot be looked at."""
    return Status(run=run.name or run.log, health="unknown", reason=str(error), log=run.log)


def published(site: Site, now: float) -> list[Status]:
    """How all runs of the state folder are, by what was published of them, seen from outside."""
    known = (reader.status() for reader in site.readers())
    return [judged(one, now, silent_after_s(site)) for one in known if one is not None]


def require_known(watched: "Watched", run: RunSettings) -> None:
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
    """How old the last heartbeat of a watcher that is well may be."""
    beat_s = max(site.settings.heartbeat_interval_s, site.settings.poll_interval_s)
    return max(SILENT_AFTER_S, _BEATS * beat_s)


def look(site: Site, run: RunSettings, now: float) -> "Watched | None":
    """Read a log up to its end, going on from what is known; None when another process does."""
    if not site.folder(run).exists():
        check_log(Path(run.log))
    try:
        patience_s = 0.0 if _is_watched(site, run, now) else 1.0
        watched = site.watched(run, patience_s=patience_s, once=True)
    except LeaseHeld:
        return None
    except (StoreFull, StoreUnusable):
        watched = site.unkept(run)  # nothing can be kept here, but the log can be read
    try:
        while watched.tick(now, heartbeat_s=0.0):
            pass
    except BaseException:
        watched.close()  # ctrl+c, too: other machines would wait minutes for the lease of a dead process
        raise
    return watched


def _is_watched(site: Site, run: RunSettings, now: float) -> bool:
    """Whether somebody looked lately: then who holds the lease is a watcher, and keeps it."""
    published = site.reader(run).status()
    return published is not None and _is_recent(site, published, now)


def _is_recent(site: Site, published: Status, now: float) -> bool:
    beat = published.heartbeat_at
    return beat is not None and abs(now - beat) <= silent_after_s(site)
