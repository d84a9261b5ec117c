"""Is there room, and for how long? By the rate at which a disk fills, and by what the next saves will take.

The trap: who saves may also remove what is older. So the saves to come are counted only until the rate has
been measured over some of them; that the next one does not fit is said at any time.
"""

from collections.abc import Iterator
from datetime import UTC, datetime
from typing import NamedTuple

from trainwatch.core.model.alerts import Finding
from trainwatch.core.model.observations import DiskReading
from trainwatch.core.model.status import DiskStatus
from trainwatch.core.rules.sight import Later, Said, Sight
from trainwatch.core.words import duration, percent, short

_DAY_S, _HOUR_S = 86_400.0, 3600.0
_UNDER = 0.99  # room for just so long is not yet too little
_SLACK = (
    1.5  # a disk that is told of must have so much more room, or it would be told again and again
)
_FORGOTTEN_S = 3 * _DAY_S  # disks are asked once a day at least
_SOFT = "soft limit"
_CRITICAL_S = _DAY_S / 4
_SAVES, _SETTLED_S = 3, 6 * _HOUR_S  # a rate over so many saves, or so long, has them in it


class Cadence(NamedTuple):
    """What saves take: bytes each, seconds from one to the next."""

    size_bytes: int
    period_s: float


class End(NamedTuple):
    """When nothing more can be written: in so many seconds, of what; a predicate with {} for the time."""

    left_s: float
    what: str
    said: str


def disk_full(sight: Sight) -> Iterator[Said]:
    """A disk is full, or will be soon."""
    for path, reading in sight.state.disks.items():
        if not _is_watched(reading, sight.now):
            continue
        yield Later(reading.at + _FORGOTTEN_S)
        slack = _SLACK if sight.fires("disk-full", path) else 1.0
        found = _full(sight, path, slack) or _filling(sight, path, slack)
        if found is not None:
            yield found


def ends(sight: Sight, path: str) -> End | None:
    """What ends first on a disk, and when; None: not in sight."""
    return min(_ends(sight, path), default=None)


def cadence(sight: Sight, path: str) -> Cadence | None:
    """What the saves of this run take of a disk; None: nothing, or nobody knows."""
    interval, step_s = sight.facts.save_interval, sight.memory.speed.typical_s()
    attempt = sight.attempt
    stopped = sight.runs is False or not sight.moved or attempt is None or attempt.exit is not None
    if stopped or not interval or not step_s or not _holds(sight, path):
        return None
    listed = sight.state.checkpoints.found if sight.state.checkpoints is not None else ()
    sizes = [(c.iteration, c.bytes) for c in listed if c.complete and c.bytes and c.iteration]
    return Cadence(max(sizes)[1], interval * step_s) if sizes else None


def views(sight: Sight) -> tuple[DiskStatus, ...]:
    """Every disk with its runway, for the status."""
    known = sorted(sight.state.disks.items())
    return tuple(
        _view(reading, ends(sight, path), _prunable(sight, path))
        for path, reading in known
        if _is_watched(reading, sight.now)
    )


def _is_watched(reading: DiskReading, now: float) -> bool:
    """One that is not configured any more is never heard of again; a day without an answer ends nothing."""
    return now < reading.at + _FORGOTTEN_S


def _view(reading: DiskReading, end: End | None, prunable: int | None) -> DiskStatus:
    return DiskStatus(
        disk=reading.path,
        folder=reading.folder or reading.path,
        at=reading.at,
        bytes_total=reading.bytes_total,
        bytes_free=reading.bytes_free,
        inodes_total=reading.inodes_total,
        inodes_free=reading.inodes_free,
        runway_s=end.left_s if end is not None else None,
        runs_out=end.what if end is not None else "",
        soft_until=reading.soft_until,
        strays=reading.strays,
        quota=reading.quota,
        prunable_bytes=prunable,
    )


def _full(sight: Sight, path: str, slack: float) -> Finding | None:
    """There is hardly anything left, or not enough for the next checkpoint."""
    reading, least = sight.state.disks[path], sight.settings.disk_full.least_free * slack
    for what, free, total in (
        ("bytes", reading.bytes_free, reading.bytes_total),
        ("inodes", reading.inodes_free, reading.inodes_total),
    ):
        if free is not None and (free == 0 or (total and free / total < least)):
            left = percent(free / total) if total else "none"
            return _finding(sight, path, f"{path} has {left} of its {what} left", critical=True)
    saves = cadence(sight, path)
    if saves is None or reading.bytes_free is None or reading.bytes_free >= saves.size_bytes:
        return None
    return _finding(
        sight,
        path,
        f"{path} has no room for the next checkpoint: {_size(reading.bytes_free)} left, "
        f"it takes {_size(saves.size_bytes)}, one is saved every {duration(saves.period_s)}",
        critical=True,
    )


def _filling(sight: Sight, path: str, slack: float) -> Finding | None:
    runway_s = sight.settings.disk_full.runway_days * _DAY_S
    until_s = runway_s * (slack if slack > 1 else _UNDER)
    found = _ends(sight, path)  # a grace runs out, however long it is
    end = min((e for e in found if e.left_s < until_s or e.what == _SOFT), default=None)
    if end is None:
        return None
    reading = sight.state.disks[path]
    free = reading.inodes_free if end.what == "inodes" else reading.bytes_free
    left = f"{free or 0:,} inodes" if end.what == "inodes" else _size(free or 0)
    when = f"in {duration(end.left_s)} (about {_when(sight.now + end.left_s)})"
    return _finding(
        sight,
        path,
        f"{path} {end.said.format(when)}: {left} left",
        critical=end.left_s < _CRITICAL_S,
    )


def _finding(sight: Sight, path: str, summary: str, *, critical: bool) -> Finding:
    return Finding(
        rule="disk-full",
        key=path,
        severity="critical" if critical else None,
        summary=summary,
        evidence=sight.state.disks[path].strays,
        advice=_advice(sight, path),
    )


def _advice(sight: Sight, path: str) -> str:
    """What would make room: what is known of it."""
    strays = sight.state.disks[path].strays
    files = "Remove the files below first." if strays else "Look for core files."
    prunable = _prunable(sight, path)
    if prunable is None:
        return f"Remove checkpoints that nobody needs. {files}"
    if prunable == 0:
        return f"Pruning as configured would free nothing. {files}"
    return (
        f"Pruning as configured would free {_size(prunable)}: trainwatch checkpoints prune. {files}"
    )


def _prunable(sight: Sight, path: str) -> int | None:
    """What pruning as configured would free of it; None: nobody knows, or nothing is configured."""
    listed = sight.state.checkpoints
    return listed.prunable_bytes if listed is not None and _holds(sight, path) else None


def _ends(sight: Sight, path: str) -> list[End]:
    found = (_by_growth(sight, path), _by_saves(sight, path), _by_grace(sight, path))
    return [end for end in found if end is not None]


def _by_growth(sight: Sight, path: str) -> End | None:
    found = sight.memory.disks.runway_s(path)
    return End(*found, "is full {} as it fills now") if found is not None else None


def _by_saves(sight: Sight, path: str) -> End | None:
    """Where the rate is not known yet."""
    saves, free = cadence(sight, path), sight.state.disks[path].bytes_free
    if saves is None or free is None:
        return None
    if sight.memory.disks.span_s(path) >= min(_SAVES * saves.period_s, _SETTLED_S):
        return None
    left_s = free / saves.size_bytes * saves.period_s
    each = f"with a checkpoint of {_size(saves.size_bytes)} every {duration(saves.period_s)}"
    return End(left_s, "bytes", f"is full {{}} {each}")


def _by_grace(sight: Sight, path: str) -> End | None:
    until = sight.state.disks[path].soft_until
    if until is None:
        return None
    return End(max(0.0, until - sight.now), _SOFT, "is over its soft limit, and closed {}")


def _holds(sight: Sight, path: str) -> bool:
    """Whether the checkpoints are there: by where they are, else because there is no other disk."""
    disks, listed = sight.state.disks, sight.state.checkpoints
    root = (listed.root if listed is not None else "") or sight.state.save.path
    folders = {name: disk.folder or name for name, disk in disks.items()}
    if not root.startswith("/") or not any(f.startswith("/") for f in folders.values()):
        return len(disks) == 1
    above = {name: folder for name, folder in folders.items() if _is_above(folder, root)}
    nearest = max(map(len, above.values()), default=0)
    return path in above and len(above[path]) == nearest


def _is_above(folder: str, root: str) -> bool:
    return f"{root.rstrip('/')}/".startswith(f"{folder.rstrip('/')}/")


def _size(size: float) -> str:
    return short(size, "B")


def _when(at: float) -> str:
    """To the hour, in UTC: whoever reads it later still knows when."""
    return f"{datetime.fromtimestamp(round(at / _HOUR_S) * _HOUR_S, UTC):%Y-%m-%d %H:%M} UTC"
