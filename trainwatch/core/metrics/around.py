"""What is scraped of what is around runs: checkpoints, the queue, alerts, disks, and what is sent away."""

from collections.abc import Callable

from trainwatch.core.metrics.kinds import AT, S, checkpoint, disk, listed, queue, run, sync
from trainwatch.core.metrics.model import Found, Metric
from trainwatch.core.model.observations import Job
from trainwatch.core.model.status import Alert, Status

_H_S = 3600.0
_SEVERITIES = ("critical", "warning", "info")
MOST_RULES = 200  # with their severities, of one run
_QUEUED = {"RUNNING": "running", "PENDING": "pending"}
JOB_STATES = ("running", "pending", "other")


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


AROUND_RUN = (
    # checkpoints
    checkpoint(
        "checkpoint_iteration", "Iteration of the last complete checkpoint.", lambda c: c.iteration
    ),
    checkpoint(
        "checkpoint_timestamp_seconds",
        "When the last complete checkpoint was saved.",
        lambda c: c.at,
        AT,
    ),
    checkpoint(
        "checkpoint_duration_seconds",
        "How long saving the last complete checkpoint took.",
        lambda c: c.duration_s,
        S,
    ),
    run(
        "at_risk_iterations",
        "Iterations that a crash now would cost.",
        lambda s: s.iterations_at_risk,
    ),
    run(
        "at_risk_seconds",
        "Time that a crash now would cost.",
        lambda s: _hours(s.hours_at_risk),
        S,
    ),
    run(
        "at_risk_gpu_seconds",
        "Time of GPUs that a crash now would cost.",
        lambda s: _hours(s.gpu_hours_at_risk),
        "GPU-seconds",
    ),
    listed("checkpoints", "Checkpoints in their folder, where it is looked at.", lambda c: c.count),
    listed("checkpoints_complete", "Complete checkpoints in their folder.", lambda c: c.complete),
    listed("checkpoints_size_bytes", "Room that the checkpoints take.", lambda c: c.bytes, "bytes"),
    listed(
        "checkpoints_prunable_bytes",
        "Room that pruning as configured would free.",
        lambda c: c.prunable_bytes,
        "bytes",
    ),
    listed(
        "checkpoints_listing_timestamp_seconds",
        "When the folder of checkpoints was last listed.",
        lambda c: c.at,
        AT,
    ),
    # the queue
    queue(
        "queue_answers",
        "Whether the scheduler answered when it was last asked.",
        lambda q: float(q.state == "ok"),
        "0 or 1",
    ),
    queue(
        "queue_reading_timestamp_seconds", "When the scheduler was last asked.", lambda q: q.at, AT
    ),
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
        AT,
    ),
    queue(
        "queue_end_timestamp_seconds",
        "When the first job that runs reaches its limit.",
        lambda q: _first(q.jobs, "RUNNING", lambda job: job.end),
        AT,
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
        "Alerts that fire and that nobody is told of: acknowledged, silenced or the effect of another.",
        lambda s: _by_rule(_known(s), lambda alert: bool(alert.muted)),
        "alerts",
        ("run", "rule", "severity"),
    ),
    Metric(
        "trainwatch_alerts",
        "Alerts that fire, by severity; zero where none does.",
        _by_severity,
        "alerts",
        ("run", "severity"),
    ),
    run(
        "warnings",
        "Warnings: what is amiss on trainwatch's side.",
        lambda s: _if_seen(s, len(s.warnings)),
    ),
    run(
        "troubles",
        "Troubles: what of the run's world cannot be seen.",
        lambda s: _if_seen(s, len(s.troubles)),
    ),
)

OF_DISK = (
    disk(
        "size_bytes",
        "Size of the filesystem, or of the quota on it.",
        lambda d: d.bytes_total,
        "bytes",
    ),
    disk("free_bytes", "Room that is free on it.", lambda d: d.bytes_free, "bytes"),
    disk("inodes", "Inodes that it can have.", lambda d: d.inodes_total),
    disk("inodes_free", "Inodes that are free on it.", lambda d: d.inodes_free),
    disk("runway_seconds", "How long it lasts, from its reading on.", lambda d: d.runway_s, S),
    disk("reading_timestamp_seconds", "When the disk was last heard of.", lambda d: d.at, AT),
)

OF_ROUTE = (
    sync("ok", "Whether the last turn of the route ended well.", lambda r: float(r.ok), "0 or 1"),
    sync(
        "last_success_timestamp_seconds",
        "When all that was due had arrived by the route.",
        lambda r: r.last_ok_at,
        AT,
    ),
    sync(
        "failing_since_timestamp_seconds",
        "Since when the route fails.",
        lambda r: r.failing_since,
        AT,
    ),
    sync(
        "waiting_bytes",
        "What is due by the route and was not sent yet.",
        lambda r: r.waiting_bytes,
        "bytes",
    ),
    sync(
        "sent_bytes",
        "All that ever arrived by the route.",
        lambda r: r.sent_bytes,
        "bytes",
        "counter",
    ),
    sync(
        "sent_files",
        "All files that ever arrived by the route.",
        lambda r: r.sent_files,
        "files",
        "counter",
    ),
    sync("reading_timestamp_seconds", "When the last turn of the route ended.", lambda r: r.at, AT),
)
