"""One log as one row of a report: what ran, how fast, how it ended.

Part of the interface (`report --format json`): the first keys are fixed, others are added behind them, none
is renamed. Unknown is null, units are SI and in the names.
"""

import math

import msgspec
from msgspec.structs import replace

from trainwatch.core import derived, formulas
from trainwatch.core.ending import End, end_of
from trainwatch.core.facts import Facts, Value, learn
from trainwatch.core.model.state import RunState
from trainwatch.core.overall import mean_speed
from trainwatch.core.speed import Speed
from trainwatch.core.tally import of_run

SCHEMA_VERSION = 1
_FLOOR_S = 900.0  # a log that told of an iteration so lately is of a running job
_STEPS = 10


class ReportRow(msgspec.Struct, frozen=True, kw_only=True):
    """One log."""

    log: str
    framework: str | None = None
    job_id: str | None = None
    gpus: int | None = None
    nodes: int | None = None
    model_size_b: float | None = None  # 1e9 parameters
    tp: int | None = None
    pp: int | None = None
    dp: int | None = None
    mbs: int | None = None
    gbs: int | None = None  # after any ramp-up; where the log tells none, that of the last record
    seq_length: int | None = None
    attempts: int = 0
    iterations: int = 0  # records that were read, each once
    first_iteration: int | None = None
    last_iteration: int | None = None
    step_time_s: float | None = None  # mean over the records
    step_time_median_s: float | None = None
    tflops: float | None = None  # a GPU
    tokens_per_s: float | None = None
    mfu: float | None = None  # 0..1
    loss: float | None = None  # the last
    skipped: int | None = None  # iterations, as the job counts them
    end: End = "unknown"
    days: float | None = None  # to train the tokens that were asked for
    tflops_exact: bool | None = None  # by the model's shape, not by its number of parameters
    gpu_type: str | None = None
    cause: str | None = None  # the line that ended it
    nan_losses: int = 0
    retrained: int = 0  # records of iterations that an earlier attempt had completed
    saves: int = 0
    save_time_s: float | None = None  # mean
    save_time_max_s: float | None = None
    checkpoint_bytes: float | None = None  # expected, by the number of parameters
    bar_step: int | None = None  # of logs that hold nothing but a progress bar
    bar_total: int | None = None
    bar_step_time_s: float | None = None
    torn_lines: int = 0
    log_bytes: int | None = None
    error: str | None = None  # why the log could not be read
    schema_version: int = SCHEMA_VERSION


KEYS = ReportRow.__struct_fields__


def row_of(
    state: RunState,
    median_s: float | None,
    *,
    now: float,
    logged: dict[str, float] | None = None,
    configured: Facts | None = None,
    named: dict[str, Value] | None = None,
    tokens: float | None = None,
) -> ReportRow:
    """The row of a log that was read into `state`.

    `logged` are means of what the records print of their speed, used where nothing can be computed.
    `named` are facts from the log's name, used where the log is silent; `tokens` asks for the days to
    train so many.
    """
    state = replace(state, facts=_completed(state.facts, named or {}))
    facts = derived.facts_of(state, configured or Facts())
    tally, save, bar = of_run(state), state.save, state.bar
    speed = mean_speed(state, facts, logged)
    parameters, rate = facts.parameters, speed.tokens_per_s
    return ReportRow(
        log=state.log,
        framework=facts.framework,
        job_id=_job_id(state) or _text((named or {}).get("job_id")),
        gpus=facts.gpus,
        nodes=facts.nodes,
        model_size_b=None if parameters is None else parameters / 1e9,
        tp=facts.tensor_parallel,
        pp=facts.pipeline_parallel,
        dp=facts.data_parallel,
        mbs=facts.micro_batch_size,
        gbs=facts.global_batch_size or _last_batch(state),
        seq_length=facts.seq_length,
        attempts=len(state.attempts),
        iterations=tally.records,
        first_iteration=tally.first_iteration,
        last_iteration=tally.last_iteration,
        step_time_s=speed.step_time_s,
        step_time_median_s=median_s,
        tflops=speed.tflops,
        tokens_per_s=rate,
        mfu=speed.mfu,
        loss=_finite(tally.loss),
        skipped=round(tally.skipped),
        end=end_of_log(state, speed, now),
        days=formulas.train_time_days(tokens, rate) if tokens and rate else None,
        tflops_exact=speed.exact if speed.tflops is not None else None,
        gpu_type=facts.gpu_type,
        cause=_cause(state),
        nan_losses=tally.nan_losses,
        retrained=tally.retrained,
        saves=save.count,
        save_time_s=save.duration_sum_s / save.timed if save.timed else None,
        save_time_max_s=save.duration_max_s if save.timed else None,
        checkpoint_bytes=formulas.checkpoint_bytes(parameters) if parameters else None,
        bar_step=bar.done if bar else None,
        bar_total=bar.total if bar else None,
        bar_step_time_s=bar.step_time_s if bar else None,
        torn_lines=state.counters.torn,
    )


def end_of_log(state: RunState, speed: Speed, now: float) -> End:
    """How the last attempt ended; `failed` only where the whole log reached no iteration."""
    if not state.attempts:
        return "unknown"
    moved = state.bar is not None or of_run(state).records > 0
    end = end_of(state.attempts[-1], moved=moved)
    if end is not None:
        return end
    time = state.open.time if state.open else None
    if time is None or time.source != "stamp":
        return "unknown"
    budget = max(_FLOOR_S, _STEPS * (speed.step_time_s or 0.0))
    return "running" if abs(now - time.at) <= budget else "unknown"


def _completed(facts: Facts, named: dict[str, Value]) -> Facts:
    """The facts with those from the name that the log does not tell."""
    for key, value in named.items():
        if key in Facts.__struct_fields__ and getattr(facts, key) is None:
            facts = learn(facts, key, value, "derived")
    split = (facts.tensor_parallel, facts.pipeline_parallel, facts.data_parallel)
    if named and facts.gpus is None and all(split):
        facts = learn(facts, "gpus", math.prod(n or 1 for n in split), "derived")
    accumulated, micro = named.get("accumulation"), facts.micro_batch_size
    if facts.global_batch_size is None and isinstance(accumulated, int) and micro:
        batch = accumulated * micro * (facts.data_parallel or 1)
        facts = learn(facts, "global_batch_size", batch, "derived")
    return facts


def _last_batch(state: RunState) -> int | None:
    batch = state.open.values.get("global_batch_size") if state.open else None
    return round(batch) if batch and math.isfinite(batch) else None


def _job_id(state: RunState) -> str | None:
    ids = (attempt.job_id for attempt in reversed(state.attempts))
    return next((job_id for job_id in ids if job_id), None)


def _cause(state: RunState) -> str | None:
    last = state.attempts[-1] if state.attempts else None
    fault = (last.fault or last.cascade) if last else None
    if fault is None:
        return None
    where = f" (on {fault.node})" if fault.node else ""
    return f"{fault.kind}{where}: {fault.text}" if fault.text else f"{fault.kind}{where}"


def _text(value: Value | None) -> str | None:
    return None if value is None else str(value)


def _finite(value: float | None) -> float | None:
    return value if value is not None and math.isfinite(value) else None
