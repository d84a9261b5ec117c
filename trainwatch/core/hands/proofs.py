"""What must be proven before a hand may act: each proof is a function that says why not, or nothing.

The trap: whatever is unknown is no proof. A queue that did not answer lately, a log that is not read to its
end, an attempt whose job nobody knows: each is a reason to keep the hands still.
"""

from collections.abc import Iterator

from trainwatch.core import allocations
from trainwatch.core.hands.deeds import Desk
from trainwatch.core.model.alerts import Alarm
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.observations import DeedReading, Hand, Job
from trainwatch.core.muting import acknowledged, silenced
from trainwatch.core.senses.deeds import ENOUGH
from trainwatch.core.words import clean, duration

_FRESH = 3  # intervals
_DAY_S = 86_400.0
_PUT_OFF_S = 300.0  # a deed that was called off is thought of again so much later
_OVER = frozenset(  # states of jobs that will not run (again); any other may
    (
        "CANCELLED",
        "COMPLETED",
        "COMPLETING",
        "DEADLINE",
        "FAILED",
        "NODE_FAIL",
        "BOOT_FAIL",
        "OUT_OF_MEMORY",
        "PREEMPTED",
        "REVOKED",
        "TIMEOUT",
    )
)


def firing(desk: Desk, rule: str) -> Alarm | None:
    """The alert of a rule that fires and was not seen to be over; of several the one without a key."""
    found = [
        alarm
        for alarm in desk.alarms
        if alarm.finding.rule == rule and alarm.fired_at is not None and alarm.cleared_at is None
    ]
    return min(found, key=lambda alarm: alarm.finding.key, default=None)


def sees(desk: Desk) -> Iterator[str]:
    """The log is read to its end, lately, and what is done can be written down."""
    now = desk.sight.now
    if desk.unkept:
        yield f"nothing can be written down: {desk.unkept}"
    if desk.sight.is_blind:
        yield "blind: the log cannot be read, or could not until just now"
    if desk.looked_at is None or not 0 <= now - desk.looked_at <= 3 * desk.look_every_s:
        yield "the log was not read to its end lately"


def answered(desk: Desk, rule: str) -> Iterator[str]:
    """The queue has answered lately, and as often as it takes since the alert fires."""
    reading, now = desk.sight.state.queue, desk.sight.now
    if reading is None or reading.state != "ok":
        why = f": {clean(reading.why, 120)}" if reading is not None and reading.why else ""
        yield f"the scheduler's answer is unknown{why}"
        return
    if not 0 <= now - reading.at <= _FRESH * desk.interval_s:
        yield f"the scheduler's last answer is {duration(abs(now - reading.at))} old"
    if (got := desk.sight.memory.deeds.answers.get(rule, 0)) < ENOUGH:
        yield f"{got} of {ENOUGH} answers in a row since the alert fires"


def unmuted(desk: Desk, alarm: Alarm) -> Iterator[str]:
    """Nobody has said that they know of it, or want it quiet: then a person is at it."""
    book = desk.sight.memory.book
    if acknowledged(book, alarm):
        yield f"{alarm.finding.rule} is acknowledged: a person is at it"
    if silenced(book, alarm):
        yield f"{alarm.finding.rule} is silenced: a person wants it so"


def jobs_of(desk: Desk) -> tuple[Job, ...]:
    """The run's jobs that run or may run, by the last answer."""
    reading = desk.sight.state.queue
    return alive(reading.jobs) if reading is not None and reading.state == "ok" else ()


def alive(jobs: tuple[Job, ...]) -> tuple[Job, ...]:
    """Those that run, or may yet."""
    return tuple(job for job in jobs if job.state not in _OVER)


def attempts_allocation(desk: Desk) -> Allocation | None:
    """What the newest attempt in the log runs or ran in."""
    attempt = desk.sight.attempt
    if attempt is None:
        return None
    began_at = attempt.began_at.at if attempt.began_at else None
    last_at = attempt.last_at.at if attempt.last_at else None
    return allocations.of_attempt(desk.sight.state.allocations, attempt.job_id, began_at, last_at)


def one_runs(desk: Desk) -> tuple[Job | None, tuple[str, ...]]:
    """The one job of the run that runs, and is the newest attempt's; else why nobody can say which."""
    running = [job for job in jobs_of(desk) if job.state != "PENDING"]
    if len(running) != 1:
        return None, (f"{len(running)} jobs of the run have nodes, not one",)
    (job,) = running
    allocation = attempts_allocation(desk)
    if job.state != "RUNNING" or job.start is None:
        return None, (f"job {job.job_id} is {job.state}, not RUNNING since a known time",)
    if job.job_id in desk.others:
        return None, (f"job {job.job_id} is also taken for another run's: narrow [runs.slurm]",)
    if allocation is None:
        return None, ("nobody knows which job the newest attempt belongs to",)
    if (allocation.job_id, allocation.start) != (job.job_id, job.start):
        return None, (
            f"the newest attempt in the log is of job {allocation.job_id}, not of {job.job_id}",
        )
    attempt = desk.sight.state.attempts[-1].index if desk.sight.state.attempts else -1
    if desk.sight.memory.deeds.seen_with != (job.job_id, job.start, attempt):
        return None, (f"the log was not seen to get on while job {job.job_id} alone had nodes",)
    return job, ()


def within_budget(desk: Desk, hand: Hand, cause: str) -> Iterator[str]:
    """Not done for this cause before, not too soon after the last, not too often in a day."""
    now, chosen = desk.sight.now, desk.settings
    done = list(desk.sight.memory.deeds.deeds(hand))
    before = desk.sight.memory.deeds.of_cause(hand, cause)
    if before is not None and before.outcome != "not-done":
        yield f"done for this cause already: {in_words(before, now)}"
    called_off = [d for d in done if d.outcome == "not-done" and now - d.at < _PUT_OFF_S]
    if called_off:
        yield f"called off {duration(max(0.0, now - called_off[0].at))} ago: {called_off[0].detail}"
    tried = [d for d in done if d.outcome != "not-done"]
    if tried and now - tried[0].at < chosen.least_gap_min * 60:
        yield f"least_gap_min: the last was {duration(max(0.0, now - tried[0].at))} ago"
    today, most = [d for d in tried if now - d.at < _DAY_S], getattr(chosen.most_per_day, hand)
    if len(today) >= most:
        yield f"most_per_day: {len(today)} of {most} in the last 24 hours"


def in_words(deed: DeedReading, now: float) -> str:
    """What became of a deed, and when."""
    ago = duration(max(0.0, now - deed.at))
    detail = f" ({clean(deed.detail, 160)})" if deed.detail else ""
    outcome = "nobody heard what became of it" if deed.outcome == "begun" else deed.outcome
    return f"{outcome} {ago} ago{detail}"
