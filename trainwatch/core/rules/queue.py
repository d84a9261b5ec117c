"""Will it go on by itself? Successors, held and waiting jobs, the margin before the time limit.

The trap: an answer that could not be had is UNSURE, never an empty queue.
"""

from collections.abc import Iterator

from trainwatch.core.maintenance import announced, before_end
from trainwatch.core.model.alerts import Finding
from trainwatch.core.predictions import moved
from trainwatch.core.rules.sight import UNSURE, Later, Said, Sight
from trainwatch.core.slurm.reasons import in_words, never_starts
from trainwatch.core.words import duration

_SLACK = 1.5  # a save may take so many times its longest


def no_successor(sight: Sight) -> Iterator[Said]:
    """The job runs, lives in a chain, and nothing is queued behind it."""
    queue = sight.memory.queue
    if queue.unknown_since is not None:
        yield UNSURE
    since = queue.alone_since
    chained = queue.chain or len(sight.state.attempts) > 1
    if since is None or not chained or _is_last(sight):
        return
    due = since + sight.settings.no_successor.after_min * 60
    if sight.now < due:
        yield Later(due)
        return
    left = ""
    if queue.started is not None and queue.time_limit_s is not None:
        left_s = queue.started + queue.time_limit_s - sight.now
        left = f"; it ends in {duration(left_s)} at the latest" if left_s > 0 else ""
    yield Finding(
        rule="no-successor",
        summary=f"the job runs and nothing is queued to follow it{left}{_maintained(sight)}",
        since=since,
        advice="Submit the next one now, with a dependency on this one (--dependency=afterany:JOBID).",
    )


def not_queued(sight: Sight) -> Iterator[Said]:
    """Nothing runs and nothing waits, though training is not complete."""
    queue = sight.memory.queue
    if queue.unknown_since is not None:
        yield UNSURE
    since = queue.absent_since
    if since is None or not queue.seen or _is_complete(sight):
        return
    if sight.runs is None:
        yield UNSURE  # iterations are completed all the same: the answer was wrong
        return
    due = since + sight.settings.not_queued.after_min * 60
    if sight.now < due:
        yield Later(due)
        return
    yield Finding(
        rule="not-queued",
        summary=f"no job of this run has been in the queue for {duration(sight.now - since)}",
        since=since,
        iteration=sight.memory.pace.iteration,
        cost=f"{sight.cost(sight.now - since)} not trained",
        advice="Submit it again.",
    )


def job_held(sight: Sight) -> Iterator[Said]:
    """A job waits that will never start by itself."""
    queue = sight.memory.queue
    if queue.unknown_since is not None:
        yield UNSURE
    for job_id, since in queue.held_since.items():
        due = since + sight.settings.job_held.after_min * 60
        if sight.now < due:
            yield Later(due)
            continue
        reason = queue.held_reason.get(job_id, "")
        why = in_words(reason) if never_starts(reason, "") else "held: will never start by itself"
        yield Finding(
            rule="job-held",
            key=job_id,
            severity=None if queue.running_since is not None else "critical",
            summary=f"job {job_id}: {why}",
            since=since,
            advice=_release(job_id, reason),
            labels={"job_id": job_id},
        )


def _release(job_id: str, reason: str) -> str:
    """What makes it start after all."""
    code = reason.lower()
    if "admin" in code:
        return "An administrator held it: ask why."
    if "dependency" in code:
        return f"What it waits for failed: scancel {job_id}, and submit it again without that dependency."
    if "grp" in code or code == "associationtimelimit":
        return "Ask for more hours, or submit it under another account."
    if "held" in code or not code:
        return f"scontrol release {job_id}"
    return f"It asks for what it cannot have: scontrol show job {job_id}"


def pending_long(sight: Sight) -> Iterator[Said]:
    """Nothing runs, and what waits has waited long, or its start moves away."""
    queue = sight.memory.queue
    if queue.unknown_since is not None:
        yield UNSURE
    since = queue.waiting_since
    if since is None or queue.held_since:
        return
    idle_since = max(since, queue.maintained_at or since)  # no word on a wait that is explained
    due = idle_since + sight.settings.pending_long.after_h * 3600
    if sight.now < due:
        yield Later(due)
        return
    reason = f" ({in_words(queue.waiting_reason)})" if queue.waiting_reason else ""
    yield Finding(
        rule="pending-long",
        summary=f"it has waited in the queue for {duration(sight.now - since)}{reason}"
        f"{_predicted(sight)}",
        since=since,
        advice="Fewer nodes or a shorter time limit may start sooner; ask about the priority.",
    )


def _predicted(sight: Sight) -> str:
    """When it may start, and how far that moved."""
    first = next(iter(sight.state.predictions), None)
    if first is None:
        return ""
    queue = sight.state.queue
    if queue is not None and any(j.job_id == first.job_id and not j.start for j in queue.jobs):
        return "; no start is predicted any more"
    left_s = first.start - sight.now
    when = f"in {duration(left_s)}" if left_s > 0 else "by now"
    how = moved(first, sight.now)
    return f"; predicted to start {when}" + (f", {how}" if how else "")


def time_limit_margin(sight: Sight) -> Iterator[Said]:
    """Between the job's own exit and Slurm's limit there is no room for an iteration and a save."""
    limit_s, exit_min = sight.memory.queue.time_limit_s, sight.facts.exit_duration_min
    step_s = sight.memory.speed.typical_s()
    if not limit_s or not exit_min:
        return
    if not step_s:
        yield UNSURE  # another attempt has just begun
        return
    needed_s = step_s + _SLACK * sight.state.save.duration_max_s
    margin_s = limit_s - exit_min * 60
    if margin_s >= needed_s:
        return
    yield Finding(
        rule="time-limit-margin",
        summary=f"the job exits by itself {duration(margin_s)} before its time limit, "
        f"an iteration and a save need {duration(needed_s)}{_maintained(sight)}",
        advice="Let it exit earlier (--exit-duration-in-mins), or the last iterations are lost each time.",
    )


def _maintained(sight: Sight) -> str:
    """A maintenance that begins on the running job's nodes before its limit ends it."""
    reading = sight.state.queue
    for job in reading.jobs if reading is not None else ():
        found = before_end(job, reading.maintenance if reading else None, sight.now)
        if job.state == "RUNNING" and found is not None:
            return f"; {announced(found, sight.now)}"
    return ""


def _is_complete(sight: Sight) -> bool:
    attempt = sight.attempt
    return attempt is not None and attempt.exit is not None and attempt.exit.how == "completed"


def _is_last(sight: Sight) -> bool:
    """Whether what is left fits into the job that runs."""
    target, iteration = sight.state.target_iteration, sight.memory.pace.iteration
    queue, step_s = sight.memory.queue, sight.memory.speed.typical_s()
    if _is_complete(sight):
        return True
    if not target or iteration is None or step_s is None:
        return False
    if queue.started is None or queue.time_limit_s is None:
        return False
    return (target - iteration) * step_s < queue.started + queue.time_limit_s - sight.now
