"""The usual kinds of rows of the table of metrics: what each is a number of."""

from collections.abc import Callable

from trainwatch.core.metrics.model import Found, Kind, Metric
from trainwatch.core.model.housekeeping import CheckpointsStatus, SyncStatus
from trainwatch.core.model.observations import QueueReading
from trainwatch.core.model.status import CheckpointStatus, DiskStatus, Status

S, AT = "seconds", "seconds since the epoch"


def run(name: str, means: str, of: Callable[[Status], float | None], unit: str = "") -> Metric:
    """A number of a run."""
    return Metric(f"trainwatch_{name}", means, lambda status: (((), of(status)),), unit)


def checkpoint(
    name: str, means: str, of: Callable[[CheckpointStatus], float | None], unit: str = ""
) -> Metric:
    """A number of its last checkpoint."""
    return run(name, means, lambda s: None if s.checkpoint is None else of(s.checkpoint), unit)


def listed(
    name: str, means: str, of: Callable[[CheckpointsStatus], float | None], unit: str = ""
) -> Metric:
    """A number of the folder of its checkpoints."""
    return run(name, means, lambda s: None if s.checkpoints is None else of(s.checkpoints), unit)


def queue(
    name: str, means: str, of: Callable[[QueueReading], float | None], unit: str = ""
) -> Metric:
    """A number of what the scheduler answered."""
    return run(name, means, lambda s: None if s.queue is None else of(s.queue), unit)


def disk(name: str, means: str, of: Callable[[DiskStatus], float | None], unit: str = "") -> Metric:
    """A number of each disk; all runs tell of the same ones."""

    def found(status: Status) -> Found:
        return [((disk.disk,), of(disk)) for disk in status.disks]

    return Metric(f"trainwatch_disk_{name}", means, found, unit, ("disk",))


def sync(
    name: str,
    means: str,
    of: Callable[[SyncStatus], float | None],
    unit: str = "",
    kind: Kind = "gauge",
) -> Metric:
    """A number of each route; all runs tell of the same ones."""

    def found(status: Status) -> Found:
        return [((sync.route,), of(sync)) for sync in status.syncs]

    return Metric(f"trainwatch_sync_{name}", means, found, unit, ("route",), kind)


def states(name: str, means: str, words: tuple[str, ...], of: Callable[[Status], str]) -> Metric:
    """One of several words. OpenMetrics wants the label to have the name of the metric."""

    def found(status: Status) -> Found:
        chosen = of(status)
        return [((word,), float(word == chosen)) for word in words] if chosen in words else ()

    labels = ("run", f"trainwatch_{name}")
    return Metric(f"trainwatch_{name}", means, found, "0 or 1", labels, "stateset")
