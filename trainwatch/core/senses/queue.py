"""What the scheduler's answers add up to: since when the run is alone, absent, held, waiting, or unknown.

The trap: an answer that could not be had says nothing; only an answer can begin or end anything here.
"""

from itertools import islice

import msgspec

from trainwatch.core.maintenance import explains
from trainwatch.core.model.observations import AccountingReading, Job, QueueReading
from trainwatch.core.slurm.reasons import never_starts
from trainwatch.core.words import clean

_MOST_HELD = 20  # jobs that are remembered one by one
_MOST_FAILED = 6  # jobs
_SHORT_S = 600.0  # a job that failed so soon did nothing
_FAILED = frozenset({"FAILED", "NODE_FAIL", "OUT_OF_MEMORY", "BOOT_FAIL", "LAUNCH_FAILED"})


class QueueSense(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Times are s since the epoch; None: it is not so, by the last answer."""

    answered_at: float | None = None
    unknown_since: float | None = None
    why: str = ""
    running_since: float | None = None
    absent_since: float | None = None  # no job at all
    alone_since: float | None = None  # one runs, nothing waits
    held_since: dict[str, float] = {}  # by job id
    held_reason: dict[str, str] = {}
    waiting_since: float | None = None  # nothing runs, something waits
    waiting_reason: str = ""
    maintained_at: float | None = None  # of that wait: the last answer that a maintenance explains
    chain: bool = False  # a task of an array, or a successor was ever seen
    seen: bool = False  # the watched name was ever found in the queue
    nodes: tuple[str, ...] = ()
    time_limit_s: float | None = None
    started: float | None = None
    failed: list[tuple[str, float, tuple[str, ...]]] = []  # (job, end, nodes), each within minutes

    def account(self, reading: AccountingReading) -> None:
        """Take what accounting says of jobs that ended: those that failed before they could do anything."""
        for ended in reading.ended:
            if ended.start is None or ended.end is None or ended.end - ended.start > _SHORT_S:
                continue
            if ended.state in _FAILED and ended.job_id not in (
                job_id for job_id, _, _ in self.failed
            ):
                self.failed = [*self.failed, (ended.job_id, ended.end, ended.nodes)][-_MOST_FAILED:]

    def take(self, reading: QueueReading) -> None:
        """Take an answer."""
        if reading.state != "ok":
            self.why = reading.why
            if self.unknown_since is None:
                self.unknown_since = reading.at
            return
        at = reading.at
        self.answered_at, self.unknown_since, self.why = at, None, ""
        running = [job for job in reading.jobs if job.state == "RUNNING"]
        others = [job for job in reading.jobs if job.state != "RUNNING" and job.state in _ALIVE]
        self.seen = self.seen or bool(running or others)
        waiting = [job for job in others if job.state != "COMPLETING"]  # which never runs again
        self.chain = self.chain or bool(running and (waiting or "_" in running[0].job_id))
        self.running_since = _since(self.running_since, at, bool(running))
        self.absent_since = _since(self.absent_since, at, not running and not others)
        self.alone_since = _since(self.alone_since, at, bool(running) and not waiting)
        self.waiting_since = _since(self.waiting_since, at, bool(waiting) and not running)
        self._hold(waiting, at)
        if self.waiting_since is None:
            self.maintained_at = None
        elif any(explains(job, reading.maintenance, self.nodes, at) for job in waiting):
            self.maintained_at = at
        self.waiting_reason = waiting[0].reason if waiting and not running else ""
        if running:  # of several the newest: one that hangs may still be there
            self._run(max(running, key=lambda job: job.start or 0.0))

    @property
    def runs(self) -> bool | None:
        """Whether the job runs by the last answer; None when there was none."""
        return None if self.answered_at is None else self.running_since is not None

    def _hold(self, others: list[Job], at: float) -> None:
        held = {job.job_id: clean(job.reason, 80) for job in others if is_held(job)}
        held = dict(islice(held.items(), _MOST_HELD))
        self.held_since = {job_id: self.held_since.get(job_id, at) for job_id in held}
        self.held_reason = held

    def _run(self, job: Job) -> None:
        self.nodes = job.nodes or self.nodes
        self.time_limit_s, self.started = job.time_limit_s, job.start


def is_held(job: Job) -> bool:
    """Whether a job that waits will never start by itself."""
    return never_starts(job.reason, job.state)


_ALIVE = frozenset(
    {"PENDING", "CONFIGURING", "COMPLETING", "REQUEUED", "REQUEUE_HOLD", "SUSPENDED", "RESIZING"}
)


def _since(before: float | None, at: float, holds: bool) -> float | None:
    if not holds:
        return None
    return at if before is None else before
