"""Whether a run is well, as far as its log alone can say. Unknown is never health and never death."""

from typing import Literal, NamedTuple

from trainwatch.core.ending import end_of
from trainwatch.core.figures import Figures
from trainwatch.core.model.state import RunState

Level = Literal["ok", "warning", "critical", "unknown"]
_GRIM = frozenset({"crashed", "out-of-memory", "node-failure", "killed", "failed", "unknown"})
_FLOOR_S = 900.0  # silence that is never remarked upon
_STEPS = 10  # iterations' worth of silence that is not either
_OTHER_PHASES_S = 3600.0  # evaluating, saving and starting up have their own budgets


class Health(NamedTuple):
    """A level, and the reason in a sentence."""

    level: Level
    reason: str


def health_of(state: RunState, figures: Figures, now: float) -> Health:
    """The health of a run at `now`."""
    died = state.attempts[-1].died if state.attempts else None
    if not state.speaks and died is None:
        return Health("unknown", "blind: the log holds no format trainwatch knows")
    attempt = state.attempts[-1]
    end = end_of(attempt, moved=state.open is not None or state.bar is not None)
    if end == "completed":
        return Health("ok", "training is complete")
    if end is not None:
        return _ended(state, end)
    if figures.loss_is_nan:
        return Health("critical", f"the loss is NaN at iteration {figures.iteration}")
    return _alive(state, figures, now)


def _ended(state: RunState, end: str) -> Health:
    attempt = state.attempts[-1]
    cause = attempt.fault or attempt.cascade
    where = f" on {cause.node}" if cause and cause.node else ""
    told = [text for text in (attempt.died and attempt.died.said, cause and cause.text) if text]
    why = f": {'; '.join(told)}" if told else ""
    if end in _GRIM:
        return Health("critical", f"attempt {attempt.index + 1} ended: {end}{where}{why}")
    return Health(
        "warning",
        f"not running: attempt {attempt.index + 1} ended ({end}){why if attempt.died else ''}",
    )


def _alive(state: RunState, figures: Figures, now: float) -> Health:
    seen = figures.last_progress_at
    if seen is None and state.phase_since is not None:
        seen = state.phase_since.at
    if seen is None:
        return Health("unknown", "the log tells no time: whether it goes on shows when it grows")
    silence = now - seen
    step_s = figures.speed.step_time_s or 0.0
    budget = max(_FLOOR_S, _STEPS * step_s)
    if state.phase not in ("train", "unknown"):
        budget = max(budget, _OTHER_PHASES_S)
    if silence > budget:
        return Health("unknown", "the log just stops: neither dead nor alive")
    if figures.iteration is None:
        return Health("ok", f"{state.phase}: no iteration yet")
    return Health("ok", "training" if state.phase == "train" else state.phase)
