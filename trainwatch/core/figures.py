"""How a run is doing, in numbers: speed, progress, the way to go, what a crash would cost.

Every figure knows its source. Unknown is None.
"""

import msgspec

from trainwatch.core import derived, formulas
from trainwatch.core.columns import Columns
from trainwatch.core.facts import Facts, Source
from trainwatch.core.model.state import Row, RunState
from trainwatch.core.schedule import Progress, Rampup, eta_s
from trainwatch.core.speed import Speed, speed_of
from trainwatch.core.tally import of_run

RECENT = 50  # iterations that "now" is the median of
COLUMNS = ("step_time_s", "attempt", "global_batch_size")  # of history: all that is looked at


class Figures(msgspec.Struct, frozen=True, kw_only=True):
    """The numbers of a run now. `facts` holds what does not change."""

    facts: Facts
    iteration: int | None = None
    target_iteration: int | None = None
    speed: Speed = Speed()
    usual_step_time_s: float | None = None  # of the recent past before now, same batch size
    consumed_samples: float | None = None
    consumed_tokens: float | None = None
    global_batch_size: float | None = None
    loss: float | None = None
    loss_is_nan: bool = False
    grad_norm: float | None = None
    learning_rate: float | None = None
    progress: Progress | None = None
    eta_s: float | None = None
    eta_unknown: str = ""  # why there is none
    last_progress_at: float | None = None
    saved_iteration: int | None = None
    iterations_at_risk: int | None = None
    at_risk_s: float | None = None
    at_risk_gpu_hours: float | None = None
    sources: dict[str, Source] = {}


def figures_of(state: RunState, recent: Columns, configured: Facts) -> Figures:
    """All figures; `recent` are the last rows of history."""
    from statistics import median  # 3 ms that a report saves

    facts = derived.facts_of(state, configured)
    row = state.open
    values = row.values if row else {}
    step_times = _step_times(row, recent)
    now = median(step_times[-RECENT:]) if step_times else _bar_time(state)
    batch = values.get("global_batch_size") or facts.global_batch_size
    speed = speed_of(facts, batch, now, values)
    samples, tokens, sources = _consumed(facts, row)
    progress, unknown = _progress(state, facts, samples, tokens)
    risk = _at_risk(state)
    at_risk_s = None if risk is None or now is None else formulas.at_risk_s(risk, now)
    return Figures(
        facts=facts,
        iteration=_iteration(state),
        target_iteration=_target_iteration(state, facts) or _bar_total(state),
        speed=speed,
        usual_step_time_s=median(step_times[:-RECENT]) if len(step_times) > 2 * RECENT else None,
        consumed_samples=samples,
        consumed_tokens=tokens,
        global_batch_size=batch,
        loss=values.get("loss"),
        loss_is_nan=row is not None and bool(row.flags & 1),
        grad_norm=values.get("grad_norm"),
        learning_rate=values.get("learning_rate"),
        progress=progress,
        eta_s=eta_s(progress, _rate(progress, speed)),
        eta_unknown=unknown,
        last_progress_at=_last_progress(state),
        saved_iteration=state.save.iteration,
        iterations_at_risk=risk,
        at_risk_s=at_risk_s,
        at_risk_gpu_hours=at_risk_s * facts.gpus / 3600 if at_risk_s and facts.gpus else None,
        sources={**facts.sources, **speed.sources, **sources},
    )


def _step_times(row: Row | None, recent: Columns) -> list[float]:
    """Step times of this attempt and batch size, oldest first, up to and with the open row."""
    if row is None:
        return []
    attempt, batch = row.attempt, row.values.get("global_batch_size")
    step_times, attempts, batches = map(recent.column, COLUMNS)
    if attempts.count(attempt) == len(attempts) and (
        batch is None or batches.count(batch) == len(batches)
    ):
        times = [s for s in step_times if s == s]  # as nearly always: a fifth of the time
    else:
        times = [
            s
            for s, a, b in zip(step_times, attempts, batches, strict=True)
            if s == s and a == attempt and (batch is None or b == batch)
        ]
    last = row.values.get("step_time_s")
    return times if last is None else [*times, last]


def _bar_time(state: RunState) -> float | None:
    return state.bar.step_time_s if state.bar else None


def _bar_total(state: RunState) -> int | None:
    return state.bar.total if state.bar else None


def _iteration(state: RunState) -> int | None:
    known = [state.open.iteration] if state.open else []
    if state.bar:
        known.append(state.bar.done)
    return max(known) if known else of_run(state).last_iteration


def _consumed(
    facts: Facts, row: Row | None
) -> tuple[float | None, float | None, dict[str, Source]]:
    if row is None:
        return None, None, {}
    sources: dict[str, Source] = {}
    samples, tokens = row.values.get("consumed_samples"), row.values.get("consumed_tokens")
    if samples is not None:
        sources["consumed_samples"] = "log"
    elif facts.global_batch_size:
        samples = consumed_samples(facts, row.iteration)
        sources["consumed_samples"] = "derived"
    if tokens is not None:
        sources["consumed_tokens"] = "log"
    elif samples is not None and facts.seq_length:
        tokens = samples * facts.seq_length
        sources["consumed_tokens"] = "derived"
    return samples, tokens, sources


def consumed_samples(facts: Facts, iteration: int) -> float:
    """Samples trained after so many iterations, with the batch-size ramp-up the facts tell of."""
    final = facts.global_batch_size or 0
    if facts.rampup is None:
        return float(iteration * final)
    return float(Rampup(*facts.rampup, final).consumed(iteration))


def _progress(
    state: RunState, facts: Facts, samples: float | None, tokens: float | None
) -> tuple[Progress | None, str]:
    """How far, in tokens or samples; and why not, where it cannot be said."""
    target_iteration = _target_iteration(state, facts)
    if facts.target_tokens and tokens is not None:
        return Progress("tokens", tokens, facts.target_tokens), ""
    if facts.target_samples and samples is not None:
        return Progress("samples", samples, facts.target_samples), ""
    if target_iteration is None:
        bar = state.bar
        if bar is None or not bar.total:
            return None, "no target in the log; configure one"
        return Progress("iterations", bar.done, bar.total), ""
    if facts.global_batch_size and samples is not None:
        return Progress("samples", samples, consumed_samples(facts, target_iteration)), ""
    return _by_iteration(state, samples, target_iteration)


def _target_iteration(state: RunState, facts: Facts) -> int | None:
    """As configured, else as each record prints it, else as the argument dump says."""
    if facts.sources.get("target_iteration") == "config":
        return facts.target_iteration
    return state.target_iteration or facts.target_iteration


def _by_iteration(
    state: RunState, samples: float | None, target: int
) -> tuple[Progress | None, str]:
    """From `N/M` alone: only while every iteration was as large as this one."""
    row = state.open
    if row is None:
        bar = state.bar
        return (Progress("iterations", bar.done, target), "") if bar else (None, "")
    batch = row.values.get("global_batch_size")
    if batch and samples is not None and abs(samples - batch * row.iteration) > batch:
        return None, "the batch size changed and no target in samples or tokens is known"
    return Progress("iterations", row.iteration, target), ""


def _rate(progress: Progress | None, speed: Speed) -> float | None:
    if progress is None:
        return None
    if progress.unit == "tokens":
        return speed.tokens_per_s
    if progress.unit == "samples":
        return speed.samples_per_s
    return 1 / speed.step_time_s if speed.step_time_s else None


def _at_risk(state: RunState) -> int | None:
    """Iterations since the last complete checkpoint, or since what this attempt began from."""
    row = state.open
    if row is None:
        return None
    attempt = state.attempts[row.attempt]
    saved = state.save.iteration
    if saved is not None and saved <= row.iteration:
        return row.iteration - saved
    begun = 0 if attempt.fresh_weights else attempt.loaded_iteration
    if begun is None:
        first = attempt.tally.first_iteration
        begun = (row.iteration if first is None else first) - (attempt.facts.log_interval or 1)
    return max(0, row.iteration - max(0, begun))


def _last_progress(state: RunState) -> float | None:
    times = [state.open.time] if state.open and state.open.time else []
    if state.bar and state.bar.time:
        times.append(state.bar.time)
    return max(time.at for time in times) if times else None
