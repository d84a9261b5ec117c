"""Runs in every state that a screen shows, all by hand."""

import math
from array import array

from msgspec.structs import replace

from tests.app.tui.alarms import alarming
from tests.app.tui.histories import COLUMN_NAMES, NOW, TARGET, columns, history
from tests.app.tui.runs import ATTEMPTS, HEALTHY, STATUS
from trainwatch.core.model.snapshot import EMPTY, Page, Reading, Snapshot
from trainwatch.core.model.status import AttemptStatus, Status


def critical() -> Snapshot:
    """The loss is NaN, and the run is slow."""
    table = columns()
    for n in range(2, 60):
        table["loss"][-n], table["flags"][-n] = math.nan, 1.0
    table["loss"][-1] = math.inf
    status = replace(
        STATUS,
        health="critical",
        reason="the loss is NaN at iteration 2400",
        loss=None,
        loss_is_nan=True,
        step_time_s=118.0,
        iterations_at_risk=700,
        warnings=("the model in the log has 58.3 B parameters, the configuration says 104 B",),
    )
    return replace(HEALTHY, status=status, history=history(table))


def ended() -> Snapshot:
    """The last attempt crashed."""
    last = replace(
        ATTEMPTS[1], end="out-of-memory", cause="out-of-memory: killed by Slurm: oom-kill"
    )
    reason = "attempt 2 ended: out-of-memory on r7i6n0: killed by Slurm: oom-kill"
    status = replace(
        STATUS,
        health="critical",
        reason=reason,
        phase="exit",
        attempts=(ATTEMPTS[0], last),
        eta_s=None,
    )
    return replace(HEALTHY, status=status)


def complete() -> Snapshot:
    """It reached its target."""
    last = replace(ATTEMPTS[1], end="completed", last_iteration=TARGET)
    status = replace(
        STATUS,
        reason="training is complete",
        phase="exit",
        iteration=TARGET,
        progress=1.0,
        eta_s=0.0,
        attempts=(ATTEMPTS[0], last),
        iterations_at_risk=0,
        hours_at_risk=0.0,
        gpu_hours_at_risk=0.0,
    )
    return replace(HEALTHY, status=status)


def blind() -> Snapshot:
    """A log without a format."""
    status = Status(
        run="main_log",
        health="unknown",
        reason="blind: the log holds no format trainwatch knows",
        log="/gpfs/x/main_log.txt",
        log_bytes=100,
    )
    return Snapshot(taken_at=NOW, status=status, watching="here")


def missing() -> Snapshot:
    """No log yet."""
    page = Page(trouble="/gpfs/x/main_log.txt does not exist")
    status = Status(run="tr11", health="unknown", reason="/gpfs/x/main_log.txt does not exist")
    return Snapshot(taken_at=NOW, status=status, watching="here", page=page)


def reading() -> Snapshot:
    """A log of 10 GB is read for the first time."""
    status = replace(
        STATUS, health="unknown", reason="the log is being read: this is how it was", eta_s=None
    )
    progress = Reading(
        done_bytes=3_400_000_000, size_bytes=10_000_000_000, bytes_per_s=512e6, left_s=12.9
    )
    return replace(HEALTHY, status=status, reading=progress)


def many_attempts(count: int = 10_000) -> Snapshot:
    """A crash loop that nobody noticed."""
    attempts = tuple(
        AttemptStatus(
            index=n,
            began_at=NOW - (count - n) * 600,
            first_iteration=n + 1,
            last_iteration=n + 2,
            records=2,
            retrained=1,
            gpus=384,
            end="crashed",
            cause="cuda: RuntimeError",
        )
        for n in range(count)
    )
    table = {name: array("d") for name in COLUMN_NAMES}
    for n in range(count):
        for iteration in (n + 1, n + 2):
            for name in COLUMN_NAMES:
                table[name].append(
                    {"iteration": iteration, "attempt": n, "flags": 0}.get(name, 1.0)
                )
    return replace(HEALTHY, status=replace(STATUS, attempts=attempts), history=history(table))


STATES: dict[str, Snapshot] = {
    "empty": EMPTY,
    "critical": critical(),
    "alarming": alarming(),
    "ended": ended(),
    "complete": complete(),
    "blind": blind(),
    "missing": missing(),
    "reading": reading(),
}
