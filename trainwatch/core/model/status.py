"""The public word on a run: what `status --json` prints and other tools may read.

Part of the interface: fields are added, never renamed. Unknown is null, units are SI and in the names,
times are s since the epoch.
"""

from typing import Literal

import msgspec

from trainwatch.core.facts import Source
from trainwatch.core.model.alerts import Book
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.housekeeping import CheckpointsStatus, SyncStatus
from trainwatch.core.model.observations import CheckpointReading, ProcessReading, QueueReading
from trainwatch.core.model.predictions import Prediction

SCHEMA_VERSION = 1


class Alert(msgspec.Struct, frozen=True, kw_only=True):
    """A firing alert, as views show it. `muted`: why nobody is told, or told again."""

    rule: str
    severity: str
    since: float
    summary: str
    key: str = ""
    iteration: int | None = None
    cost: str = ""
    advice: str = ""
    evidence: tuple[str, ...] = ()
    muted: str = ""


class CheckpointStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The last complete checkpoint, as the log or a listing of the folder tells it."""

    iteration: int | None = None
    at: float | None = None
    duration_s: float | None = None
    path: str | None = None
    expected_bytes: float | None = None
    listed: CheckpointReading | None = None  # of many the newest


class AttemptStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt, for people."""

    index: int
    began_at: float | None = None
    last_at: float | None = None
    first_iteration: int | None = None
    last_iteration: int | None = None
    records: int = 0
    retrained: int = 0
    gpus: int | None = None
    job_id: str | None = None
    nodes: str | None = None  # folded: r1i[0-3]n0
    end: str | None = None
    cause: str | None = None


class HandStatus(msgspec.Struct, frozen=True, kw_only=True):
    """What one of our hands on jobs would do now, or why it does nothing.

    `state`: would, refused (something calls for it, and a proof is missing), idle (nothing does), off.
    """

    hand: str
    state: Literal["would", "refused", "idle", "off"]
    why: tuple[str, ...] = ()  # the proof, or the reasons against
    does: str = ""  # as a person would type it
    then: str = ""  # what is left to a person
    cause: str = ""
    last: str = ""  # what became of its last deed


class DiskStatus(msgspec.Struct, frozen=True, kw_only=True):
    """Room on one disk, or within a quota on it, as last heard."""

    disk: str  # its name, or the folder
    folder: str
    at: float  # when it was heard
    bytes_total: int | None = None
    bytes_free: int | None = None
    inodes_total: int | None = None
    inodes_free: int | None = None
    runway_s: float | None = None  # from `at` on, about, until nothing more can be written
    runs_out: str = ""  # then: bytes, inodes, or the grace of a soft limit
    soft_until: float | None = None  # it is over a soft limit: when that is enforced
    strays: tuple[str, ...] = ()  # core files and runaway outputs
    quota: str = ""  # whose word is in it; empty: nobody's
    prunable_bytes: int | None = None  # what pruning as configured would free of it


class Status(msgspec.Struct, frozen=True, kw_only=True):
    """One run."""

    schema_version: int = SCHEMA_VERSION
    run: str
    health: str
    reason: str = ""
    phase: str = "unknown"
    phase_since: float | None = None
    framework: str | None = None
    log: str | None = None
    log_bytes: int | None = None
    iteration: int | None = None
    target_iteration: int | None = None
    progress: float | None = None  # 0..1
    progress_unit: str | None = None
    eta_s: float | None = None
    eta_unknown: str | None = None
    step_time_s: float | None = None
    usual_step_time_s: float | None = None
    tflops: float | None = None
    tflops_exact: bool | None = None
    mfu: float | None = None  # 0..1
    samples_per_s: float | None = None
    tokens_per_s: float | None = None
    loss: float | None = None
    loss_is_nan: bool = False
    grad_norm: float | None = None
    learning_rate: float | None = None
    global_batch_size: float | None = None
    consumed_samples: float | None = None
    consumed_tokens: float | None = None
    last_progress_at: float | None = None
    parameters: float | None = None
    gpus: int | None = None
    gpu_type: str | None = None
    peak_tflops: float | None = None
    nodes: int | None = None
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    data_parallel: int | None = None
    micro_batch_size: int | None = None
    seq_length: int | None = None
    precision: str | None = None
    save_interval: int | None = None
    attempts: tuple[AttemptStatus, ...] = ()
    checkpoint: CheckpointStatus | None = None
    iterations_at_risk: int | None = None
    hours_at_risk: float | None = None
    gpu_hours_at_risk: float | None = None
    validation_loss: float | None = None
    validation_iteration: int | None = None
    skipped_iterations: float | None = None
    torn_lines: int = 0
    queue: QueueReading | None = None
    processes: ProcessReading | None = None  # of a command that `trainwatch run` started
    allocations: tuple[Allocation, ...] = ()  # the last ones, in order of their start
    predictions: tuple[Prediction, ...] = ()  # of what waits, in order of their start
    alerts: tuple[Alert, ...] = ()
    warnings: tuple[str, ...] = ()
    sources: dict[str, Source] = {}
    heartbeat_at: float | None = None  # when the watcher last looked
    silent_after_s: float | None = None  # how old that may be: who ticks looks only now and then
    watcher: str | None = None
    checkpoints: CheckpointsStatus | None = None  # None: nobody looks at their folder
    disks: tuple[DiskStatus, ...] = ()
    syncs: tuple[SyncStatus, ...] = ()
    troubles: dict[
        str, str
    ] = {}  # why what cannot be seen: `disk scratch`, `checkpoints`, `sync logs`
    hands: tuple[HandStatus, ...] = ()  # on jobs; none where they are all off
    book: Book | None = None  # for our own views; scripts read `alerts`
