"""The chain of trainwatch's own job, in words: for the screen and for plain text.

The trap: what is known of it is what its watcher wrote last. Whoever shows it judges first how old that is
(core/beat.py).
"""

from trainwatch.app import words
from trainwatch.core.model.cron import ChainJob, CronStatus, ScriptStatus, ShardStatus
from trainwatch.core.slurm.reasons import in_words

START = "trainwatch cron start"
NOT_STARTED = f"no chain watches this state folder; on a cluster: {START}"
_BAD = frozenset({"failed", "ended"})
_NAMED = 3  # nodes, runs


def line(cron: CronStatus, now: float) -> str:
    """In a line, as `status` has it."""
    if cron.health == "dead":
        since = f" since {words.when(cron.at, now)}" if cron.at else ""
        return f"DEAD{since}: {cron.why or 'nobody watches'}; start it: {START}"
    if cron.health == "stopped":
        return f"stopped by hand{_why(cron)}; start it: {START}"
    if cron.health == "unknown":
        return f"unknown{_why(cron) or ': its watcher cannot tell'}"
    return f"{sentence(cron, now)}{_why(cron)}"


def sentence(cron: CronStatus, now: float) -> str:
    """What runs, and what takes over; of a chain that says nothing any more, what it said last."""
    if not cron.at:
        return "nothing is known of it"
    last = f"last seen {words.when(cron.at, now)}: " if cron.health in ("dead", "unknown") else ""
    return last + ("stopped by hand" if cron.health == "stopped" else _jobs(cron))


def _jobs(cron: CronStatus) -> str:
    runs = " and ".join(f"job {job.job_id}{_on(job)}" for job in cron.running[:_NAMED])
    if cron.keeper == "scrontab":
        behind = "scrontab starts the next"
    elif cron.successor is None:
        behind = "no successor"
    else:
        behind = f"successor {cron.successor.job_id} waits"
    return f"{runs or 'no job runs'}, {behind}"


def running(job: ChainJob, now: float) -> str:
    """Where a job runs, and until when."""
    until = f", until {words.when(job.end, now)}" if job.end is not None else ""
    left = f" ({words.duration(job.end - now)} left)" if job.end and job.end > now else ""
    return f"{job.job_id}{_on(job)}{until}{left}"


def waiting(job: ChainJob, now: float) -> str:
    """What a job waits for, and when it may start."""
    begin = f"; begins {words.when(job.begin, now)} or later" if job.begin is not None else ""
    return f"{job.job_id} {in_words(job.reason) or job.state.lower()}{begin}"


def about(cron: CronStatus, now: float) -> str:
    """How it goes on: mode, hand-overs, age, the grid."""
    mode = "daemon" if cron.mode == "daemon" else f"a look every {words.duration(cron.interval_s)}"
    times = "once" if cron.handed_over == 1 else f"{cron.handed_over:,} times"
    handed = f"handed over {times}" if cron.keeper == "chain" else "kept by scrontab"
    since = f" since {words.when(cron.started_at, now)}" if cron.started_at is not None else ""
    then = f", next {words.when(cron.next_at, now)}" if cron.next_at is not None else ""
    return f"{mode}, {handed}{since}{then}"


def watches(shard: ShardStatus) -> str:
    """What a watcher watches, and what it left alone."""
    parts = [
        f"{_count(len(shard.runs), 'run')}{_named(shard.runs)}",
        f"taken over from others{_named(shard.taken_over)}" if shard.taken_over else "",
        f"not watched{_named(shard.left)}" if shard.left else "",
    ]
    return "; ".join(part for part in parts if part)


def ended(script: ScriptStatus) -> str:
    """How a script's last run ended."""
    code = f", exit {script.exit_code}" if script.exit_code is not None else ""
    said = {
        "": "never ran",
        "ok": "ok",
        "failed": f"failed{code}",
        "ended": f"was ended{code}",
        "running": "runs",
        "submitted": f"submitted {script.job_id}".rstrip(),
    }[script.outcome]
    return f"{said}: {script.why}" if script.why else said


def is_bad(script: ScriptStatus) -> bool:
    """Whether somebody has to look at it."""
    return script.outcome in _BAD


def _on(job: ChainJob) -> str:
    more = f" and {len(job.nodes) - _NAMED:,} more" if len(job.nodes) > _NAMED else ""
    return f" on {', '.join(job.nodes[:_NAMED])}{more}" if job.nodes else ""


def _why(cron: CronStatus) -> str:
    return f": {cron.why}" if cron.why else ""


def _named(names: tuple[str, ...]) -> str:
    more = " ..." if len(names) > _NAMED else ""
    return f": {', '.join(names[:_NAMED])}{more}" if names else ""


def _count(number: int, noun: str) -> str:
    return f"{number:,} {noun}{'' if number == 1 else 's'}"
