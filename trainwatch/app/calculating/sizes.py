"""calc model-size, checkpoint-size, model-flops, peaks: how large."""

from typing import Any

import click

from trainwatch.app.calculating import options
from trainwatch.app.calculating.answers import Value, bytes_of, fixed, say, whole
from trainwatch.core import advice, formulas
from trainwatch.core.errors import ExitCode


@click.command("model-size")
@options.shape
@options.seq
@options.json
def model_size(seq: int, as_json: bool, **shape: Any) -> ExitCode:
    """Parameters of a GPT-like model.

    \b
    Example:
      trainwatch calc model-size --layers 36 --hidden 4096 --seq 512
    """
    model = options.needed("model-size", seq, **shape)
    values = [fixed("parameters", formulas.model_size(model), "B", scale=1e9)]
    return say(values, advice.on_shape(model), as_json)


@click.command("checkpoint-size")
@click.option(
    "--params", type=options.PARAMS, required=True, help="Parameters: 13B, 13e9, or 13 (billions)."
)
@options.json
def checkpoint_size(params: float, as_json: bool) -> ExitCode:
    """Bytes: 14 a parameter, 2 of them weights.

    \b
    Example:
      trainwatch calc checkpoint-size --params 176B
    """
    whole_bytes = formulas.checkpoint_bytes(params)
    weights = formulas.checkpoint_bytes(params, weights_only=True)
    return say([bytes_of("bytes", whole_bytes), bytes_of("weights_bytes", weights)], [], as_json)


@click.command("model-flops")
@options.shape
@options.seq
@options.json
def model_flops(seq: int, as_json: bool, **shape: Any) -> ExitCode:
    """FLOPs a sample needs, forward and backward.

    Recomputed activations are not counted.

    \b
    Example:
      trainwatch calc model-flops --layers 96 --hidden 12288 --vocab 51200
    """
    model = options.needed("model-flops", seq, **shape)
    parts, sample = formulas.model_flops_per_token(model), formulas.model_flops_per_sample(model)
    values = [
        Value("flops_per_sample", sample, f"{sample:.4e} FLOPs   ({sample:,.0f})"),
        whole("attention_per_token", parts.attention, "FLOPs"),
        whole("mlp_per_token", parts.mlp, "FLOPs"),
        whole("logits_per_token", parts.logits, "FLOPs"),
    ]
    return say(values, advice.on_shape(model), as_json)


@click.command()
@click.argument("gpu_type", required=False)
@options.json
def peaks(gpu_type: str | None, as_json: bool) -> ExitCode:
    """Dense peak TFLOPs of GPUs.

    \b
    Example:
      trainwatch calc peaks V100
    """
    known = [gpu_type.upper()] if gpu_type else list(formulas.PEAK_TFLOPS)
    values = []
    for name in known:
        dense, fp8 = formulas.PEAK_TFLOPS[options.known_gpu(name)]
        values.append(Value(name, dense, f"{dense:g} TFLOPs"))
        if fp8 is not None:
            values.append(Value(f"{name} fp8", fp8, f"{fp8:g} TFLOPs"))
    return say(values, [], as_json)
