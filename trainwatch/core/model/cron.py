"""How trainwatch's own job on the cluster is: the chain, what its hands run, and who watches what.

Written by the job that watches, read by views. Times are s since the epoch.
"""

from typing import Literal

import msgspec

Mode = Literal["daemon", "ticks"]
Kept = Literal["chain", "scrontab"]  # by itself, or by Slurm's own cron


class ScriptStatus(msgspec.Struct, frozen=True, kw_only=True):
    """An hourly or daily script. `exit_code` None: it never ran, runs now, or was ended (see `outcome`)."""

    name: str  # cron.daily/quota-report
    period: Literal["hourly", "daily"]
    path: str = ""
    outcome: Literal["", "ok", "failed", "ended", "running", "submitted"] = ""
    exit_code: int | None = None
    last_at: float | None = None
    took_s: float | None = None
    next_at: float | None = None
    job_id: str = ""  # of a *.slurm that was submitted
    why: str = ""


class ChainJob(msgspec.Struct, frozen=True, kw_only=True):
    """A job of the chain as the queue last showed it."""

    job_id: str
    state: str
    reason: str = ""
    nodes: tuple[str, ...] = ()
    begin: float | None = (
        None  # of one that waits: when it may start at the earliest, or is expected to
    )
    end: float | None = None  # when its limit ends it at the latest


class ShardStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One task of the chain's array: the heartbeat of a watcher. Without shards there is one, 0 of 1."""

    index: int
    at: float  # heartbeat
    job_id: str = ""
    host: str = ""
    runs: tuple[str, ...] = ()  # watched by it
    taken_over: tuple[str, ...] = ()  # of those: the runs of another shard
    left: tuple[str, ...] = ()  # why runs are not watched


class CronStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The chain as its watcher last saw it.

    `health`: ok; warning (it runs, with something amiss that `why` says); dead (it ought to run and does
    not); stopped (by hand); unknown.
    """

    at: float
    mode: Mode = "daemon"
    health: Literal["ok", "warning", "dead", "stopped", "unknown"] = "unknown"
    why: str = ""
    interval_s: float = 600.0
    keeper: Kept = "chain"
    running: tuple[ChainJob, ...] = ()
    successor: ChainJob | None = None
    handed_over: int = 0  # times since the chain was started
    started_at: float | None = None
    next_at: float | None = None  # of the grid: when the next job may start
    shards: tuple[ShardStatus, ...] = ()
    scripts: tuple[ScriptStatus, ...] = ()
    troubles: tuple[str, ...] = ()  # newest last
