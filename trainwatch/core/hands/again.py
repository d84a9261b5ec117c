"""The last look: what the queue must still show in the moment before a deed is done.

The trap: between a plan and its deed a person may have acted, or a job's id may have been given anew. What is
not exactly as it was planned on calls the deed off.
"""

from collections.abc import Callable, Iterable

from trainwatch.core.hands.deeds import Deed
from trainwatch.core.hands.proofs import alive
from trainwatch.core.model.observations import Hand, Job
from trainwatch.core.ours import Ours
from trainwatch.core.words import clean


def why_not(deed: Deed, answer: Iterable[Job], ours: Ours) -> str:
    """Why a deed must not be done after this answer; empty if it may."""
    return _LOOKS[deed.hand](deed, alive(ours.among(answer)))


def _runs(deed: Deed, jobs: tuple[Job, ...]) -> str:
    running = [job for job in jobs if job.state != "PENDING"]
    if [(job.job_id, job.start, job.state) for job in running] == [
        (deed.jobs[0], deed.start, "RUNNING")
    ]:
        return ""
    shown = ", ".join(f"{job.job_id} {job.state}" for job in running) or "no job of the run"
    return f"the queue now shows {clean(shown, 120)}, not job {deed.jobs[0]} as it was"


def _waits(deed: Deed, jobs: tuple[Job, ...]) -> str:
    waiting = [j for j in jobs if j.state == "PENDING" and j.array_job_id == deed.jobs[0]]
    if any("held" not in job.reason.lower() for job in waiting):
        return ""
    return f"nothing of array {deed.jobs[0]} waits any more, or it is held"


def _empty(deed: Deed, jobs: tuple[Job, ...]) -> str:
    if not jobs:
        return ""
    return f"somebody was quicker: job {clean(jobs[0].job_id, 40)} ({jobs[0].state}) is there"


_LOOKS: dict[Hand, Callable[[Deed, tuple[Job, ...]], str]] = {
    "evidence": _runs,
    "cancel": _runs,
    "hold": _waits,
    "resubmit": _empty,
}
