"""Is the job proven stopped? By an answer of the scheduler in which its jobs are absent, and known by name.

The trap: a pattern with a mistake in it matches nothing, which looks like a job that is gone.
"""

from collections.abc import Collection, Iterable

from trainwatch.core.model.observations import AttemptEnd, Job
from trainwatch.core.ours import Ours
from trainwatch.core.rounds import Stopped
from trainwatch.core.slurm.reasons import never_starts

_WAITS = frozenset({"PENDING", "REQUEUED", "REQUEUE_HOLD", "REQUEUE_FED", "SPECIAL_EXIT"})
UNNAMED = "nothing says which jobs are this run's: set job_name in [runs.slurm]"


def proof(
    ours: Ours, jobs: Iterable[Job], known: Collection[str], ended: Iterable[AttemptEnd]
) -> Stopped:
    """`jobs`: all that the scheduler shows now. `known`: ids of this run's jobs. `ended`: of those."""
    if ours == Ours():
        return Stopped(why_not=UNNAMED)
    there = tuple(jobs)
    mine = [*ours.among(there), *(job for job in there if job.job_id in known)]
    for job in mine:
        if job.state not in _WAITS:
            return Stopped(why_not=f"job {job.job_id} is {job.state.lower()}: stop it first")
        if not never_starts(job.reason, job.state):
            return Stopped(
                why_not=f"job {job.job_id} waits and may start at any moment: hold it first "
                f"(scontrol hold {job.job_id})"
            )
    over = [one.job_id for one in ended if one.end is not None and one.job_id in known]
    if not (over or mine):
        return Stopped(
            why_not=f"no job was ever seen that matches {ours.in_words()}, so that none is there now "
            "proves nothing: watch the run while it trains, or mend the pattern"
        )
    last = f"job {over[-1]} has ended, and " if over else ""
    held = f"; {len(mine)} that wait are held" if mine else ""
    return Stopped(proof=f"Slurm: {last}no job of {ours.in_words()} runs{held}")
