"""How fast iterations go: time, samples, tokens, TFLOPs, MFU.

Throughput is computed from batch size and time, never taken from the log when it can be had so.
"""

import msgspec

from trainwatch.core import derived, formulas
from trainwatch.core.facts import Facts, Source


class Speed(msgspec.Struct, frozen=True, kw_only=True):
    """How fast iterations of one batch size go."""

    step_time_s: float | None = None
    samples_per_s: float | None = None
    tokens_per_s: float | None = None
    tflops: float | None = None  # a GPU
    mfu: float | None = None  # 0..1
    exact: bool = False  # TFLOPs from the model's shape, not from its number of parameters
    sources: dict[str, Source] = {}


def speed_of(
    facts: Facts, batch: float | None, step_time_s: float | None, logged: dict[str, float]
) -> Speed:
    """Throughput, TFLOPs and MFU of iterations of `batch` samples that take `step_time_s`.

    `logged` is what the log says of them, used where nothing can be computed.
    """
    sources: dict[str, Source] = {}
    tokens_per_s = _tokens_per_s(facts, batch, step_time_s, logged, sources)
    tflops, exact = _tflops(facts, batch, step_time_s, tokens_per_s, logged, sources)
    samples_per_s = batch / step_time_s if batch and step_time_s else logged.get("samples_per_s")
    if step_time_s is not None:
        sources["step_time_s"] = "log"
    return Speed(
        step_time_s=step_time_s,
        samples_per_s=samples_per_s,
        tokens_per_s=tokens_per_s,
        tflops=tflops,
        mfu=_mfu(facts, batch, step_time_s, tokens_per_s, logged, sources),
        exact=exact,
        sources=sources,
    )


def _tokens_per_s(
    facts: Facts,
    batch: float | None,
    step_time_s: float | None,
    logged: dict[str, float],
    sources: dict[str, Source],
) -> float | None:
    per_iteration = logged.get("tokens_per_iteration")
    if batch and facts.seq_length:
        per_iteration = batch * facts.seq_length
    if per_iteration and step_time_s:
        sources["tokens_per_s"] = "derived"
        return per_iteration / step_time_s
    said = logged.get("tokens_per_s")
    if said is None and facts.gpus and "tokens_per_s_per_gpu" in logged:
        said = logged["tokens_per_s_per_gpu"] * facts.gpus
    if said is not None:
        sources["tokens_per_s"] = "log"
    return said


def _tflops(
    facts: Facts,
    batch: float | None,
    step_time_s: float | None,
    tokens_per_s: float | None,
    logged: dict[str, float],
    sources: dict[str, Source],
) -> tuple[float | None, bool]:
    shape, recompute = derived.shape_of(facts), bool(facts.recompute)
    if shape and batch and step_time_s and facts.gpus:
        sources["tflops"] = "derived"
        return formulas.tflops(shape, batch, step_time_s, facts.gpus, recompute), True
    if facts.parameters and tokens_per_s and facts.gpus and not (facts.experts or 0) > 1:
        sources["tflops"] = "derived"
        quick = formulas.tflops_quick(facts.parameters, 1, tokens_per_s, 1.0, facts.gpus, recompute)
        return quick, False
    if "tflops" in logged:
        sources["tflops"] = "log"
    return logged.get("tflops"), False


def _mfu(
    facts: Facts,
    batch: float | None,
    step_time_s: float | None,
    tokens_per_s: float | None,
    logged: dict[str, float],
    sources: dict[str, Source],
) -> float | None:
    shape, peak = derived.shape_of(facts), facts.peak_tflops
    known = facts.gpus and peak and not (facts.experts or 0) > 1
    if known and shape and batch and step_time_s:
        sources["mfu"] = "derived"
        per_sample = formulas.model_flops_per_sample(shape)
        return formulas.mfu(batch, per_sample, step_time_s, facts.gpus or 0, peak or 0.0)
    if known and facts.parameters and tokens_per_s:
        sources["mfu"] = "derived"
        return formulas.mfu(tokens_per_s, 6 * facts.parameters, 1.0, facts.gpus or 0, peak or 0.0)
    if "mfu" in logged:
        sources["mfu"] = "log"
    return logged.get("mfu")
