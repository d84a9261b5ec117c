"""Checkpoints, disks and routes as the screen is handed them."""

from msgspec.structs import replace

from tests.app.tui.histories import LAST, NOW
from tests.app.tui.runs import HEALTHY
from trainwatch.core.checkpoints.summary import summary
from trainwatch.core.model.housekeeping import CheckpointsStatus, SyncStatus
from trainwatch.core.model.observations import Checkpoint, CheckpointReading
from trainwatch.core.model.snapshot import Configured, Snapshot
from trainwatch.core.model.state import Attempt, Row, RunState
from trainwatch.core.model.status import Alert, CheckpointStatus, DiskStatus, Status
from trainwatch.core.rules.settings import PurgeRisk

HOUR_S, DAY_S = 3600.0, 86_400.0
TB = 10**12
STEP_S = 105.0
PURGE = PurgeRisk(purge_after_days=30)


def _why(n: int) -> str:
    parts = ["every 500"] if n % 500 == 0 else []
    parts += ["one of the last 3"] if n >= 2250 else []
    return "; ".join([*parts, *(["the newest complete one; latest names it"] if n == 2350 else [])])


def _checkpoint(n: int) -> Checkpoint:
    at = NOW - (LAST - n) * STEP_S
    why = "an attempt of late went on from it" if n == 800 else _why(n)
    return Checkpoint(
        name=f"global_step{n}",
        iteration=n,
        bytes=2_300_000_000_000,
        files=432,
        complete=True,
        mtime=at,
        atime=NOW - 25 * DAY_S if n == 500 else at,
        state="complete",
        keeps=why,
        goes="" if why else "no policy keeps it",
    )


_WRITING = Checkpoint(
    name="global_step2400",
    iteration=2400,
    bytes=900_000_000_000,
    files=160,
    complete=False,
    mtime=NOW - 20,
    atime=NOW - 20,
    state="writing",
    keeps="it may be being written: latest names 2350, before it",
)
_TORN = replace(
    _checkpoint(900),
    name="global_step900",
    bytes=1_100_000_000_000,
    complete=False,
    state="partial",
    keeps="not known to be complete: it has other sizes than those of one that is complete",
    goes="",
)
READING = CheckpointReading(
    at=NOW - 240,
    latest="global_step2350",
    found=(*(_TORN if n == 900 else _checkpoint(n) for n in range(50, 2400, 50)), _WRITING),
    root="/scratch/tr11/checkpoints",
    policy="the last 3, every 500",
)
READING = replace(READING, prunable_bytes=sum(c.bytes or 0 for c in READING.found if c.goes))
STATE = RunState(
    run="tr11",
    checkpoints=READING,
    attempts=(Attempt(index=0, loaded_iteration=800),),
    open=Row(iteration=LAST, attempt=0, format="", time=None, values={}),
)
_SUMMARY = summary(STATE, PURGE, 5295.0, 50, NOW)
assert _SUMMARY is not None
CHECKPOINTS: CheckpointsStatus = _SUMMARY
DISKS = (
    DiskStatus(
        disk="scratch",
        folder="/gpfs/scratch/tr11",
        at=NOW - 200,
        bytes_total=400 * TB,
        bytes_free=46 * TB,
        inodes_total=20_000_000,
        inodes_free=15_800_000,
        runway_s=30 * HOUR_S,
        runs_out="bytes",
        strays=("/gpfs/scratch/tr11/core.4711: 12.4 GB, a core file, 2 h ago",),
        quota="gpfs",
        prunable_bytes=80 * TB,
    ),
    DiskStatus(
        disk="work",
        folder="/work/tr11",
        at=NOW - 200,
        bytes_total=20 * TB,
        bytes_free=15 * TB,
        inodes_total=500_000,
        inodes_free=12_000,
        runway_s=9 * DAY_S,
        runs_out="inodes",
        soft_until=NOW + 5 * DAY_S,
    ),
)
FULL = Alert(
    rule="disk-full",
    key="scratch",
    severity="warning",
    since=NOW - HOUR_S,
    summary="scratch is full in 30 h (about 2026-03-13 07:00 UTC) as it fills now: 46 TB left",
)
SYNCS = (
    SyncStatus(
        route="logs",
        at=NOW - 100,
        ok=True,
        to="hf://datasets/bigscience/tr11-logs",
        last_ok_at=NOW - 100,
        sent_bytes=1_240_000_000,
        sent_files=34,
        waiting_bytes=0,
        commits=3,
        most_commits=20,
        next_at=NOW + 800,
    ),
    SyncStatus(
        route="tensorboard",
        at=NOW - 300,
        ok=True,
        to="hf://datasets/bigscience/tr11-tensorboard/176B",
        last_ok_at=NOW - 1900,
        sent_bytes=88_000_000,
        sent_files=12,
        waiting_bytes=4_200_000,
        commits=20,
        most_commits=20,
        next_at=NOW + 1100,
        why="20 commits were made within the last hour",
    ),
    SyncStatus(
        route="weights",
        at=NOW - 60,
        ok=False,
        to="s3://bigscience/tr11",
        last_ok_at=NOW - 7 * HOUR_S,
        failing_since=NOW - 7 * HOUR_S,
        why="the endpoint does not answer (connect timeout)",
        sent_bytes=46 * TB,
        sent_files=8_640,
        waiting_bytes=23 * TB // 10,
        commits=1,
        most_commits=20,
        next_at=NOW + 240,
    ),
    SyncStatus(
        route="card",
        at=NOW - 600,
        ok=False,
        to="hf://models/bigscience/bloom",
        failing_since=NOW - 2 * DAY_S,
        permanent=True,
        why="401: this login may not write there: hf auth login, with a token that may",
        sent_bytes=0,
        sent_files=0,
        waiting_bytes=14_000,
        commits=0,
        most_commits=20,
        next_at=NOW + 5 * HOUR_S,
    ),
)
CONFIGURED = Configured(
    checkpoints=True,
    disks=("scratch", "work", "archive"),
    routes=("logs", "tensorboard", "weights", "card", "later"),
)
TROUBLES = {"disk archive": "/archive gives no answer: does its filesystem hang?"}
SAVED = CheckpointStatus(iteration=2350, at=NOW - 50 * STEP_S, duration_s=42.0)


def housed(configured: Configured = CONFIGURED, **changed: object) -> Snapshot:
    """A healthy run with all of that, and what is `changed` of its status."""
    status: Status = replace(
        HEALTHY.status,
        save_interval=50,
        checkpoint=SAVED,
        iterations_at_risk=50,
        hours_at_risk=50 * STEP_S / HOUR_S,
        gpu_hours_at_risk=50 * STEP_S / HOUR_S * 384,
        checkpoints=CHECKPOINTS,
        disks=DISKS,
        syncs=SYNCS,
        alerts=(FULL,),
        troubles=TROUBLES,
    )
    return replace(
        HEALTHY, status=replace(status, **changed), configured=configured, watching="elsewhere"
    )
