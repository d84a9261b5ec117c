"""The processes of a command in a line, for `status` and the screen."""

from trainwatch.app.words import ago, duration, short
from trainwatch.core.model.observations import ProcessReading
from trainwatch.core.processes import ended

_OLD_S = 120.0  # beyond this, how old it is says more than what it says


def line(seen: ProcessReading | None, now: float | None = None) -> str:
    """How they are, and how old that is at `now`; empty where `trainwatch run` started none."""
    if seen is None:
        return ""
    if seen.alive is False:
        return ended(seen) + (f", {ago(seen.at, now)}" if now is not None else "") + _left(seen)
    old = f" ({ago(seen.at, now)})" if now is not None and now - seen.at > _OLD_S else ""
    if seen.state != "ok" or seen.alive is None:
        return f"unknown: {seen.why or 'nobody sees them'}{old}"
    count = seen.count or 0
    launchers = count - seen.workers if seen.workers is not None else 0
    launch = f" ({launchers:,} launcher{'s' * (launchers != 1)})" if launchers else ""
    parts = [f"{count:,} live{launch}"]
    if seen.zombies:
        parts.append(f"{seen.zombies:,} zombies")
    if seen.rss_bytes is not None:
        parts.append(f"{short(seen.rss_bytes, 'B')} of memory")
    if seen.cpu_s is not None:
        parts.append(f"{duration(seen.cpu_s)} of CPU")
    if seen.exit_code is not None or seen.signal is not None:
        parts.append(f"the main one ended ({ended(seen)})")
    return "   ".join(parts) + old


def _left(seen: ProcessReading) -> str:
    return f"; {seen.count:,} that it started still live" if seen.count else ""
