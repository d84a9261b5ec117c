"""trainwatch disks: how full the watched disks and quotas are now, and how long they will last.

The trap: a disk that gives no answer is not an empty one. It has a row that says so.
"""

from collections.abc import Callable, Sequence

import click
import msgspec

from trainwatch.app import clock, wirehouse, words
from trainwatch.app.commands.shared import site_options
from trainwatch.app.disks import asked
from trainwatch.app.disks.asked import DiskRow
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode, TrainwatchError, UsageError
from trainwatch.core.model.status import Status

_HEADS = ("disk", "used of", "", "inodes", "", "quota", "full in", "")
_FAR_S = 366 * 86_400.0
_RIGHT = (False, True, True, True, True, False, False, False)


@click.command(name="disks")
@click.option("--json", "as_json", is_flag=True, help="A list, one object for each disk.")
@site_options
def command(as_json: bool, site: Site) -> int:
    """Ask all disks of the configuration ([[disks]]) how full they are.

    How long each lasts a watcher has learned (trainwatch watch). The exit code is 1 if one is full or soon
    is, else 3 if one could not be asked, else 0.

    \b
    Example:
      trainwatch disks
      trainwatch disks --json
    """
    settings, now = site.settings, clock.now()
    if not settings.disks:
        raise UsageError(
            "no disk is configured; add a [[disks]] table with a path (config.example.toml shows how)"
        )
    full = settings.alerts.disk_full
    rows = asked.look(settings.disks, wirehouse.eyes(), _statuses(site), full, now)
    if as_json:
        click.echo(msgspec.json.format(msgspec.json.encode(rows)).decode())
    else:
        click.echo("\n".join(_table(rows, now)))
    found = {row.health for row in rows}
    if found & {"critical", "warning"}:
        return ExitCode.UNHEALTHY
    return ExitCode.UNKNOWN if "unknown" in found else ExitCode.OK


def _statuses(site: Site) -> list[Status]:
    """What watchers of the configured runs said last; none where there is no run or no watcher."""
    found = list[Status]()
    try:
        runs = site.runs()
    except UsageError:
        return found
    for run in runs:
        try:
            status = site.reader(run).status()
        except TrainwatchError:
            continue
        if status is not None:
            found.append(status)
    return found


def _table(rows: Sequence[DiskRow], now: float) -> list[str]:
    cells = [_HEADS, *(_cells(row, now) for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = list[str]()
    for line in cells:
        sided = [
            cell.rjust(width) if right else cell.ljust(width)
            for cell, width, right in zip(line, widths, _RIGHT, strict=True)
        ]
        lines.append("  ".join(sided).rstrip())
    for row in rows:
        lines += [f"{words.clean(row.disk)}: {words.clean(line, 300)}" for line in row.strays]
    return lines


def _cells(row: DiskRow, now: float) -> tuple[str, ...]:
    name = row.disk if row.disk == row.path else f"{row.disk} ({row.path})"
    return (
        words.clean(name, 100),
        _used(row.bytes_total, row.bytes_free, lambda size: words.short(size, "B")),
        _share(row.bytes_total, row.bytes_free),
        _used(row.inodes_total, row.inodes_free, words.short),
        _share(row.inodes_total, row.inodes_free),
        row.quota or words.DASH,
        _runway(row),
        _said(row, now),
    )


def _runway(row: DiskRow) -> str:
    """A rate measured over hours says nothing of years."""
    if row.runway_s is None:
        return words.DASH
    far = row.runway_s > _FAR_S
    return "over a year" if far else f"{words.duration(row.runway_s)} ({row.runs_out})"


def _used(total: int | None, free: int | None, size: Callable[[float], str]) -> str:
    if total is None or free is None:
        return words.DASH if free is None else f"{size(free)} free"
    return f"{size(total - free)} of {size(total)}"


def _share(total: int | None, free: int | None) -> str:
    return words.percent((total - free) / total) if total and free is not None else ""


def _said(row: DiskRow, now: float) -> str:
    if row.why:
        return words.clean(f"unknown: {row.why}", 300)
    if row.soft_until is not None:
        return f"over its soft limit, closed on {words.when(row.soft_until, now)}"
    return {"critical": "full", "warning": "soon full"}.get(row.health, "")
