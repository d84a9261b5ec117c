"""What outsiders are told of a run: `public/status.json` and the page beside it.

Part of the interface, as the status is: fields are added, never renamed. The trap: each text in here is one
of trainwatch's own words, or the name that the configuration gives; nothing that a log, a scheduler or a
person wrote is copied.
"""

import msgspec

SCHEMA_VERSION = 1
UNNAMED = "Training run"


class Shown(msgspec.Struct, frozen=True, kw_only=True):
    """What may be shown, and as what the run is known outside."""

    name: str = UNNAMED
    loss: bool = True  # the loss and all else that the model learns by
    hardware: bool = True  # GPUs, how the model is split over them, speed a GPU
    attempts: bool = True  # attempts, and where the hours went
    alerts: bool = True  # names of rules and how bad it is


class PublicAttempt(msgspec.Struct, frozen=True, kw_only=True):
    """One attempt. `new`, `again`, `lost`: iterations; `end`: how it ended, None while it runs."""

    number: int
    began_at: float | None = None
    ended_at: float | None = None
    first_iteration: int | None = None
    last_iteration: int | None = None
    new: int | None = None
    again: int | None = None
    lost: int | None = None
    end: str | None = None


class PublicAlert(msgspec.Struct, frozen=True, kw_only=True):
    """An alert; `until` None while it fires. A rule of the user's own is called `own`."""

    rule: str
    severity: str
    since: float | None = None
    until: float | None = None


class PublicHours(msgspec.Struct, frozen=True, kw_only=True):
    """Where the hours went, by part (core/model/goodput.py). `goodput`: 0..1, of the held time."""

    begin: float
    end: float
    held_s: float
    goodput: float | None
    seconds: dict[str, float]
    failures: int


class PublicStatus(msgspec.Struct, frozen=True, kw_only=True):
    """One run, for anybody. Units and names as in the status; unknown, or not shown, is null."""

    schema_version: int = SCHEMA_VERSION
    name: str = UNNAMED
    made_at: float
    seen_at: float | None = None  # when the watcher last looked
    health: str = "unknown"
    phase: str = "unknown"
    phase_since: float | None = None
    last_progress_at: float | None = None
    iteration: int | None = None
    target_iteration: int | None = None
    progress: float | None = None
    progress_unit: str | None = None
    eta_s: float | None = None
    consumed_samples: float | None = None
    consumed_tokens: float | None = None
    global_batch_size: float | None = None
    seq_length: int | None = None
    parameters: float | None = None
    step_time_s: float | None = None
    samples_per_s: float | None = None
    tokens_per_s: float | None = None
    checkpoint_iteration: int | None = None
    checkpoint_at: float | None = None
    loss: float | None = None
    loss_is_nan: bool | None = None
    grad_norm: float | None = None
    learning_rate: float | None = None
    validation_loss: float | None = None
    validation_iteration: int | None = None
    skipped_iterations: float | None = None
    framework: str | None = None
    gpus: int | None = None
    nodes: int | None = None
    gpu_type: str | None = None
    precision: str | None = None
    peak_tflops: float | None = None
    tflops: float | None = None
    mfu: float | None = None
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    data_parallel: int | None = None
    micro_batch_size: int | None = None
    attempts: int | None = None  # how many there were
    last_attempts: tuple[PublicAttempt, ...] = ()  # the last of them, oldest first
    hours: PublicHours | None = None
    alerts: tuple[PublicAlert, ...] = ()  # firing
    past_alerts: tuple[PublicAlert, ...] = ()  # the last that are over, oldest first
