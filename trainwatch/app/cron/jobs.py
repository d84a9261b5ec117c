"""The batch scripts (*.slurm) among the hourly and daily ones: submitted, then followed to their end.

The trap: an sbatch whose answer got lost has perhaps submitted. The job bears a comment of its own, is looked
for by it, and is never submitted again in the same period.
"""

from collections.abc import Collection, Iterator, Sequence
from pathlib import Path

from msgspec.structs import replace

from trainwatch.core import scripting
from trainwatch.core.errors import SchedulerUnknown, SubmissionRefused
from trainwatch.core.model.observations import AttemptEnd, Job, ScriptReading
from trainwatch.core.model.scripts import Begun, Ended, Ledger, Script
from trainwatch.core.ports import JobHands, Scheduler
from trainwatch.core.slurm import batchfile
from trainwatch.core.slurm.submitting import Submission

_EVERY_S = 300.0  # the queue is asked so often for jobs that are known
_SURELY_S = 600.0  # a job that no answer showed so long after it was submitted is not there
_TRIES = 12  # times that the books are asked how one ended
_FINE = frozenset({"COMPLETED"})

Followed = Iterator[tuple[str, Begun, ScriptReading | None]]


class BatchJobs:
    """Submits and follows, by the user's own queue."""

    def __init__(self, hands: JobHands, scheduler: Scheduler) -> None:
        self._hands, self._scheduler = hands, scheduler
        self._asked_at = float("-inf")

    def claimed(self, script: Script, run: Begun) -> Begun:
        """The run as it stands in the ledger before it is submitted."""
        comment = f"trainwatch-script:{scripting.mark(script.key)}:{run.began:.0f}"
        return replace(run, outcome="submitted", comment=comment, followed=True)

    def submit(
        self, script: Script, run: Begun, text: str, output: Path, now: float
    ) -> tuple[Begun, ScriptReading | None]:
        """Submit it. What is to be told of it at once, if anything."""
        job: Submission = batchfile.submission(
            text,
            name=script.name.removesuffix(".slurm"),
            folder=script.place.folder,
            output=str(output),
            comment=run.comment,
        )
        try:
            job_id = self._hands.submit(job)
        except SubmissionRefused as error:
            ended = Ended(exit_code=1, how="was not submitted: Slurm refused it", tail=str(error))
            return _over(run, ended, now)
        except SchedulerUnknown as error:
            return replace(run, why=f"nobody knows whether it was submitted: {error}"), None
        return replace(run, job_id=job_id, why=""), None

    def follow(self, ledger: Ledger, waiting: Collection[str], now: float) -> Followed:
        """What became of the jobs: the runs that changed, and what is to be told of each.

        `waiting`: scripts that are due once their last job is gone; for them the queue is asked at once.
        """
        followed = {key: run for key, run in ledger.scripts.items() if run.followed}
        urgent = any(key in waiting or not run.job_id for key, run in followed.items())
        if not followed or (not urgent and 0 <= now - self._asked_at < _EVERY_S):
            return
        self._asked_at = now
        try:
            jobs = self._scheduler.queue()
            gone = sorted({r.job_id for r in followed.values() if r.job_id and not _in(jobs, r)})
            ends = self._ended(gone)
        except SchedulerUnknown:
            return  # nobody knows of any job
        for key, run in followed.items():
            found = self._after(run, jobs, ends, now)
            if found is not None:
                yield key, *found

    def _ended(self, gone: Sequence[str]) -> tuple[AttemptEnd, ...]:
        try:
            return self._scheduler.ended(gone) if gone else ()
        except SchedulerUnknown:
            return ()  # the books lag, are down, or there are none

    def _after(
        self, run: Begun, jobs: Sequence[Job], ends: Sequence[AttemptEnd], now: float
    ) -> tuple[Begun, ScriptReading | None] | None:
        """A run after an answer of the queue; None if nothing changed."""
        job = _in(jobs, run)
        if job is not None:
            known = job.array_job_id or job.job_id
            return None if run.job_id == known else (replace(run, job_id=known, why=""), None)
        if not run.job_id:
            if 0 <= now - run.began < _SURELY_S:
                return None
            ended = Ended(exit_code=None, how="was perhaps not submitted", tail=run.why)
            return _over(run, ended, now)
        mine = [end for end in ends if run.job_id in (end.job_id, end.array_job_id)]
        if not mine:
            if run.asked + 1 < _TRIES:
                return replace(run, asked=run.asked + 1), None
            said = "its job left the queue; the books do not say how it ended"
            return replace(run, followed=False, why=said), None
        return _over(run, _end_of(mine), now)


def _over(run: Begun, ended: Ended, now: float) -> tuple[Begun, ScriptReading]:
    return scripting.finished(run, ended), scripting.reading(run, ended, now)


def _in(jobs: Sequence[Job], run: Begun) -> Job | None:
    """The run's job, by its number, else by the comment that only it bears."""
    for job in jobs:
        if run.job_id and run.job_id in (job.job_id, job.array_job_id):
            return job
        if not run.job_id and job.comment.endswith(run.comment):
            return job
    return None


def _end_of(tasks: Sequence[AttemptEnd]) -> Ended:
    """How a job ended: as the worst of its tasks."""
    bad = [task for task in tasks if task.state not in _FINE]
    worst = bad[0] if bad else tasks[-1]
    if not bad:
        return Ended(exit_code=0, took_s=worst.elapsed_s)
    code = worst.exit_code.partition(":")[0]
    known = int(code) if code.isdigit() and int(code) else None
    said = f"job {worst.job_id} ended as {worst.state}"
    return Ended(exit_code=known, took_s=worst.elapsed_s, how=f"failed: {said}")
