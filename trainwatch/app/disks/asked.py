"""All disks asked once, now: what `trainwatch disks` shows, with the runway that a watcher has learned.

The trap: this process has seen each disk once. How fast it fills only a watcher can say, and what it said
may be old.
"""

from collections.abc import Iterable, Mapping, Sequence

import msgspec

from trainwatch.app.disks.settings import DiskSettings
from trainwatch.app.disks.watching import Disks, Eyes
from trainwatch.app.sources import EVERY
from trainwatch.core.model.observations import DiskReading
from trainwatch.core.model.status import SCHEMA_VERSION, DiskStatus, Status
from trainwatch.core.rules.settings import DiskFull

_DAY_S = 86_400.0
_FRESH_S = 3 * 3600.0  # a watcher's word that is older is none
_MORE_S = 2.0  # beyond the deadline of the slowest quota command


class DiskRow(msgspec.Struct, frozen=True, kw_only=True):
    """One disk as scripts read it. Unknown is null, with `why`."""

    disk: str
    path: str
    quota: str | None
    bytes_total: int | None = None
    bytes_free: int | None = None
    inodes_total: int | None = None
    inodes_free: int | None = None
    soft_until: float | None = (
        None  # it is over a soft limit: when that is enforced, s since the epoch
    )
    runway_s: float | None = None  # as the watcher of a run said last
    runs_out: str = ""
    strays: tuple[str, ...] = ()  # that it found
    health: str = "unknown"  # ok, warning, critical, unknown
    why: str = ""
    schema_version: int = SCHEMA_VERSION


def look(
    settings: Sequence[DiskSettings],
    eyes: Eyes,
    statuses: Iterable[Status],
    full: DiskFull,
    now: float,
) -> list[DiskRow]:
    """A row for each. Waits as long as the slowest may take, and a little more."""
    plain = [msgspec.structs.replace(one, watch=()) for one in settings]  # a scan takes minutes
    patience_s = max(one.deadline_s for one in settings) + _MORE_S
    asked, known = Disks(plain, eyes, patience_s=patience_s), _known(statuses, now)
    told = asked.tick(now).get(EVERY, ())
    readings = {each.path: each for each in told if isinstance(each, DiskReading)}
    rows = [
        _row(disk.settings, readings.get(disk.settings.label), disk.trouble, known, full)
        for disk in asked.disks
    ]
    asked.close()
    return rows


def _known(statuses: Iterable[Status], now: float) -> Mapping[str, DiskStatus]:
    """The newest word on each disk."""
    found = dict[str, DiskStatus]()
    for disk in sorted((d for s in statuses for d in s.disks), key=lambda disk: disk.at):
        if abs(now - disk.at) <= _FRESH_S:
            found[disk.disk] = disk
    return found


def _row(
    chosen: DiskSettings,
    seen: DiskReading | None,
    trouble: str,
    known: Mapping[str, DiskStatus],
    full: DiskFull,
) -> DiskRow:
    told = known.get(chosen.label)
    row = DiskRow(
        disk=chosen.label,
        path=chosen.folder,
        quota=chosen.quota,
        runway_s=told.runway_s if told else None,
        runs_out=told.runs_out if told else "",
        strays=told.strays if told else (),
        why=trouble,
    )
    if seen is None:
        return row
    row = msgspec.structs.replace(
        row,
        bytes_total=seen.bytes_total,
        bytes_free=seen.bytes_free,
        inodes_total=seen.inodes_total,
        inodes_free=seen.inodes_free,
        soft_until=seen.soft_until,
    )
    return msgspec.structs.replace(row, health=_health(row, full))


def _health(row: DiskRow, full: DiskFull) -> str:
    for free, total in ((row.bytes_free, row.bytes_total), (row.inodes_free, row.inodes_total)):
        if free is not None and (free == 0 or (total and free / total < full.least_free)):
            return "critical"
    if row.soft_until is not None:
        return "warning"
    ends = row.runway_s is not None and row.runway_s < full.runway_days * _DAY_S
    return "warning" if ends else "ok"
