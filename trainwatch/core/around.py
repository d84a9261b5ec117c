"""What a look around told: logs, folders of checkpoints and of TensorBoard, jobs that run, a login."""

from typing import NamedTuple

from trainwatch.core.doctor.logs import LogSeen
from trainwatch.core.doctor.roots import RootSeen
from trainwatch.core.slurm.outputs import RunningJob


class LogAt(NamedTuple):
    """A log with iterations, by its two ends."""

    path: str
    seen: LogSeen


class Around(NamedTuple):
    """`cut`: why there may be more. `login`: where a token for the Hub is, never the token."""

    folder: str = ""
    logs: tuple[LogAt, ...] = ()  # newest first
    roots: tuple[RootSeen, ...] = ()
    boards: tuple[str, ...] = ()
    jobs: tuple[RunningJob, ...] = ()
    login: str = ""
    cut: str = ""

    def job_of(self, log: str) -> RunningJob | None:
        """The job that writes a log."""
        return next((job for job in self.jobs if job.output == log), None)
