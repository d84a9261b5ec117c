"""Families of numbers -> text, in the two formats that Prometheus and its friends read.

The trap: node_exporter's textfiles and `promtool check metrics` know only the older format; a state set or a
`# TYPE` of OpenMetrics makes them refuse the whole file.
"""

from collections.abc import Callable, Iterable, Sequence
from typing import NamedTuple

from prometheus_client import Metric
from prometheus_client.exposition import generate_latest as in_prometheus
from prometheus_client.openmetrics.exposition import generate_latest as in_openmetrics
from prometheus_client.registry import Collector
from prometheus_client.samples import Sample

from trainwatch.core.metrics.model import Family


class Format(NamedTuple):
    """A way to write them down. `content_type` is what HTTP calls it."""

    content_type: str
    write: Callable[[Collector], bytes]


# The versions are those that these functions write when nothing else is asked of them.
OPENMETRICS = Format("application/openmetrics-text; version=1.0.0; charset=utf-8", in_openmetrics)
PROMETHEUS = Format("text/plain; version=0.0.4; charset=utf-8", in_prometheus)


class _Collected(Collector):
    """What the library asks for its metrics."""

    def __init__(self, families: Sequence[Family]) -> None:
        self._families = families

    def collect(self) -> Iterable[Metric]:
        for metric, series in self._families:
            made = Metric(metric.name, metric.means, metric.kind, metric.suffix)
            made.samples = [Sample(metric.series, dict(one.labels), one.value) for one in series]
            yield made


def text_of(families: Sequence[Family], chosen: Format) -> bytes:
    """All of them, in UTF-8."""
    return chosen.write(_Collected(families))
