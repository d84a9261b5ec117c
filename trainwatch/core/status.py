"""From a run's state to what people and scripts read: the status."""

import math

from msgspec.structs import replace

from trainwatch.core import allocations, formulas
from trainwatch.core.columns import Columns
from trainwatch.core.derived import shape_of
from trainwatch.core.ending import end_of
from trainwatch.core.facts import Facts
from trainwatch.core.figures import Figures, figures_of
from trainwatch.core.health import health_of
from trainwatch.core.model.observations import CheckpointReading
from trainwatch.core.model.state import Attempt, RunState
from trainwatch.core.model.status import AttemptStatus, CheckpointStatus, Status
from trainwatch.core.tally import of_attempt, of_run

_MOST_ALLOCATIONS = 20
_MOST_LISTED = 200  # checkpoints
_SIZE_TOLERANCE = 0.10


def status_of(
    state: RunState,
    recent: Columns,
    configured: Facts,
    now: float,
    *,
    figures: Figures | None = None,
    **watcher: object,
) -> Status:
    """The status of a run at `now`. `watcher` are the fields that the watcher knows of itself.

    `figures` are those of the state, where they are known: they do not depend on the time.
    """
    figures = figures or figures_of(state, recent, configured)
    facts, speed = figures.facts, figures.speed
    health = health_of(state, figures, now)
    validation = state.validation
    status = Status(
        run=state.run,
        health=health.level,
        reason=health.reason,
        phase=state.phase,
        phase_since=state.phase_since.at if state.phase_since else None,
        framework=facts.framework,
        log=state.log or None,
        iteration=figures.iteration,
        target_iteration=figures.target_iteration,
        progress=figures.progress.share if figures.progress else None,
        progress_unit=figures.progress.unit if figures.progress else None,
        eta_s=figures.eta_s if health.level in ("ok", "critical") else None,
        eta_unknown=figures.eta_unknown or None,
        step_time_s=speed.step_time_s,
        usual_step_time_s=figures.usual_step_time_s,
        tflops=speed.tflops,
        tflops_exact=speed.exact if speed.tflops is not None else None,
        mfu=speed.mfu,
        samples_per_s=speed.samples_per_s,
        tokens_per_s=speed.tokens_per_s,
        loss=_finite(figures.loss),
        loss_is_nan=figures.loss_is_nan,
        grad_norm=_finite(figures.grad_norm),
        learning_rate=_finite(figures.learning_rate),
        global_batch_size=figures.global_batch_size,
        consumed_samples=figures.consumed_samples,
        consumed_tokens=figures.consumed_tokens,
        last_progress_at=figures.last_progress_at,
        parameters=facts.parameters,
        gpus=facts.gpus,
        gpu_type=facts.gpu_type,
        peak_tflops=facts.peak_tflops,
        nodes=facts.nodes,
        tensor_parallel=facts.tensor_parallel,
        pipeline_parallel=facts.pipeline_parallel,
        data_parallel=facts.data_parallel,
        micro_batch_size=facts.micro_batch_size,
        seq_length=facts.seq_length,
        precision=facts.precision,
        save_interval=facts.save_interval,
        attempts=attempts_of(state),
        checkpoint=_checkpoint(state, facts),
        iterations_at_risk=figures.iterations_at_risk,
        hours_at_risk=None if figures.at_risk_s is None else figures.at_risk_s / 3600,
        gpu_hours_at_risk=figures.at_risk_gpu_hours,
        validation_loss=_finite(validation.values.get("loss")) if validation else None,
        validation_iteration=validation.iteration if validation else None,
        skipped_iterations=of_run(state).skipped,
        torn_lines=state.counters.torn,
        queue=state.queue,
        processes=state.processes,
        allocations=state.allocations[-_MOST_ALLOCATIONS:],
        predictions=state.predictions,
        warnings=warnings_of(state, figures, configured),
        sources=figures.sources,
    )
    return replace(status, **watcher) if watcher else status


def attempts_of(state: RunState) -> tuple[AttemptStatus, ...]:
    """Every attempt, the running one with its open iteration."""
    return tuple(_attempt(state, attempt) for attempt in state.attempts)


def warnings_of(state: RunState, figures: Figures, configured: Facts) -> tuple[str, ...]:
    """What does not fit together, each in a sentence."""
    found = []
    shape = _logged_size(state, figures.facts)
    wanted = configured.parameters
    if wanted and shape and abs(shape / wanted - 1) > _SIZE_TOLERANCE:
        found.append(
            f"the model in the log has {shape / 1e9:.4g} B parameters, "
            f"the configuration says {wanted / 1e9:.4g} B"
        )
    tflops, peak = figures.speed.tflops, figures.facts.peak_tflops
    if tflops and peak and tflops > peak:
        found.append(
            f"{tflops:.0f} TFLOPs a GPU is more than a {figures.facts.gpu_type or 'GPU'} can do "
            f"({peak:.0f}): the GPUs, batch size or model size must be wrong"
        )
    return tuple(found)


def _logged_size(state: RunState, facts: Facts) -> float | None:
    """Parameters by the shape in the log, whatever the configuration says."""
    shape = shape_of(facts)
    return formulas.model_size(shape) if shape else state.facts.parameters


def _attempt(state: RunState, attempt: Attempt) -> AttemptStatus:
    tally = of_attempt(state, attempt.index)
    is_last = attempt is state.attempts[-1]
    moved = tally.records > 0 or (is_last and state.bar is not None)
    cause = attempt.fault or attempt.cascade
    began_at = attempt.began_at.at if attempt.began_at else None
    last_at = attempt.last_at.at if attempt.last_at else None
    given = allocations.of_attempt(state.allocations, attempt.job_id, began_at, last_at)
    end = end_of(attempt, moved=moved) or (allocations.end_of(given) if given else None)
    return AttemptStatus(
        index=attempt.index,
        began_at=began_at,
        last_at=last_at,
        first_iteration=tally.first_iteration,
        last_iteration=tally.last_iteration,
        records=tally.records,
        retrained=tally.retrained,
        gpus=attempt.facts.gpus,
        job_id=attempt.job_id or (given.job_id if given else None),
        nodes=given.nodes or None if given else None,
        end=end or ("unknown" if not is_last else None),
        cause=f"{cause.kind}: {cause.text}"
        if cause
        else attempt.died.said
        if attempt.died
        else None,
    )


def _checkpoint(state: RunState, facts: Facts) -> CheckpointStatus | None:
    save = state.save
    if save.iteration is None and state.checkpoints is None:
        return None
    return CheckpointStatus(
        iteration=save.iteration,
        at=save.at.at if save.at else None,
        duration_s=save.duration_s,
        path=save.path or None,
        expected_bytes=formulas.checkpoint_bytes(facts.parameters) if facts.parameters else None,
        listed=_listed(state.checkpoints),
    )


def _listed(reading: CheckpointReading | None) -> CheckpointReading | None:
    """The newest of them: a status is bounded in size, however many there are."""
    return reading and replace(reading, found=reading.found[-_MOST_LISTED:])


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
