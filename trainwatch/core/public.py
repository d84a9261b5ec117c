"""From a status to what outsiders may know: only what is named here, and no text but our own words.

The trap: a log, a scheduler and a configuration all write texts into a status. A number may pass as it is; a
text passes only if it is one of a vocabulary, so that nothing has to be found and taken out.
"""

import math
from collections.abc import Container, Iterable, Sequence
from typing import Any, get_args

from trainwatch.core import attempts as joined
from trainwatch.core import ending, health
from trainwatch.core.formulas import PEAK_TFLOPS
from trainwatch.core.journal import FIRING, severity_of
from trainwatch.core.logs.table import FORMATS
from trainwatch.core.model.alerts import SEVERITIES
from trainwatch.core.model.goodput import PARTS, Hours
from trainwatch.core.model.public import (
    PublicAlert,
    PublicAttempt,
    PublicHours,
    PublicStatus,
    Shown,
)
from trainwatch.core.model.state import Event, Phase
from trainwatch.core.model.status import AttemptStatus, Status
from trainwatch.core.rules.table import RULES

MOST_ATTEMPTS, MOST_ALERTS = 200, 50
OWN = "own"  # a rule, or a log format, that the user wrote

_RULES = frozenset((*(rule.name for rule in RULES), "watcher-down"))
_FRAMEWORKS = frozenset((*(each.name for each in FORMATS), "megatron-deepspeed"))
_PRECISIONS = frozenset({"float32", "float16", "bfloat16", "fp8"})
_UNITS = frozenset({"tokens", "samples", "iterations"})
_RESOLVED = "alert-resolved"

_ALWAYS = (
    "phase_since", "last_progress_at", "iteration", "target_iteration", "progress", "eta_s",
    "consumed_samples", "consumed_tokens", "global_batch_size", "seq_length", "parameters",
    "step_time_s", "samples_per_s", "tokens_per_s",
)  # fmt: skip
_LEARNING = (
    "loss", "loss_is_nan", "grad_norm", "learning_rate", "validation_loss", "validation_iteration",
    "skipped_iterations",
)  # fmt: skip
_HARDWARE = (
    "gpus", "nodes", "peak_tflops", "tflops", "mfu", "tensor_parallel", "pipeline_parallel",
    "data_parallel", "micro_batch_size",
)  # fmt: skip


def public_of(
    status: Status,
    shown: Shown,
    now: float,
    *,
    hours: Hours | None = None,
    events: Iterable[Event] = (),
) -> PublicStatus:
    """What may be known of a run. `events`: the journal, for alerts that are over."""
    told: dict[str, Any] = {}
    for group, wanted in ((_ALWAYS, True), (_LEARNING, shown.loss), (_HARDWARE, shown.hardware)):
        told |= {name: _number(getattr(status, name)) for name in group} if wanted else {}
    if shown.hardware:
        told["framework"] = _word(status.framework, _FRAMEWORKS, OWN)
        told["gpu_type"] = _word(status.gpu_type, PEAK_TFLOPS)
        told["precision"] = _word(status.precision, _PRECISIONS)
    if shown.attempts:
        told["attempts"] = len(status.attempts)
        told["last_attempts"] = _attempts(status.attempts)
        told["hours"] = _hours(hours)
    if shown.alerts:
        told["alerts"] = _firing(status)
        told["past_alerts"] = past_alerts(events)
    saved = status.checkpoint
    return PublicStatus(
        name=shown.name,
        made_at=now,
        seen_at=_number(status.heartbeat_at),
        health=_word(status.health, get_args(health.Level)) or "unknown",
        phase=_word(status.phase, get_args(Phase)) or "unknown",
        progress_unit=_word(status.progress_unit, _UNITS),
        checkpoint_iteration=_number(saved.iteration) if saved else None,
        checkpoint_at=_number(saved.at) if saved else None,
        **told,
    )


def past_alerts(events: Iterable[Event]) -> tuple[PublicAlert, ...]:
    """The last alerts of a journal that are over, oldest first."""
    fired, over = dict[str, Event](), list[PublicAlert]()
    for event in events:
        if event.kind == FIRING:
            fired[_which(event)] = event
        elif event.kind == _RESOLVED and (began := fired.pop(_which(event), None)) is not None:
            rule = _which(event).partition(" ")[0]
            over.append(_alert(rule, severity_of(began), began.at, event.at))
    return tuple(over[-MOST_ALERTS:])


def _number(value: Any) -> Any:
    """A number, or None: whatever else a field may come to hold one day is not passed on."""
    if not isinstance(value, (bool, int, float)):
        return None
    return value if math.isfinite(value) else None


def _word(value: str | None, known: Container[str], other: str | None = None) -> str | None:
    """One of our words; `other` for a text that is none of them."""
    if value is None:
        return None
    return value if value in known else other


def _attempts(found: Sequence[AttemptStatus]) -> tuple[PublicAttempt, ...]:
    entries = joined.history(found, ())[-MOST_ATTEMPTS:]
    return tuple(_attempt(entry) for entry in entries if entry.attempt is not None)


def _attempt(entry: joined.Entry) -> PublicAttempt:
    attempt = entry.attempt
    assert attempt is not None
    return PublicAttempt(
        number=attempt.index + 1,
        began_at=_number(entry.begin),
        ended_at=_number(entry.end),
        first_iteration=_number(attempt.first_iteration),
        last_iteration=_number(attempt.last_iteration),
        new=_number(entry.new),
        again=_number(entry.again),
        lost=_number(entry.lost),
        end=_word(attempt.end, get_args(ending.End), "unknown"),
    )


def _hours(hours: Hours | None) -> PublicHours | None:
    told = hours.told if hours is not None else None
    if told is None:
        return None
    return PublicHours(
        begin=told.begin,
        end=told.end,
        held_s=told.held_s,
        goodput=told.goodput,
        seconds={part: told.seconds.get(part, 0.0) for part in PARTS},
        failures=told.failures,
    )


def _firing(status: Status) -> tuple[PublicAlert, ...]:
    return tuple(_alert(one.rule, one.severity, one.since) for one in status.alerts[:MOST_ALERTS])


def _alert(
    rule: str, severity: str, since: float | None, until: float | None = None
) -> PublicAlert:
    return PublicAlert(
        rule=rule if rule in _RULES else OWN,
        severity=severity if severity in SEVERITIES else "warning",
        since=_number(since),
        until=_number(until),
    )


def _which(event: Event) -> str:
    """What tells alerts of a journal apart, as `journal.as_event` writes it: the rule, and its key if any."""
    return event.text.partition(" ")[2].partition(":")[0]
