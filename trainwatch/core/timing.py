"""How long an iteration took and when it was completed, for the formats that do not print it."""

import math

from trainwatch.core import clocks
from trainwatch.core.columns import AT_DERIVED, STEP_TIME_DERIVED
from trainwatch.core.draft import Draft
from trainwatch.core.model.records import Iteration
from trainwatch.core.model.state import Row, Time


def step_time(draft: Draft, record: Iteration, number: int) -> tuple[dict[str, float], int]:
    """The values with a step time where one can be had, and the flag that says it was not printed."""
    values = record.values
    printed = values.get("step_time_s")
    if printed is not None:
        if 0 < printed < math.inf:
            return values, 0
        values = {k: v for k, v in values.items() if k != "step_time_s"}
    derived = _from_rates(draft, values) or _from_clock(draft, record, number, draft.state.open)
    if derived is None or not 0 < derived < math.inf:
        return values, 0
    return {**values, "step_time_s": derived}, STEP_TIME_DERIVED


def _from_rates(draft: Draft, values: dict[str, float]) -> float | None:
    """From samples or tokens a second, as measured by the job over its log interval."""
    facts = draft.state.facts
    batch = values.get("global_batch_size") or facts.global_batch_size
    tokens_per_s = values.get("tokens_per_s") or (
        values.get("tokens_per_s_per_gpu", 0.0) * (facts.gpus or 0)
    )
    if batch and (samples_per_s := values.get("samples_per_s")):
        return batch / samples_per_s
    if batch and tokens_per_s and facts.seq_length:
        return batch * facts.seq_length / tokens_per_s
    return None


def _from_clock(draft: Draft, record: Iteration, number: int, previous: Row | None) -> float | None:
    """From the time between two records; includes whatever else the job did in it."""
    if previous is None:
        return None
    steps = number - previous.iteration
    if record.elapsed_s is not None and previous.elapsed_s is not None:
        return (record.elapsed_s - previous.elapsed_s) / steps
    if record.stamp is not None and previous.stamped and previous.time is not None:
        at = clocks.stamped(record.stamp, draft.utc_offset_s, draft.seen_at).at
        return (at - previous.time.at) / steps
    return None


def completed_at(
    draft: Draft, record: Iteration, values: dict[str, float], steps: int
) -> tuple[Time | None, int]:
    """When the iteration was completed, and the flag that says it was added up."""
    told = draft.tell_time(record)
    if told is not None:
        return told, 0
    clock, step_time_s = draft.state.clock, values.get("step_time_s")
    if clock is None or step_time_s is None:
        return None, 0
    time = Time(added_up(draft, draft.state.open, clock.at, step_time_s * steps), "added-up")
    draft.set(clock=time)
    return time, AT_DERIVED


def added_up(draft: Draft, before: Row | None, clock_at: float, took_s: float) -> float:
    """When an iteration that took so long was completed, by the one before and by the clock.

    A stamp between the two, of a save or an overflow, may belong to this iteration's own end: it is not
    before that, and the time it took is counted from the one before. So the sum never runs ahead of the
    stamps, nor back behind the iteration before.
    """
    if before is None:
        began = draft.attempt.training_began_at
        at = clock_at + took_s if began is None else max(clock_at, began.at + took_s)
        return min(at, draft.seen_at)
    if before.time is None:
        return min(clock_at, draft.seen_at)
    at = min(max(clock_at, before.time.at + took_s), draft.seen_at)
    return max(at, before.time.at)
