"""What is scraped of a run itself: what it is, how far it is, how fast, and what it learns."""

from typing import get_args

from trainwatch.core.health import Level
from trainwatch.core.metrics.kinds import AT, S, run, states
from trainwatch.core.metrics.model import Found, Metric
from trainwatch.core.model.state import Phase
from trainwatch.core.model.status import Status

_TERA = 1e12


def _info(status: Status) -> Found:
    return [((status.framework or "", status.gpu_type or "", status.precision or ""), 1.0)]


OF_RUN = (
    Metric(
        "trainwatch_run",
        "What the run is: its framework, GPUs and precision, as far as they are known.",
        _info,
        "always 1",
        ("run", "framework", "gpu_type", "precision"),
        "info",
    ),
    run(
        "run_heartbeat_timestamp_seconds",
        "When a watcher last looked at the run.",
        lambda s: s.heartbeat_at,
        AT,
    ),
    states("health", "How the run is, in one of four words.", get_args(Level), lambda s: s.health),
    states(
        "phase", "What the run does, in one of seven words.", get_args(Phase), lambda s: s.phase
    ),
    run(
        "phase_start_timestamp_seconds",
        "Since when the run does what it does.",
        lambda s: s.phase_since,
        AT,
    ),
    run("log_size_bytes", "Size of the log.", lambda s: s.log_bytes, "bytes"),
    Metric(
        "trainwatch_log_torn_lines",
        "Lines of the log that were torn or run together.",
        lambda s: (((), s.torn_lines if s.attempts else None),),
        "lines",
        kind="counter",
    ),
    # progress
    run(
        "iteration",
        "The last completed iteration; less than before after a rollback.",
        lambda s: s.iteration,
    ),
    run("target_iteration", "The iteration at which training ends.", lambda s: s.target_iteration),
    run(
        "progress_ratio",
        "How much of training is done, by tokens, samples or iterations.",
        lambda s: s.progress,
        "0 to 1",
    ),
    run("eta_seconds", "Time to go until training ends, at this speed.", lambda s: s.eta_s, S),
    run(
        "last_progress_timestamp_seconds",
        "When an iteration was last completed.",
        lambda s: s.last_progress_at,
        AT,
    ),
    run(
        "consumed_samples",
        "Samples trained on; less than before after a rollback.",
        lambda s: s.consumed_samples,
        "samples",
    ),
    run(
        "consumed_tokens",
        "Tokens trained on; less than before after a rollback.",
        lambda s: s.consumed_tokens,
        "tokens",
    ),
    Metric(
        "trainwatch_attempts",
        "Attempts: how often the run was started.",
        lambda s: (((), len(s.attempts) or None),),
        kind="counter",
    ),
    # speed
    run("step_time_seconds", "Time of an iteration, lately.", lambda s: s.step_time_s, S),
    run(
        "usual_step_time_seconds",
        "Time of an iteration that is usual for this run.",
        lambda s: s.usual_step_time_s,
        S,
    ),
    run(
        "gpu_flop_per_second",
        "Model FLOP of each GPU and second (`tflops` of the status, times 1e12).",
        lambda s: None if s.tflops is None else s.tflops * _TERA,
        "FLOP/s",
    ),
    run(
        "mfu_ratio",
        "MFU: the share of the GPUs' peak that the model's FLOP are.",
        lambda s: s.mfu,
        "0 to 1",
    ),
    run(
        "samples_per_second",
        "Samples trained on in a second.",
        lambda s: s.samples_per_s,
        "samples/s",
    ),
    run(
        "tokens_per_second", "Tokens trained on in a second.", lambda s: s.tokens_per_s, "tokens/s"
    ),
    run("gpus", "GPUs of the run.", lambda s: s.gpus),
    run("nodes", "Nodes of the run.", lambda s: s.nodes),
    run("parameters", "Parameters of the model.", lambda s: s.parameters, "parameters"),
    # learning
    run("loss", "Loss of the last iteration; no series while it is NaN.", lambda s: s.loss),
    run(
        "loss_is_nan",
        "Whether the loss of the last iteration is NaN.",
        lambda s: None if s.iteration is None else float(s.loss_is_nan),
        "0 or 1",
    ),
    run("validation_loss", "Loss of the last evaluation.", lambda s: s.validation_loss),
    run("grad_norm", "Norm of the gradient at the last iteration.", lambda s: s.grad_norm),
    run("learning_rate", "Learning rate of the last iteration.", lambda s: s.learning_rate),
    run(
        "global_batch_samples",
        "Global batch size of the last iteration.",
        lambda s: s.global_batch_size,
        "samples",
    ),
)
