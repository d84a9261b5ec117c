"""Facts that follow from other facts: data parallelism, nodes, model size, the GPU's peak."""

from trainwatch.core import formulas
from trainwatch.core.facts import Facts, Value, learn
from trainwatch.core.formulas import Shape
from trainwatch.core.model.state import RunState

_SIZE_TOLERANCE = 0.05  # between the size that is logged and the one of the logged shape
_ROUGHLY_SAID = 1e9  # below, `0.05` billion is too few digits to compare with


def facts_of(state: RunState, configured: Facts) -> Facts:
    """Everything that is known of the run: the log's word, the configuration's over it, and what follows."""
    facts = state.facts
    for key in configured.sources:
        facts = learn(facts, key, getattr(configured, key), "config")
    if facts.gpus is None and facts.nodes and facts.gpus_per_node:
        facts = learn(facts, "gpus", facts.nodes * facts.gpus_per_node, "derived")
    follows: dict[str, Value | None] = {
        "framework": _framework(state, facts),
        "data_parallel": _data_parallel(facts),
        "nodes": _nodes(facts),
        "peak_tflops": formulas.peak_tflops(facts.gpu_type, facts.precision),
    }
    for key, value in follows.items():
        if getattr(facts, key) is None and value is not None:
            facts = learn(facts, key, value, "derived")
    shape = shape_of(facts)
    if shape is not None and facts.parameters is None:
        facts = learn(facts, "parameters", formulas.model_size(shape), "derived")
    return facts


def shape_of(facts: Facts) -> Shape | None:
    """The model's shape, when layers, hidden size, vocabulary and sequence length are known.

    A mixture of experts has none: the formulas are of dense models, and a wrong number is worse than none.
    Neither has a model whose size the log gives quite otherwise: something of its shape is not known.
    """
    layers, hidden = facts.num_layers, facts.hidden_size
    vocab, seq = facts.vocab_size, facts.seq_length
    if not (layers and hidden and vocab and seq) or (facts.experts or 0) > 1:
        return None
    shape = Shape(
        layers=layers,
        hidden=hidden,
        vocab=vocab,
        seq=seq,
        ffn=facts.ffn_hidden_size,
        heads=facts.num_attention_heads,
        kv_heads=None if facts.grouped_query is False else facts.num_query_groups,
        glu=bool(facts.glu),
        untied=bool(facts.untied),
    )
    said = facts.parameters if facts.sources.get("parameters") == "log" else None
    if (
        said
        and said >= _ROUGHLY_SAID
        and abs(formulas.model_size(shape) / said - 1) > _SIZE_TOLERANCE
    ):
        return None
    return shape


def _framework(state: RunState, facts: Facts) -> str | None:
    formats = [attempt.format for attempt in state.attempts if attempt.format]
    if not formats:
        return None
    on_deepspeed = facts.deepspeed or facts.zero_stage is not None
    if formats[-1] == "megatron-lm" and on_deepspeed:
        return "megatron-deepspeed"
    return formats[-1]


def _data_parallel(facts: Facts) -> int | None:
    if not facts.gpus or not facts.tensor_parallel:
        return None
    each = facts.tensor_parallel * (facts.pipeline_parallel or 1) * (facts.context_parallel or 1)
    return facts.gpus // each if each and facts.gpus % each == 0 else None


def _nodes(facts: Facts) -> int | None:
    if not facts.gpus or not facts.gpus_per_node or facts.gpus % facts.gpus_per_node:
        return None
    return facts.gpus // facts.gpus_per_node
