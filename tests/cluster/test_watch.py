"""A training array on a real Slurm under watch: a cancel, a node that dies, and what is told of it."""

import time
from collections.abc import Callable
from pathlib import Path

from tests.cluster.slurm import Cluster
from trainwatch.adapters.slurm import Slurm
from trainwatch.app import clock, config
from trainwatch.app.daemon import Daemon
from trainwatch.app.queueing import Queues
from trainwatch.app.wire import Site
from trainwatch.core.model.status import Status
from trainwatch.core.ours import Ours

TRAINING = """
first=$((SLURM_ARRAY_TASK_ID * 1000 - 999))
echo "using world size: 8, data-parallel-size: 8, tensor-model-parallel size: 1" >> {log}
for n in $(seq $first $((first + 600))); do
  echo " [$(date -u '+%Y-%m-%d %H:%M:%S')] iteration $n/ 500000 | consumed samples: $((n * 16)) |" \\
    "elapsed time per iteration (ms): 500.0 | learning rate: 1.0E-04 | global batch size: 16 |" \\
    "lm loss: 2.500000E+00 | loss scale: 1.0 | grad norm: 1.000 |" \\
    "number of skipped iterations: 0 | number of nan iterations: 0 |" >> {log}
  sleep 0.5
done
"""


class Watching:
    """A daemon over the array's log and the cluster's queue, ticked by hand."""

    def __init__(self, log: Path, state_dir: Path) -> None:
        site = Site(config.Settings(log_utc_offset_h=0), state_dir)
        self.run = site.watched(site.run_of(str(log)))
        queues = Queues(Slurm(), {self.run.name: Ours(job_name="tr11-*")}, 0.5)
        self.daemon = Daemon([self.run], heartbeat_s=30.0, queues=queues)

    def until(self, holds: Callable[[Status], bool], what: str) -> Status:
        """Tick until the status says so."""
        deadline = time.monotonic() + 90.0
        while True:
            now = clock.now()
            self.daemon.tick(now)
            status = self.run.status(now)
            if holds(status):
                return status
            assert time.monotonic() < deadline, f"no {what}: {status}"
            time.sleep(0.2)

    def until_attempt(self, job_id: str) -> None:
        """Until the newest attempt is this job's, and trains."""

        def trains(status: Status) -> bool:
            last = status.attempts[-1] if status.attempts else None
            return last is not None and last.job_id == job_id and last.records > 2

        self.until(trains, f"attempt of {job_id}")


def ends(status: Status) -> list[str | None]:
    return [attempt.end for attempt in status.attempts]


def test_each_attempt_knows_its_job_its_nodes_and_how_it_ended(
    commands: Cluster, tmp_path: Path
) -> None:
    log = tmp_path / "main_log.txt"
    options = ("--array=1-3%1", "--nodes=1", "--nodelist=node2", "--no-requeue")
    array = commands.submit(
        TRAINING.format(log=log), *options, "--job-name=tr11-176B", "--output=/dev/null"
    )
    watching = Watching(log, tmp_path / "state")
    watching.until_attempt(f"{array}_1")
    status = watching.run.status(clock.now())
    assert status.queue is not None
    waiting = [job for job in status.queue.jobs if job.state == "PENDING"]
    assert [(job.job_id, job.reason) for job in waiting] == [
        (f"{array}_[2-3%1]", "JobArrayTaskLimit")
    ]
    commands.run("scancel", f"{array}_1")
    watching.until_attempt(f"{array}_2")
    watching.until(lambda status: ends(status) == ["cancelled", None], "cancelled attempt")
    commands.kill("node2")
    try:
        status = watching.until(
            lambda status: ends(status) == ["cancelled", "node-failure"], "node failure"
        )
    finally:
        commands.start_node("node2")
    assert [attempt.nodes for attempt in status.attempts] == ["node2", "node2"]
    commands.run("scancel", array)
    watching.daemon.close()
