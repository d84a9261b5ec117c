"""A status that says something of everything, and how its numbers are found again."""

from collections.abc import Sequence

from trainwatch.core.metrics.measure import Watcher, measured
from trainwatch.core.metrics.model import Family
from trainwatch.core.model.housekeeping import CheckpointsStatus, SyncStatus
from trainwatch.core.model.observations import Job, QueueReading
from trainwatch.core.model.status import (
    Alert,
    AttemptStatus,
    CheckpointStatus,
    DiskStatus,
    Status,
)

AT = 1_800_000_000.0
WATCHER = Watcher("1.2.3", AT)
Found = dict[tuple[str, tuple[tuple[str, str], ...]], float]


def alert(rule: str, severity: str, key: str = "", muted: str = "") -> Alert:
    """One that fires."""
    return Alert(rule=rule, severity=severity, since=AT, summary="x", key=key, muted=muted)


FULL = Status(
    run="tr11-176B",
    health="critical",
    phase="train",
    phase_since=AT - 10,
    framework="megatron-deepspeed",
    log="/logs/main_log.txt",
    log_bytes=10_485_760,
    iteration=95_000,
    target_iteration=115_311,
    progress=0.824,
    eta_s=2_137_000.0,
    step_time_s=105.25,
    usual_step_time_s=104.5,
    tflops=130.5,
    mfu=0.418,
    samples_per_s=19.5,
    tokens_per_s=39_936.0,
    loss=2.303,
    grad_norm=0.147,
    learning_rate=5.9e-05,
    global_batch_size=2048.0,
    consumed_samples=180_000_000.0,
    consumed_tokens=368_640_000_000.0,
    last_progress_at=AT - 60,
    parameters=176e9,
    gpus=384,
    gpu_type="A100",
    nodes=48,
    precision="bfloat16",
    attempts=(AttemptStatus(index=0), AttemptStatus(index=1)),
    checkpoint=CheckpointStatus(iteration=94_800, at=AT - 20_000, duration_s=40.0),
    iterations_at_risk=200,
    hours_at_risk=5.5,
    gpu_hours_at_risk=2112.0,
    validation_loss=2.2,
    torn_lines=3,
    queue=QueueReading(
        at=AT - 30,
        state="ok",
        jobs=(
            Job(job_id="7_1", name="tr11", state="RUNNING", end=AT + 7200),
            Job(job_id="7_2", name="tr11", state="PENDING", start=AT + 7300),
            Job(job_id="7_3", name="tr11", state="PENDING"),
            Job(job_id="6", name="tr11", state="COMPLETING"),
        ),
    ),
    alerts=(
        alert("disk-full", "warning", "scratch"),
        alert("disk-full", "warning", "work", muted="silenced by ada"),
        alert("stall", "critical"),
    ),
    warnings=("receiver slack: it answers 404",),
    heartbeat_at=AT,
    checkpoints=CheckpointsStatus(
        at=AT - 100, count=12, complete=11, bytes=30 * 10**12, prunable_bytes=10**12
    ),
    disks=(
        DiskStatus(
            disk="scratch",
            folder="/scratch",
            at=AT - 5,
            bytes_total=10**15,
            bytes_free=10**14,
            inodes_total=10**9,
            inodes_free=10**8,
            runway_s=86_400.0,
        ),
    ),
    syncs=(
        SyncStatus(
            route="logs",
            at=AT - 9,
            ok=False,
            last_ok_at=AT - 4000,
            failing_since=AT - 3000,
            sent_bytes=123,
            sent_files=4,
            waiting_bytes=56,
        ),
    ),
    troubles={"disk work": "it hangs"},
)


def numbers(families: Sequence[Family]) -> Found:
    """By name as it is scraped, and labels in the order of the alphabet. No series may come twice."""
    found: Found = {}
    for family in families:
        for one in family.series:
            key = (family.metric.series, tuple(sorted(one.labels)))
            assert key not in found
            found[key] = one.value
    return found


def of(*statuses: Status, watcher: Watcher = WATCHER) -> Found:
    """The numbers of these runs."""
    return numbers(measured(statuses, watcher))
