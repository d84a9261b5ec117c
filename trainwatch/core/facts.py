"""What a run is, read from its own log: shape, parallelism, batch size, targets. Needs no configuration.

Each fact knows where it came from: `log`, `config` (which overrides) or `derived`.
"""

from collections.abc import Callable, Mapping
from typing import Literal

import msgspec

from trainwatch.core.logs import text

Source = Literal["log", "config", "derived"]


class Facts(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What is known of a run or an attempt. Unknown is None."""

    framework: str | None = None
    gpus: int | None = None
    nodes: int | None = None
    gpus_per_node: int | None = None
    gpu_type: str | None = None
    peak_tflops: float | None = None  # dense TFLOPs a GPU at the run's precision
    precision: str | None = None  # float16, bfloat16, float32, fp8
    parameters: float | None = None
    num_layers: int | None = None
    hidden_size: int | None = None
    ffn_hidden_size: int | None = None
    num_attention_heads: int | None = None
    num_query_groups: int | None = None
    grouped_query: bool | None = None  # whether num_query_groups counts at all
    untied: bool | None = None  # the output layer has weights of its own
    vocab_size: int | None = None  # padded
    seq_length: int | None = None  # tokens
    glu: bool | None = None  # a gated MLP: three matrices instead of two
    experts: int | None = None
    recompute: bool | None = None  # activations are computed again in the backward pass
    tensor_parallel: int | None = None
    pipeline_parallel: int | None = None
    data_parallel: int | None = None
    context_parallel: int | None = None
    micro_batch_size: int | None = None  # samples
    global_batch_size: int | None = None  # samples an iteration, after any ramp-up
    rampup: tuple[int, int, int] | None = None  # start, increment (samples), ramp (samples)
    target_samples: int | None = None
    target_tokens: int | None = None
    target_iteration: int | None = None
    epochs: int | None = None
    save_interval: int | None = None  # iterations
    eval_interval: int | None = None  # iterations
    log_interval: int | None = None  # iterations
    exit_duration_min: float | None = None
    zero_stage: int | None = None
    deepspeed: bool | None = None
    save_path: str | None = None
    load_path: str | None = None
    tensorboard_path: str | None = None
    kill_switch_path: str | None = None
    profiled_tflops: float | None = None  # what DeepSpeed's flops profiler printed
    profiled_step_time_s: float | None = None
    profiled_samples_per_s: float | None = None
    sources: dict[str, Source] = {}


_TOO_MUCH = 2.0**63
_FIELDS = {field.name: field.type for field in msgspec.structs.fields(Facts)}
Value = int | float | str | bool | tuple[int, int, int]


def _flag(value: str) -> bool | None:
    return {"True": True, "False": False, "None": False}.get(value)


def _ramp(value: str) -> tuple[int, int, int] | None:
    parts = [text.whole(p.strip(" '\"[]").replace("_", "")) for p in value.split(",")]
    if len(parts) != 3 or None in parts:
        return None
    start, increment, samples = parts
    return (start or 0, increment or 0, samples or 0)


def _path(value: str) -> str | None:
    return None if value in ("None", "") else value


def _recomputed(value: str) -> bool:
    return value not in ("None", "False")


def _dtype(value: str) -> str | None:
    name = value.removeprefix("torch.")
    return name if name in ("float16", "bfloat16", "float32") else None


def _named(name: str) -> Callable[[str], str | None]:
    return lambda value: name if value == "True" else None


def _minutes(value: str) -> float | None:
    return text.number(value)


# key in the argument dump -> (fact, how to read it)
ARGUMENTS: Mapping[str, tuple[str, Callable[[str], Value | None]]] = {
    "num_layers": ("num_layers", text.whole),
    "hidden_size": ("hidden_size", text.whole),
    "ffn_hidden_size": ("ffn_hidden_size", text.whole),
    "num_attention_heads": ("num_attention_heads", text.whole),
    "num_query_groups": ("num_query_groups", text.whole),
    "group_query_attention": ("grouped_query", _flag),
    "untie_embeddings_and_output_weights": ("untied", _flag),
    "seq_length": ("seq_length", text.whole),
    "padded_vocab_size": ("vocab_size", text.whole),
    "swiglu": ("glu", _flag),
    "glu_activation": ("glu", _recomputed),
    "num_experts": ("experts", text.whole),
    "checkpoint_activations": ("recompute", _flag),
    "deepspeed_activation_checkpointing": ("recompute", _flag),
    "recompute_granularity": ("recompute", _recomputed),
    "tensor_model_parallel_size": ("tensor_parallel", text.whole),
    "model_parallel_size": ("tensor_parallel", text.whole),
    "pipeline_model_parallel_size": ("pipeline_parallel", text.whole),
    "data_parallel_size": ("data_parallel", text.whole),
    "context_parallel_size": ("context_parallel", text.whole),
    "world_size": ("gpus", text.whole),
    "micro_batch_size": ("micro_batch_size", text.whole),
    "batch_size": ("micro_batch_size", text.whole),
    "global_batch_size": ("global_batch_size", text.whole),
    "rampup_batch_size": ("rampup", _ramp),
    "deepspeed.train_batch_size": ("global_batch_size", text.whole),
    "deepspeed.train_micro_batch_size_per_gpu": ("micro_batch_size", text.whole),
    "deepspeed.fp16_enabled": ("precision", _named("float16")),
    "deepspeed.bfloat16_enabled": ("precision", _named("bfloat16")),
    "deepspeed.zero_optimization_stage": ("zero_stage", text.whole),
    "train_samples": ("target_samples", text.whole),
    "train_tokens": ("target_tokens", text.whole),
    "train_iters": ("target_iteration", text.whole),
    "save_interval": ("save_interval", text.whole),
    "eval_interval": ("eval_interval", text.whole),
    "log_interval": ("log_interval", text.whole),
    "exit_duration_in_mins": ("exit_duration_min", _minutes),
    "params_dtype": ("precision", _dtype),
    "bf16": ("precision", _named("bfloat16")),
    "fp16": ("precision", _named("float16")),
    "zero_stage": ("zero_stage", text.whole),
    "deepspeed": ("deepspeed", _flag),
    "save": ("save_path", _path),
    "load": ("load_path", _path),
    "tensorboard_dir": ("tensorboard_path", _path),
    "kill_switch_path": ("kill_switch_path", _path),
}


def argument(facts: Facts, key: str, value: str) -> Facts:
    """The facts after one line of an argument dump."""
    fact, read = ARGUMENTS[key]
    known = read(value)
    if known is None or (fact == "recompute" and known is False and facts.recompute):
        return facts  # recomputation has several switches: one that is on is enough
    return learn(facts, fact, known)


def learn(facts: Facts, key: str, value: Value, source: Source = "log") -> Facts:
    """The facts with one more. Keys that are no facts and values that cannot be are left out."""
    wanted = _FIELDS.get(key)
    if wanted is None or key == "sources":
        return facts
    try:
        typed = msgspec.convert(value, wanted, strict=False)
    except msgspec.ValidationError:
        return facts
    if not _can_be(typed):
        return facts
    if facts.sources.get(key) == source and getattr(facts, key) == typed:
        return facts
    return msgspec.structs.replace(facts, sources={**facts.sources, key: source}, **{key: typed})


def _can_be(value: object) -> bool:
    """Whether a number can count or measure something: a hostile one overflows what is made of it."""
    if isinstance(value, int | float):
        return 0 <= value < _TOO_MUCH
    return True


def overridden(facts: Facts, by: Facts) -> Facts:
    """The facts with everything that the configuration says in their place."""
    for key in by.sources:
        facts = learn(facts, key, getattr(by, key), "config")
    return facts


def configured(values: Mapping[str, Value]) -> Facts:
    """Facts from a configuration; the caller has checked keys and types."""
    facts = Facts()
    for key, value in values.items():
        facts = learn(facts, key, value, "config")
    return facts
