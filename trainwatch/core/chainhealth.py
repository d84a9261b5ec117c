"""Whether trainwatch's own chain of jobs is well: from the queue, what is kept of it, and its heartbeats.

The trap: a job that runs is not a watcher that watches, and a queue that does not answer is not an empty one.
"""

from typing import Literal, NamedTuple

from trainwatch.core.chain import Link, next_of_grid
from trainwatch.core.model.chain import ChainRecord
from trainwatch.core.model.cron import ChainJob, CronStatus, Kept, Mode, ShardStatus
from trainwatch.core.model.observations import Job
from trainwatch.core.slurm.reasons import in_words, never_starts
from trainwatch.core.words import duration

HEARTBEAT_S = 60.0
_SILENT_BEATS = 5
_START = "trainwatch cron start"

Health = Literal["ok", "warning", "dead", "stopped", "unknown"]


class Seen(NamedTuple):
    """What is known of a chain. `links` None: the queue gave no answer, `why` says why."""

    record: ChainRecord | None
    links: tuple[Link, ...] | None
    shards: tuple[ShardStatus, ...] = ()
    why: str = ""
    keeper: Kept = "chain"


def silent_after_s(mode: Mode, interval_s: float) -> float:
    """How old the last heartbeat of a watcher that is well may be."""
    least_s = _SILENT_BEATS * HEARTBEAT_S
    return least_s if mode == "daemon" else 2 * interval_s + least_s


def judged(seen: Seen, now: float, mode: Mode, interval_s: float) -> CronStatus:
    """The chain's status, scripts and troubles aside."""
    health, why = _health(seen, now, mode, interval_s)
    links = seen.links or ()
    waiting = [link for link in links if link.waits]
    record = seen.record or ChainRecord()
    return CronStatus(
        at=now,
        mode=mode,
        health=health,
        why=why,
        interval_s=interval_s,
        keeper=seen.keeper,
        running=tuple(_shown(job) for link in links if link.live for job in link.jobs),
        successor=_shown(waiting[0].jobs[0]) if waiting else None,
        handed_over=record.handed_over,
        started_at=record.at if seen.record is not None and record.wanted else None,
        next_at=next_of_grid(now, interval_s) if waiting else None,
        shards=seen.shards,
    )


def _health(seen: Seen, now: float, mode: Mode, interval_s: float) -> tuple[Health, str]:
    live = [link for link in seen.links or () if link.live]
    beats = [shard.at for shard in seen.shards]
    if seen.record is None and not live and not beats:
        return "stopped", f"never started here: {_START}"
    if seen.record is not None and not seen.record.wanted:
        by = f" by {seen.record.by}" if seen.record.by else ""
        if live:
            return "warning", f"stopped{by}, but job {live[0].job_id} still runs"
        return "stopped", f"stopped{by} {duration(max(0.0, now - seen.record.at))} ago: {_START}"
    age_s = now - max(beats) if beats else None
    silent = age_s is None or age_s > silent_after_s(mode, interval_s)
    last = "it never gave a sign of life" if age_s is None else f"last seen {duration(age_s)} ago"
    if seen.record is None and not live:  # a crontab's ticks
        return ("dead", f"nothing ticks any more: {last}") if silent else ("ok", "")
    if seen.links is None:
        return "unknown", f"the queue gives no answer ({seen.why}); {last}"
    if live:
        return _running(seen, silent, last)
    return _waiting(seen, silent, last, mode)


def _running(seen: Seen, silent: bool, last: str) -> tuple[Health, str]:
    waiting = [link for link in seen.links or () if link.waits]
    if silent:
        return "warning", f"its job runs, but {last}"
    if not waiting and seen.keeper == "scrontab":
        return "ok", ""
    if not waiting:
        return "warning", "no successor waits: when this job ends, nobody watches"
    stuck = [job for job in waiting[0].jobs if never_starts(job.reason, job.state)]
    if stuck:
        return "warning", f"its successor {waiting[0].job_id}: {in_words(stuck[0].reason)}"
    return "ok", ""


def _waiting(seen: Seen, silent: bool, last: str, mode: Mode) -> tuple[Health, str]:
    links = seen.links or ()
    waiting = [link for link in links if link.waits]
    if not waiting:
        if links:
            return "warning", f"its job {links[0].job_id} is ending, and no successor waits"
        return "dead", f"no job of it runs or waits, {last}: {_START}"
    job = waiting[0].jobs[0]
    if never_starts(job.reason, job.state):
        return "dead", f"its job {job.job_id}: {in_words(job.reason)}; {last}"
    if mode == "ticks" and not silent:
        return "ok", ""
    return "warning", f"its job {job.job_id} waits: {in_words(job.reason)}; {last}"


def _shown(job: Job) -> ChainJob:
    return ChainJob(
        job_id=job.job_id,
        state=job.state,
        reason=job.reason,
        nodes=job.nodes,
        begin=job.start if job.state == "PENDING" else None,
        end=job.end if job.state != "PENDING" else None,
    )
