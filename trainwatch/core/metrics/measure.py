"""Published statuses -> families of numbers. What is unknown has no series; no text is too long.

The trap: two series of the same labels make a scrape, or all of a node's textfiles, unreadable. Names that
would be the same get a few digits of their own.
"""

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import NamedTuple, TypeVar
from zlib import crc32

from msgspec.structs import replace

from trainwatch.core.message import foreign
from trainwatch.core.metrics.around import OF_DISK, OF_ROUTE
from trainwatch.core.metrics.labels import LABEL_CHARS, Labels
from trainwatch.core.metrics.model import Family, Metric, Series
from trainwatch.core.metrics.table import BUILD, HEARTBEAT, OF_RUNS, RUNS
from trainwatch.core.model.housekeeping import SyncStatus
from trainwatch.core.model.status import DiskStatus, Status

MOST_RUNS = 1000  # that are shown, the first ones; trainwatch_runs counts them all
MOST_SHARED = 200  # disks, and routes
T = TypeVar("T", DiskStatus, SyncStatus)


class Watcher(NamedTuple):
    """Who says it. `heartbeat_at` None: nobody looks; `labels` tell several watchers apart."""

    version: str
    heartbeat_at: float | None
    labels: Labels = ()


def measured(statuses: Sequence[Status], watcher: Watcher) -> tuple[Family, ...]:
    """All families that have a number."""
    shown = statuses[:MOST_RUNS]
    runs = _distinct([(one.run, one.log or "") for one in shown])
    disks = _newest([(disk.disk, disk) for one in shown for disk in one.disks])
    routes = _newest([(sync.route, sync) for one in shown for sync in one.syncs])
    world = Status(run="", health="unknown", disks=disks, syncs=routes)
    own: tuple[tuple[Metric, tuple[str, ...], float | None], ...] = (
        (BUILD, (watcher.version,), 1.0),
        (HEARTBEAT, (), watcher.heartbeat_at),
        (RUNS, (), float(len(statuses))),
    )
    families = [
        *(_family(metric, [(labels, value)], watcher.labels) for metric, labels, value in own),
        *(_of_runs(metric, list(zip(runs, shown, strict=True)), watcher) for metric in OF_RUNS),
        *(_family(metric, metric.of(world), watcher.labels) for metric in (*OF_DISK, *OF_ROUTE)),
    ]
    return tuple(family for family in families if family.series)


def _of_runs(metric: Metric, runs: Sequence[tuple[str, Status]], watcher: Watcher) -> Family:
    rows = [((name, *labels), value) for name, one in runs for labels, value in metric.of(one)]
    return _family(metric, rows, watcher.labels)


def _family(
    metric: Metric, rows: Iterable[tuple[tuple[str, ...], float | None]], own: Labels
) -> Family:
    """What is unknown or no number is left out, and so is the second of the same labels."""
    found = dict[Labels, float]()
    for values, value in rows:
        if value is None or not math.isfinite(value):
            continue
        texts = (_clean(text) for text in values)
        labels = tuple(zip(metric.labels, texts, strict=True))
        found.setdefault((*labels, *own), float(value))
    return Family(metric, tuple(Series(labels, value) for labels, value in found.items()))


def _distinct(names: Sequence[tuple[str, str]]) -> list[str]:
    """The names as labels; what would be the same is told apart by what is behind it."""
    labels = [_clean(name) or "unnamed" for name, _ in names]
    often = Counter(labels)
    return [
        label if often[label] == 1 else _numbered(label, "\0".join(name))
        for label, name in zip(labels, names, strict=True)
    ]


@lru_cache(8192)
def _clean(text: str) -> str:
    """Somebody's text as a label. The same few come again with each scrape."""
    return foreign(text, LABEL_CHARS)


def _numbered(label: str, behind: str) -> str:
    digits = f"#{crc32(behind.encode('utf-8', 'replace')):08x}"
    return label[: LABEL_CHARS - len(digits)] + digits


def _newest(found: Sequence[tuple[str, T]]) -> tuple[T, ...]:
    """What all runs tell of the same disk or route is told once, as it was heard last."""
    newest = dict[str, T]()
    for name, one in found:
        if name not in newest or newest[name].at < one.at:
            newest[name] = one
    kept = list(newest.items())[:MOST_SHARED]
    labels = _distinct([(name, "") for name, _ in kept])
    return tuple(_renamed(one, label) for label, (_, one) in zip(labels, kept, strict=True))


def _renamed(one: T, label: str) -> T:
    if isinstance(one, DiskStatus):
        return replace(one, disk=label)
    return replace(one, route=label)
