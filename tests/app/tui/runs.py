"""Runs as the screen is handed them, all by hand: the same on every machine and at every time."""

from array import array

from tests.app.tui.histories import LAST, NOW, STEP_S, TARGET, columns, history
from trainwatch.core.model.snapshot import Marks, Snapshot
from trainwatch.core.model.state import Event
from trainwatch.core.model.status import AttemptStatus, CheckpointStatus, Status


def event(kind: str, n: int, text: str = "", attempt: int = 1, **values: float) -> Event:
    """Something that happened at an iteration."""
    at = NOW - (LAST - n) * STEP_S
    return Event(
        at=at, kind=kind, attempt=attempt, iteration=n, offset=n * 10, text=text, values=values
    )


EVENTS = (
    event("attempt-began", 1, "megatron arguments", attempt=0),
    event("saved", 400, "checkpoints/tr11", attempt=0),
    event("saved", 800, "checkpoints/tr11", attempt=0),
    event("fault", 900, "cuda: RuntimeError: CUDA error: an illegal memory access", attempt=0),
    event("attempt-began", 801, "megatron arguments"),
    event("loaded", 800, "checkpoints/tr11"),
    event("validation", 1000, loss=1.95, ppl=7.03),
    event("saved", 1200, "checkpoints/tr11"),
    event("save-started", 1600, "checkpoints/tr11"),
    event("saved", 1600, "checkpoints/tr11"),
    event("validation", 2000, loss=1.93, ppl=6.89),
    event("saved", 2000, "checkpoints/tr11"),
)
MARKS = Marks(
    saved=array("d", (400, 800, 1200, 1600, 2000)),
    saved_offset=array("d", (4000, 8000, 12000, 16000, 20000)),
    validated=array("d", (1000, 2000)),
    validation_loss=array("d", (1.95, 1.93)),
    attempt_offset={0: 0, 1: 8010},
)
ATTEMPTS = (
    AttemptStatus(
        index=0,
        began_at=NOW - 2500 * STEP_S,
        first_iteration=1,
        last_iteration=900,
        records=900,
        gpus=384,
        job_id="1809577",
        end="crashed",
        cause="cuda: RuntimeError: CUDA error: an illegal memory access was encountered",
    ),
    AttemptStatus(
        index=1,
        began_at=NOW - 1600 * STEP_S,
        first_iteration=801,
        last_iteration=2400,
        records=1600,
        retrained=100,
        gpus=384,
    ),
)
STATUS = Status(
    run="tr11-176B-ml",
    health="ok",
    reason="training",
    phase="train",
    phase_since=NOW - 400 * STEP_S,
    framework="megatron-deepspeed",
    log="/gpfs/tr11/main_log.txt",
    log_bytes=24_100,
    iteration=LAST,
    target_iteration=TARGET,
    progress=LAST / TARGET,
    progress_unit="samples",
    eta_s=(TARGET - LAST) * STEP_S,
    step_time_s=STEP_S,
    usual_step_time_s=104.1,
    tflops=149.02,
    tflops_exact=True,
    mfu=0.4776,
    samples_per_s=19.5,
    tokens_per_s=39_946.0,
    loss=1.912,
    grad_norm=0.231,
    learning_rate=2.4e-5,
    global_batch_size=2048,
    consumed_samples=LAST * 2048.0,
    consumed_tokens=LAST * 2048.0 * 2048,
    last_progress_at=NOW - 42,
    parameters=176.2e9,
    gpus=384,
    gpu_type="A100",
    peak_tflops=312,
    nodes=48,
    tensor_parallel=4,
    pipeline_parallel=12,
    data_parallel=8,
    micro_batch_size=2,
    seq_length=2048,
    precision="bfloat16",
    save_interval=400,
    attempts=ATTEMPTS,
    checkpoint=CheckpointStatus(
        iteration=2000, at=NOW - 400 * STEP_S, duration_s=43.2, path="checkpoints/tr11"
    ),
    iterations_at_risk=400,
    hours_at_risk=400 * STEP_S / 3600,
    gpu_hours_at_risk=400 * STEP_S / 3600 * 384,
    validation_loss=1.93,
    validation_iteration=2000,
    sources={"framework": "derived", "gpus": "log", "parameters": "derived", "tflops": "derived"},
    heartbeat_at=NOW - 5,
)

HEALTHY = Snapshot(
    taken_at=NOW,
    status=STATUS,
    events=EVENTS,
    marks=MARKS,
    history=history(columns()),
    watching="here",
)
