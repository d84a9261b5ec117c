"""Which metrics there are: a row for each, with what a status says of it. docs/metrics.md has the same rows.

Units are SI base units, as Prometheus wants them. What a rollback takes back (iterations, tokens) is a gauge:
a counter that falls is taken for one that began anew, and its rate would leap.
"""

from collections.abc import Callable
from typing import get_args

from trainwatch.core.health import Level
from trainwatch.core.metrics.kinds import checkpoint, disk, listed, queue, run, states, sync
from trainwatch.core.metrics.model import Found, Metric
from trainwatch.core.model.observations import Job
from trainwatch.core.model.state import Phase
from trainwatch.core.model.status import Alert, Status

_S, _AT = "seconds", "seconds since the epoch"
_H_S = 3600.0
_TERA = 1e12
_SEVERITIES = ("critical", "warning", "info")
MOST_RULES = 200  # with their severities, of one run
_QUEUED = {"RUNNING": "running", "PENDING": "pending"}
JOB_STATES = ("running", "pending", "other")


def _info(status: Status) -> Found:
    return [((status.framework or "", status.gpu_type or "", status.precision or ""), 1.0)]


def _by_rule(alerts: tuple[Alert, ...], wanted: Callable[[Alert], bool]) -> Found:
    """How many of each rule and severity, the gravest first; zero where none is wanted."""
    ordered = sorted(alerts, key=lambda alert: (_SEVERITIES.index(alert.severity), alert.rule))
    count = dict[tuple[str, ...], float]()
    for alert in ordered:
        key = (alert.rule, alert.severity)
        count[key] = count.get(key, 0.0) + wanted(alert)
    return list(count.items())[:MOST_RULES]


def _known(status: Status) -> tuple[Alert, ...]:
    return tuple(alert for alert in status.alerts if alert.severity in _SEVERITIES)


def _by_severity(status: Status) -> Found:
    if status.heartbeat_at is None:
        return ()
    known = [alert.severity for alert in status.alerts]
    return [((severity,), float(known.count(severity))) for severity in _SEVERITIES]


def _if_seen(status: Status, count: int) -> float | None:
    """A zero of a run that nobody looks at would be a lie."""
    return None if status.heartbeat_at is None else float(count)


def _jobs(status: Status) -> Found:
    """An answer that could not be had says nothing of jobs, and of none least."""
    if status.queue is None or status.queue.state != "ok":
        return ()
    found = [_QUEUED.get(job.state, "other") for job in status.queue.jobs]
    return [((state,), float(found.count(state))) for state in JOB_STATES]


def _first(jobs: tuple[Job, ...], state: str, of: Callable[[Job], float | None]) -> float | None:
    found = [at for job in jobs if job.state == state and (at := of(job)) is not None]
    return min(found, default=None)


def _hours(hours: float | None) -> float | None:
    return None if hours is None else hours * _H_S


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
        _AT,
    ),
    states("health", "How the run is, in one of four words.", get_args(Level), lambda s: s.health),
    states("phase", "What the run does.", get_args(Phase), lambda s: s.phase),
    run("phase_start_timestamp_seconds", "Since when.", lambda s: s.phase_since, _AT),
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
    run("progress_ratio", "By tokens, samples or iterations.", lambda s: s.progress, "0 to 1"),
    run("eta_seconds", "Time to go at this speed.", lambda s: s.eta_s, _S),
    run(
        "last_progress_timestamp_seconds",
        "When an iteration was last completed.",
        lambda s: s.last_progress_at,
        _AT,
    ),
    run("consumed_samples", "Samples trained on.", lambda s: s.consumed_samples, "samples"),
    run("consumed_tokens", "Tokens trained on.", lambda s: s.consumed_tokens, "tokens"),
    Metric(
        "trainwatch_attempts",
        "Attempts: how often the run was started.",
        lambda s: (((), len(s.attempts) or None),),
        kind="counter",
    ),
    # speed
    run("step_time_seconds", "Of an iteration, lately.", lambda s: s.step_time_s, _S),
    run("usual_step_time_seconds", "What is usual for it.", lambda s: s.usual_step_time_s, _S),
    run(
        "gpu_flop_per_second",
        "Model FLOP of each GPU and second (`tflops` of the status, times 1e12).",
        lambda s: None if s.tflops is None else s.tflops * _TERA,
        "FLOP/s",
    ),
    run("mfu_ratio", "The share of the GPUs' peak that this is.", lambda s: s.mfu, "0 to 1"),
    run("samples_per_second", "Samples a second.", lambda s: s.samples_per_s, "samples/s"),
    run("tokens_per_second", "Tokens a second.", lambda s: s.tokens_per_s, "tokens/s"),
    run("gpus", "GPUs of the run.", lambda s: s.gpus),
    run("nodes", "Nodes of the run.", lambda s: s.nodes),
    run("parameters", "Size of the model.", lambda s: s.parameters, "parameters"),
    # learning
    run("loss", "Of the last iteration; no series while it is NaN.", lambda s: s.loss),
    run(
        "loss_is_nan",
        "Whether it is.",
        lambda s: None if s.iteration is None else float(s.loss_is_nan),
        "0 or 1",
    ),
    run("validation_loss", "Of the last evaluation.", lambda s: s.validation_loss),
    run("grad_norm", "Norm of the gradient.", lambda s: s.grad_norm),
    run("learning_rate", "Learning rate.", lambda s: s.learning_rate),
    run("global_batch_samples", "Global batch size.", lambda s: s.global_batch_size, "samples"),
    # checkpoints
    checkpoint("checkpoint_iteration", "Of the last complete one.", lambda c: c.iteration),
    checkpoint("checkpoint_timestamp_seconds", "When it was saved.", lambda c: c.at, _AT),
    checkpoint("checkpoint_duration_seconds", "How long that took.", lambda c: c.duration_s, _S),
    run("at_risk_iterations", "What a crash now would cost.", lambda s: s.iterations_at_risk),
    run("at_risk_seconds", "The same, as time.", lambda s: _hours(s.hours_at_risk), _S),
    run(
        "at_risk_gpu_seconds",
        "The same, as time of GPUs.",
        lambda s: _hours(s.gpu_hours_at_risk),
        "GPU-seconds",
    ),
    listed("checkpoints", "In the folder, where it is looked at.", lambda c: c.count),
    listed("checkpoints_complete", "Of those, complete ones.", lambda c: c.complete),
    listed("checkpoints_size_bytes", "What they take.", lambda c: c.bytes, "bytes"),
    listed(
        "checkpoints_prunable_bytes",
        "What pruning as configured would free.",
        lambda c: c.prunable_bytes,
        "bytes",
    ),
    listed("checkpoints_listing_timestamp_seconds", "When they were listed.", lambda c: c.at, _AT),
    # the queue
    queue(
        "queue_answers",
        "Whether the scheduler answered when it was last asked.",
        lambda q: float(q.state == "ok"),
        "0 or 1",
    ),
    queue("queue_reading_timestamp_seconds", "When it was last asked.", lambda q: q.at, _AT),
    Metric(
        "trainwatch_queue_jobs",
        "Jobs of the run; no series while the scheduler does not answer.",
        _jobs,
        "jobs",
        ("run", "state"),
    ),
    queue(
        "queue_start_timestamp_seconds",
        "When the first job that waits is expected to start.",
        lambda q: _first(q.jobs, "PENDING", lambda job: job.start),
        _AT,
    ),
    queue(
        "queue_end_timestamp_seconds",
        "When the first job that runs reaches its limit.",
        lambda q: _first(q.jobs, "RUNNING", lambda job: job.end),
        _AT,
    ),
    # alerts
    Metric(
        "trainwatch_alert_firing",
        "Alerts that fire; several where a rule has several disks, nodes or jobs.",
        lambda s: _by_rule(_known(s), lambda alert: True),
        "alerts",
        ("run", "rule", "severity"),
    ),
    Metric(
        "trainwatch_alert_muted",
        "Of those, the ones that nobody is told of: acknowledged, silenced or the effect of another.",
        lambda s: _by_rule(_known(s), lambda alert: bool(alert.muted)),
        "alerts",
        ("run", "rule", "severity"),
    ),
    Metric(
        "trainwatch_alerts",
        "Alerts that fire, with their zeros.",
        _by_severity,
        "alerts",
        ("run", "severity"),
    ),
    run("warnings", "What is amiss on trainwatch's side.", lambda s: _if_seen(s, len(s.warnings))),
    run(
        "troubles",
        "What of the run's world cannot be seen.",
        lambda s: _if_seen(s, len(s.troubles)),
    ),
)

OF_DISK = (
    disk("size_bytes", "Of the filesystem or the quota.", lambda d: d.bytes_total, "bytes"),
    disk("free_bytes", "Free of it.", lambda d: d.bytes_free, "bytes"),
    disk("inodes", "Inodes of it.", lambda d: d.inodes_total),
    disk("inodes_free", "Free ones.", lambda d: d.inodes_free),
    disk("runway_seconds", "How long it lasts, from the reading on.", lambda d: d.runway_s, _S),
    disk("reading_timestamp_seconds", "When it was last heard of.", lambda d: d.at, _AT),
)

OF_ROUTE = (
    sync("ok", "Whether the last turn ended well.", lambda r: float(r.ok), "0 or 1"),
    sync(
        "last_success_timestamp_seconds",
        "When all that was due had arrived.",
        lambda r: r.last_ok_at,
        _AT,
    ),
    sync("failing_since_timestamp_seconds", "Since when not.", lambda r: r.failing_since, _AT),
    sync("waiting_bytes", "What is due.", lambda r: r.waiting_bytes, "bytes"),
    sync("sent_bytes", "All that ever arrived.", lambda r: r.sent_bytes, "bytes", "counter"),
    sync("sent_files", "As files.", lambda r: r.sent_files, "files", "counter"),
    sync("reading_timestamp_seconds", "When the last turn ended.", lambda r: r.at, _AT),
)


def _nothing(status: Status) -> Found:
    return ()


BUILD = Metric(
    "trainwatch_build", "Which trainwatch it is.", _nothing, "always 1", ("version",), "info"
)
HEARTBEAT = Metric(
    "trainwatch_heartbeat_timestamp_seconds",
    "When the watcher last looked at anything: old where it hangs or is dead.",
    _nothing,
    _AT,
    (),
)
RUNS = Metric("trainwatch_runs", "Runs that it watches.", _nothing, "runs", ())
OF_WATCHER = (BUILD, HEARTBEAT, RUNS)
METRICS = (*OF_WATCHER, *OF_RUN, *OF_DISK, *OF_ROUTE)
