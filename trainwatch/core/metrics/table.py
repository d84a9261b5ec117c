"""Which metrics there are: a row for each, with what a status says of it. docs/metrics.md has the same rows.

Units are SI base units, as Prometheus wants them. What a rollback takes back (iterations, tokens) is a gauge:
a counter that falls is taken for one that began anew, and its rate would leap.
"""

from trainwatch.core.metrics.around import AROUND_RUN, OF_DISK, OF_ROUTE
from trainwatch.core.metrics.kinds import AT
from trainwatch.core.metrics.model import Found, Metric
from trainwatch.core.metrics.runs import OF_RUN
from trainwatch.core.model.status import Status


def _nothing(status: Status) -> Found:
    return ()


BUILD = Metric(
    "trainwatch_build", "Which trainwatch it is.", _nothing, "always 1", ("version",), "info"
)
HEARTBEAT = Metric(
    "trainwatch_heartbeat_timestamp_seconds",
    "When the watcher last looked at anything: old where it hangs or is dead.",
    _nothing,
    AT,
    (),
)
RUNS = Metric("trainwatch_runs", "Runs that it watches.", _nothing, "runs", ())
OF_WATCHER = (BUILD, HEARTBEAT, RUNS)
OF_RUNS = (*OF_RUN, *AROUND_RUN)
METRICS = (*OF_WATCHER, *OF_RUNS, *OF_DISK, *OF_ROUTE)
