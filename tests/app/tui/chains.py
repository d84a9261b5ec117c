"""Chains of the cron job as the screen is handed them."""

from msgspec.structs import replace

from tests.app.tui.histories import NOW
from tests.app.tui.runs import HEALTHY
from trainwatch.core.beat import judged_chain
from trainwatch.core.model.cron import ChainJob, CronStatus, ScriptStatus, ShardStatus
from trainwatch.core.model.snapshot import Snapshot

HOUR_S = 3600.0
RUNNING = ChainJob(job_id="70123", state="RUNNING", nodes=("prepost1",), end=NOW + 5 * HOUR_S)
SUCCESSOR = ChainJob(
    job_id="70124", state="PENDING", reason="Dependency", begin=NOW + 5 * HOUR_S - 60
)
OK_SCRIPT = ScriptStatus(
    name="cron.hourly/disk-usage",
    period="hourly",
    outcome="ok",
    exit_code=0,
    last_at=NOW - 1380,
    took_s=12.3,
    next_at=NOW + 2220,
)
SCRIPTS = (
    OK_SCRIPT,
    ScriptStatus(
        name="cron.hourly/sync-tensorboard",
        period="hourly",
        outcome="running",
        last_at=NOW - 60,
        next_at=NOW + 2220,
    ),
    ScriptStatus(
        name="cron.daily/quota-report",
        period="daily",
        outcome="failed",
        exit_code=2,
        last_at=NOW - 10 * HOUR_S,
        took_s=310,
        next_at=NOW + 14 * HOUR_S,
        why="mmlsquota: command not found",
    ),
    ScriptStatus(
        name="cron.daily/backup.slurm",
        period="daily",
        outcome="submitted",
        job_id="70099",
        last_at=NOW - 10 * HOUR_S,
        next_at=NOW + 14 * HOUR_S,
    ),
    ScriptStatus(name="cron.daily/new", period="daily", next_at=NOW + 14 * HOUR_S),
)
CHAIN = CronStatus(
    at=NOW - 42,
    health="ok",
    interval_s=600,
    running=(RUNNING,),
    successor=SUCCESSOR,
    handed_over=31,
    started_at=NOW - 26 * 24 * HOUR_S,
    next_at=NOW + 5 * HOUR_S,
    shards=(
        ShardStatus(
            index=0, at=NOW - 42, job_id="70123", host="prepost1", runs=("tr11-176B-ml", "tr12")
        ),
    ),
    scripts=SCRIPTS,
    troubles=("2026-03-11 19:02: sbatch did not answer within 30 s; asked again",),
)
ALONE = replace(
    CHAIN,
    health="warning",
    why="no successor: sbatch: error: Batch job submission failed: Invalid account",
    successor=None,
    shards=(
        replace(CHAIN.shards[0], taken_over=("tr13",), runs=("tr11-176B-ml", "tr12", "tr13")),
        ShardStatus(
            index=1, at=NOW - 7200, host="prepost2", runs=("tr13",), left=("tr14: no log",)
        ),
    ),
)
SILENT = replace(CHAIN, at=NOW - 7200, shards=(replace(CHAIN.shards[0], at=NOW - 7200),))
STOPPED = replace(
    CHAIN, at=NOW - 7200, health="stopped", running=(), successor=None, why="by jo, for the move"
)
UNREADABLE = CronStatus(at=0.0, why="/state/cron/status.json cannot be read: it is damaged")


def chained(cron: CronStatus | None) -> Snapshot:
    """A healthy run under a chain, as it is seen from outside."""
    seen = None if cron is None else judged_chain(cron, NOW)
    return replace(HEALTHY, cron=seen)


def hostile_chain(text: str) -> CronStatus:
    """A chain all of whose words are somebody else's."""
    job = ChainJob(job_id=text, state=text, reason=text, nodes=(text,) * 5, end=float("inf"))
    script = replace(SCRIPTS[2], name=text, why=text, path=text, job_id=text)
    shard = ShardStatus(index=0, at=NOW, host=text, runs=(text,), taken_over=(text,), left=(text,))
    return replace(
        CHAIN,
        health="warning",
        why=text,
        running=(job,),
        successor=job,
        shards=(shard, shard),
        scripts=(script, replace(script, outcome="submitted")),
        troubles=(text, text),
        started_at=1e308,
        next_at=-1e308,
    )
