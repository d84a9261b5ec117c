"""What each hand would do now, with its proof; or why it would not.

A hand acts on an alert that fires, and proves the rest anew. The trap: an alert stays in the book while its
rule cannot say, so the rule is asked again, now, before anything is done about it.
"""

from collections.abc import Callable, Iterator

from trainwatch.core.hands import nodes, proofs, resubmit
from trainwatch.core.hands.deeds import HANDS, Deed, Desk, Plan, Refusal
from trainwatch.core.hands.proofs import answered, firing, one_runs, sees, unmuted, within_budget
from trainwatch.core.model.alerts import Alarm, Finding
from trainwatch.core.model.observations import Hand, Job
from trainwatch.core.rules import progress
from trainwatch.core.words import duration

_OFF = {
    "evidence": "evidence = true",
    "cancel": "cancel_stalled_after_min = 60",
    "hold": "hold_crash_loop = true",
    "resubmit": 'resubmit = "JOB.slurm"',
}


def plan(desk: Desk) -> Plan:
    """One deed or refusal of each hand, in their order. Pure: the same desk gives the same plan."""
    return tuple(_of(hand, desk) for hand in HANDS)


def _of(hand: Hand, desk: Desk) -> Deed | Refusal:
    chosen = desk.settings
    is_on = {
        "evidence": chosen.evidence,
        "cancel": chosen.cancel_stalled_after_min is not None,
        "hold": chosen.hold_crash_loop,
        "resubmit": bool(chosen.resubmit),
    }[hand]
    if not is_on:
        return Refusal(hand=hand, kind="off", why=(f"set {_OFF[hand]} in [runs.hands]",))
    return _PLANNERS[hand](desk)


def _evidence(desk: Desk) -> Deed | Refusal:
    alarm = firing(desk, "stall")
    if alarm is None:
        return _idle("evidence", "no stall fires")
    job, which = one_runs(desk)
    why = (*sees(desk), *answered(desk, "stall"), *which)
    if job is not None:
        own = within_budget(desk, "evidence", _stall(desk, job))
        why = (*why, *_still_stalled(desk, alarm, job), *own)
    if job is None or why:
        return Refusal(hand="evidence", kind="refused", why=why)
    return Deed(
        hand="evidence",
        cause=_stall(desk, job),
        rule="stall",
        jobs=(job.job_id,),
        start=job.start,
        nodes=job.nodes,
        iteration=desk.sight.state.high_water,
        does=f"srun --jobid={job.job_id} --overlap: stacks, nvidia-smi; scontrol show job; the logs' ends",
        why=_stall_proof(desk, alarm, job),
    )


def _cancel(desk: Desk) -> Deed | Refusal:
    alarm, after_min = firing(desk, "stall"), desk.settings.cancel_stalled_after_min or 0.0
    if alarm is None or alarm.fired_at is None:
        return _idle("cancel", "no stall fires")
    job, which = one_runs(desk)
    why = (*sees(desk), *answered(desk, "stall"), *which, *unmuted(desk, alarm))
    if (lasted_s := desk.sight.now - alarm.fired_at) < after_min * 60:
        why = (*why, f"the stall fires for {duration(lasted_s)} of {after_min:g} min")
    if job is not None:
        own = within_budget(desk, "cancel", _allocation(job))
        why = (*why, *_still_stalled(desk, alarm, job), *own)
    if job is None or why:
        return Refusal(hand="cancel", kind="refused", why=why)
    allocation = proofs.attempts_allocation(desk)
    exclude = nodes.suspects(desk.sight, allocation, ("stall", "crash")) if allocation else ""
    return Deed(
        hand="cancel",
        cause=_allocation(job),
        rule="stall",
        jobs=(job.job_id,),
        start=job.start,
        nodes=job.nodes,
        iteration=desk.sight.state.high_water,
        exclude=exclude,
        does=f"scancel {job.job_id}",
        then=f"sbatch --exclude={exclude}" if exclude else "",
        why=_stall_proof(desk, alarm, job),
    )


def _hold(desk: Desk) -> Deed | Refusal:
    alarm = firing(desk, "crash-loop")
    if alarm is None:
        return _idle("hold", "no crash-loop fires")
    array, which = _looping_array(desk)
    cause = f"crash-loop/{array}/{desk.sight.state.high_water}"
    why = (*sees(desk), *answered(desk, "crash-loop"), *which, *unmuted(desk, alarm))
    if array:
        why = (*why, *_still_loops(desk, alarm), *within_budget(desk, "hold", cause))
    if why:
        return Refusal(hand="hold", kind="refused", why=why)
    allocation = proofs.attempts_allocation(desk)
    exclude = nodes.suspects(desk.sight, allocation, ("crash-loop",)) if allocation else ""
    return Deed(
        hand="hold",
        cause=cause,
        rule="crash-loop",
        jobs=(array,),
        iteration=desk.sight.state.high_water,
        exclude=exclude,
        does=f"scontrol hold {array}",
        then=f"sbatch --exclude={exclude}" if exclude else f"scontrol release {array}",
        why=(f"crash-loop: {alarm.finding.summary}", f"tasks of array {array} wait, not held"),
    )


def _still_stalled(desk: Desk, alarm: Alarm, job: Job) -> Iterator[str]:
    """The rule says so now, of this silence, which began in this job: no phase is inside its budget."""
    said = [each for each in progress.stall(desk.sight) if isinstance(each, Finding)]
    if not said or said[0].since != alarm.finding.since:
        yield "the stall alert is old: its rule does not say so now (a phase inside its budget, or unsure)"
        return
    if desk.sight.memory.pace.guessed:
        yield "nobody knows when it fell silent"
    if job.start is not None and (said[0].since or 0.0) < job.start:
        yield f"it was silent before job {job.job_id} began"


def _stall_proof(desk: Desk, alarm: Alarm, job: Job) -> tuple[str, ...]:
    since, reading = alarm.fired_at or 0.0, desk.sight.state.queue
    answered_at = reading.at if reading is not None else 0.0
    return (
        f"stall fires for {duration(desk.sight.now - since)}: {alarm.finding.summary}",
        f"the queue, {duration(desk.sight.now - answered_at)} ago: job {job.job_id} alone is RUNNING",
        "the newest attempt in the log is this job's, and the log is read to its end",
    )


def _stall(desk: Desk, job: Job) -> str:
    """One stall of one allocation: a clock that is set does not make it another."""
    return f"stall/{_allocation(job)}/{desk.sight.memory.pace.iteration}"


def _allocation(job: Job) -> str:
    return f"{job.job_id}@{job.start or 0.0:.0f}"


def _still_loops(desk: Desk, alarm: Alarm) -> Iterator[str]:
    said = [each for each in progress.crash_loop(desk.sight) if isinstance(each, Finding)]
    if alarm.finding.key not in [each.key for each in said]:
        yield "the crash-loop alert is old: its rule does not say so now"


def _looping_array(desk: Desk) -> tuple[str, tuple[str, ...]]:
    """The array whose tasks die and wait; else why there is none that may be held."""
    waiting = [
        job
        for job in proofs.jobs_of(desk)
        if job.state == "PENDING" and "_" in job.job_id and "held" not in job.reason.lower()
    ]
    arrays = sorted({job.array_job_id or job.job_id.partition("_")[0] for job in waiting})
    if len(arrays) != 1:
        return "", (
            f"{len(arrays)} arrays of the run have tasks that wait and are not held, not one",
        )
    if arrays[0] in {each.partition("_")[0] for each in desk.others}:
        return "", (f"array {arrays[0]} is also taken for another run's: narrow [runs.slurm]",)
    allocation, failed = proofs.attempts_allocation(desk), desk.sight.memory.queue.failed
    its = {job_id for job_id, _, _ in failed} | ({allocation.job_id} if allocation else set())
    if arrays[0] not in {job_id.partition("_")[0] for job_id in its}:
        return "", (f"nobody knows whether the attempts that failed were of array {arrays[0]}",)
    return arrays[0], ()


def _idle(hand: Hand, why: str) -> Refusal:
    return Refusal(hand=hand, kind="idle", why=(why,))


_PLANNERS: dict[Hand, Callable[[Desk], Deed | Refusal]] = {
    "evidence": _evidence,
    "cancel": _cancel,
    "hold": _hold,
    "resubmit": resubmit.plan,
}
