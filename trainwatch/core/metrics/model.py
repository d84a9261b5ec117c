"""The values of metrics: what there is to measure, and one measurement of it.

The trap: a name or a label, once scraped, stands in other people's dashboards. They are added, never renamed.
"""

from collections.abc import Callable, Iterable
from typing import Literal, NamedTuple

from trainwatch.core.metrics.labels import Labels
from trainwatch.core.model.status import Status

Kind = Literal["gauge", "counter", "info", "stateset"]
Found = Iterable[tuple[tuple[str, ...], float | None]]  # values of labels, and what was measured

_SUFFIXES = {"counter": "_total", "info": "_info"}
_UNITS = ("seconds", "bytes", "ratio")  # of OpenMetrics, which wants them at the end of the name


class Metric(NamedTuple):
    """One metric. `of` says what a status knows of it; None is unknown, and has no series."""

    name: str  # without the suffix of its kind
    means: str  # a sentence, for people
    of: Callable[[Status], Found]
    unit: str = ""  # in words; empty: a plain number
    labels: tuple[str, ...] = ("run",)
    kind: Kind = "gauge"

    @property
    def series(self) -> str:
        """The name as it is scraped and asked for."""
        return self.name + _SUFFIXES.get(self.kind, "")

    @property
    def suffix(self) -> str:
        """The unit that OpenMetrics is told; empty where the name has none of its units."""
        last = self.name.rpartition("_")[2]
        is_one = last in _UNITS and not self.name.endswith("_per_second")
        return last if is_one else ""


class Series(NamedTuple):
    """One number."""

    labels: Labels
    value: float


class Family(NamedTuple):
    """All numbers of one metric, at one time."""

    metric: Metric
    series: tuple[Series, ...]
