"""calc tflops, mfu, tokens, train-time: how fast, and how long."""

from typing import Any

import click

from trainwatch.app.amounts import COUNT, POSITIVE
from trainwatch.app.calculating import options
from trainwatch.app.calculating.answers import fixed, say
from trainwatch.core import advice, formulas
from trainwatch.core.errors import ExitCode, UsageError


@click.command()
@options.params
@options.shape
@options.seq
@options.gbs
@options.step_time
@options.gpus
@options.recompute
@options.gpu_type
@options.json
def tflops(
    params: float | None,
    seq: int,
    gbs: int,
    step_time: float,
    gpus: int,
    recompute: bool,
    gpu_type: str | None,
    as_json: bool,
    **shape: Any,
) -> ExitCode:
    """TFLOPs a GPU.

    Exact from the model's shape, else quick from its parameters.

    \b
    Examples:
      trainwatch calc tflops --params 52B --seq 1024 --gbs 1024 --step-time 122 --gpus 64
      trainwatch calc tflops --layers 70 --hidden 14336 --vocab 250880 --gbs 2048 \\
          --step-time 105.22 --gpus 384
    """
    model = options.shape_of(seq, **shape)
    if model is not None:
        value = formulas.tflops(model, gbs, step_time, gpus, recompute)
    elif params is not None:
        value = formulas.tflops_quick(params, seq, gbs, step_time, gpus, recompute)
    else:
        raise UsageError("calc tflops: give --params, or --layers and --hidden")
    values = [fixed("tflops", value, "TFLOPs a GPU")]
    return say(values, advice.on_tflops(value, options.peak_of(gpu_type, None), gpu_type), as_json)


@click.command()
@options.params
@options.shape
@options.seq
@options.gbs
@options.step_time
@options.gpus
@click.option(
    "--model-flops", type=POSITIVE, help="FLOPs a sample; else from the shape, or 6 a parameter."
)
@click.option("--peak", type=POSITIVE, help="Peak TFLOPs a GPU; else of --gpu-type.")
@options.gpu_type
@click.option("--fp8", is_flag=True, help="The peak of --gpu-type in fp8.")
@options.json
def mfu(
    params: float | None,
    seq: int,
    gbs: int,
    step_time: float,
    gpus: int,
    model_flops: float | None,
    peak: float | None,
    gpu_type: str | None,
    fp8: bool,
    as_json: bool,
    **shape: Any,
) -> ExitCode:
    """Model FLOPs utilization.

    What the model needs over what the GPUs could do.

    \b
    Example:
      trainwatch calc mfu --model-flops 2.20e15 --gbs 256 --step-time 5.90 --gpus 128 --peak 1979
    """
    model, peak = (
        options.shape_of(seq, **shape),
        peak or options.peak_of(gpu_type, "fp8" if fp8 else None),
    )
    if peak is None:
        raise UsageError("calc mfu: give --peak (TFLOPs a GPU) or --gpu-type")
    if model_flops is None and model is not None:
        model_flops = formulas.model_flops_per_sample(model)
    elif model_flops is None and params is not None:
        model_flops = 6 * params * seq
    if model_flops is None:
        raise UsageError("calc mfu: give --model-flops, --layers and --hidden, or --params")
    share = formulas.mfu(gbs, model_flops, step_time, gpus, peak)
    return say([fixed("mfu", share, "%", scale=0.01)], advice.on_mfu(share), as_json)


@click.command()
@options.seq
@options.gbs
@options.step_time
@click.option("--tokens", type=POSITIVE, help="Add the days to train so many.")
@options.json
def tokens(seq: int, gbs: int, step_time: float, tokens: float | None, as_json: bool) -> ExitCode:
    """Tokens a second, over all GPUs.

    \b
    Example:
      trainwatch calc tokens --seq 2048 --gbs 256 --step-time 5.80 --tokens 1T
    """
    rate = formulas.tokens_per_s(seq, gbs, step_time)
    values = [fixed("tokens_per_s", rate, "tokens/s")]
    if tokens is not None and rate is not None:
        values.append(fixed("days", formulas.train_time_days(tokens, rate), "days"))
    return say(values, [], as_json)


@click.command("train-time")
@click.option("--tokens", type=POSITIVE, required=True, help="Tokens to train.")
@click.option("--tokens-per-s", type=POSITIVE, help="Measured speed.")
@options.params
@click.option("--gpus", type=COUNT, help="GPUs.")
@click.option("--tflops", type=POSITIVE, help="TFLOPs a GPU.")
@options.json
def train_time(
    tokens: float,
    tokens_per_s: float | None,
    params: float | None,
    gpus: int | None,
    tflops: float | None,
    as_json: bool,
) -> ExitCode:
    """Days to train so many tokens.

    At a measured speed, or planned from parameters, GPUs and TFLOPs.

    \b
    Examples:
      trainwatch calc train-time --tokens 1T --tokens-per-s 90394.48
      trainwatch calc train-time --tokens 300G --params 13B --gpus 256 --tflops 45
    """
    if tokens_per_s is not None:
        days = formulas.train_time_days(tokens, tokens_per_s)
    elif params is not None and gpus is not None and tflops is not None:
        days = formulas.train_time_planned_days(tokens, params, gpus, tflops)
    else:
        raise UsageError("calc train-time: give --tokens-per-s, or --params, --gpus and --tflops")
    return say([fixed("days", days, "days")], [], as_json)
