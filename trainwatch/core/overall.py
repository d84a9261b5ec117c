"""How fast a whole log went: over all its records, whatever batch sizes and GPUs its attempts had.

The trap: a job that goes on with other GPUs. Its FLOPs are over the GPU-seconds it used, not over the GPUs
of its last attempt.
"""

from msgspec.structs import replace

from trainwatch.core.facts import Facts
from trainwatch.core.model.state import RunState
from trainwatch.core.speed import Speed, speed_of
from trainwatch.core.tally import of_attempt, of_run


def mean_speed(state: RunState, facts: Facts, logged: dict[str, float] | None = None) -> Speed:
    """Throughput over all records: their samples over their time, as the batch size may have ramped up.

    `logged` are the means of what they print of their speed, used where nothing can be computed; without
    them it is what the last one printed.
    """
    tally = of_run(state)
    if not tally.records:
        return Speed()
    said = {**(state.open.values if state.open else {}), **(logged or {})}
    if not tally.step_times:
        return speed_of(facts, None, None, said)
    mean = tally.step_time_sum_s / tally.step_times
    batch: float | None = facts.global_batch_size
    if tally.batch_sum and tally.batch_step_time_sum_s:
        batch = mean * tally.batch_sum / tally.batch_step_time_sum_s
    speed = speed_of(facts, batch, mean, said)
    gpus = _mean_gpus(state, facts)
    return speed if gpus is None or not facts.gpus else _on(speed, gpus / facts.gpus)


def _mean_gpus(state: RunState, facts: Facts) -> float | None:
    """GPUs over time, of the iterations; None where only one number of them is known."""
    if facts.sources.get("gpus") == "config":
        return None
    used = [
        (attempt.facts.gpus or facts.gpus or 0, of_attempt(state, index).step_time_sum_s)
        for index, attempt in enumerate(state.attempts)
    ]
    time_s = sum(seconds for _, seconds in used)
    if len({gpus for gpus, seconds in used if seconds}) < 2:
        # the last attempt may have reached nothing on its GPUs
        return next((float(gpus) for gpus, seconds in used if seconds), None)
    return sum(gpus * seconds for gpus, seconds in used) / time_s


def _on(speed: Speed, share: float) -> Speed:
    """What was computed for a GPU, on `share` times as many of them."""
    per_gpu = {
        key: getattr(speed, key) / share
        for key in ("tflops", "mfu")
        if speed.sources.get(key) == "derived" and share > 0 and share != 1
    }
    return replace(speed, **per_gpu)
