"""The options that several formulas share, and what they stand for together."""

from collections.abc import Callable
from typing import Any, TypeVar

import click

from trainwatch.app.amounts import COUNT, Parameters
from trainwatch.app.durations import DURATION
from trainwatch.core import formulas
from trainwatch.core.errors import UsageError
from trainwatch.core.formulas import Shape

F = TypeVar("F", bound=Callable[..., Any])
PARAMS = Parameters()


def _all(*options: Callable[[F], F]) -> Callable[[F], F]:
    def add(command: F) -> F:
        for option in reversed(options):
            command = option(command)
        return command

    return add


json = click.option("--json", "as_json", is_flag=True, help="The values in full, as JSON.")
params = click.option("--params", type=PARAMS, help="Parameters: 13B, 13e9, or 13 (billions).")
seq = click.option(
    "--seq", type=COUNT, default=2048, show_default=True, help="Sequence length, tokens."
)
gbs = click.option("--gbs", type=COUNT, required=True, help="Global batch size, samples.")
step_time = click.option(
    "--step-time", type=DURATION, required=True, help="Time of an iteration, s."
)
gpus = click.option("--gpus", type=COUNT, required=True, help="GPUs.")
gpu_type = click.option("--gpu-type", help="V100, A100, H100, ... (trainwatch calc peaks).")
recompute = click.option(
    "--recompute/--no-recompute",
    default=True,
    show_default=True,
    help="Of activations: k is 4, else 3.",
)
shape = _all(
    click.option("--layers", type=COUNT, help="Transformer layers."),
    click.option("--hidden", type=COUNT, help="Hidden size."),
    click.option(
        "--vocab", type=COUNT, default=50257, show_default=True, help="Vocabulary, padded."
    ),
    click.option("--ffn", type=COUNT, help="FFN size. Default: 4 * hidden."),
    click.option("--heads", type=COUNT, help="Attention heads, with --kv-heads."),
    click.option("--kv-heads", type=COUNT, help="Key-value heads. Default: all heads."),
    click.option("--glu", is_flag=True, help="A gated MLP (SwiGLU, GEGLU): three matrices."),
)


def shape_of(seq: int, **shape: Any) -> Shape | None:
    """The model's shape, None without layers and hidden size. Raises UsageError for half of one."""
    if (shape["layers"] is None) != (shape["hidden"] is None):
        raise UsageError("calc: --layers and --hidden go together")
    if (shape["heads"] is None) != (shape["kv_heads"] is None):
        raise UsageError("calc: --heads and --kv-heads go together")
    return None if shape["layers"] is None else Shape(seq=seq, **shape)


def needed(verb: str, seq: int, **shape: Any) -> Shape:
    """The model's shape. Raises UsageError without one."""
    model = shape_of(seq, **shape)
    if model is None:
        raise UsageError(f"calc {verb}: give --layers and --hidden")
    return model


def known_gpu(name: str) -> str:
    """A GPU as the table of peaks calls it. Raises UsageError for one it does not hold."""
    if name.upper() not in formulas.PEAK_TFLOPS:
        raise UsageError(f"unknown GPU {name!r}; known are {', '.join(formulas.PEAK_TFLOPS)}")
    return name.upper()


def peak_of(gpu_type: str | None, precision: str | None) -> float | None:
    """Dense peak TFLOPs of a GPU, None for none. Raises UsageError where the table has none."""
    if gpu_type is None:
        return None
    known = formulas.peak_tflops(known_gpu(gpu_type), precision)
    if known is None:
        raise UsageError(
            f"{gpu_type} has no {precision or '16-bit'} peak in the table; give --peak"
        )
    return known
