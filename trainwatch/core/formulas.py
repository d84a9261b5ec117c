"""The arithmetic of training: TFLOPs, MFU, tokens, sizes, times. Pure; `None` in, `None` out.

Sources: Narayanan et al. 2021, "Efficient Large-Scale Language Model Training on GPU Clusters" (model FLOPs);
the notes of the BigScience project (quick TFLOPs, checkpoint sizes); MLPerf's GPT-3 rules (FLOPs a sample).
tests/core/test_formulas.py holds every function to worked values.
"""

from typing import NamedTuple

BYTES_PER_PARAMETER_WEIGHTS = 2  # fp16 or bf16
BYTES_PER_PARAMETER_OPTIMIZER = 12  # Adam: 4 + 4 of moments, 4 of the fp32 master copy

# Dense peak TFLOPs a GPU: (16-bit, fp8). From the vendors' data sheets, without sparsity.
PEAK_TFLOPS: dict[str, tuple[float, float | None]] = {
    "P100": (21.2, None),
    "V100": (125.0, None),
    "T4": (65.0, None),
    "A10": (125.0, None),
    "A10G": (70.0, None),
    "A30": (165.0, None),
    "A40": (149.7, None),
    "A100": (312.0, None),
    "A800": (312.0, None),
    "L4": (121.0, 242.0),
    "L40": (181.0, 362.0),
    "L40S": (362.0, 733.0),
    "H100": (989.0, 1979.0),
    "H800": (989.0, 1979.0),
    "H200": (989.0, 1979.0),
    "H20": (148.0, 296.0),
    "GH200": (989.0, 1979.0),
    "B200": (2250.0, 4500.0),
    "B300": (2250.0, 4500.0),
    "GB200": (2500.0, 5000.0),
    "GB300": (2500.0, 5000.0),
    "MI210": (181.0, None),
    "MI250": (362.0, None),
    "MI250X": (383.0, None),
    "MI300A": (980.6, 1961.2),
    "MI300X": (1307.4, 2614.9),
    "MI325X": (1307.4, 2614.9),
    "MI355X": (2516.6, 5033.2),
}


class Shape(NamedTuple):
    """The size of a GPT-like model. `ffn` None is four times hidden; `kv_heads` None is all heads."""

    layers: int
    hidden: int
    vocab: int
    seq: int
    ffn: int | None = None
    heads: int | None = None
    kv_heads: int | None = None
    glu: bool = False
    untied: bool = False  # the output layer has weights of its own

    @property
    def mlp(self) -> float:
        """Weights of one MLP block in units of hidden**2: 8 for the usual one."""
        return (3 if self.glu else 2) * (self.ffn or 4 * self.hidden) / self.hidden

    @property
    def attention(self) -> float:
        """Weights of one attention block in units of hidden**2: 4 without grouped queries."""
        grouped = self.kv_heads is not None and bool(self.heads)
        return 2 + 2 * ((self.kv_heads or 0) / (self.heads or 1) if grouped else 1)


def model_size(shape: Shape) -> float:
    """Parameters: l*(12h^2 + 13h) + V*h + seq*h + 2h, with the MLP and attention the shape has."""
    h = shape.hidden
    layer = (shape.attention + shape.mlp) * h * h + 13 * h
    embeddings = (2 if shape.untied else 1) * shape.vocab * h + shape.seq * h
    return shape.layers * layer + embeddings + 2 * h


def flops_per_iteration(shape: Shape, batch: float, recompute: bool) -> float:
    """FLOPs of one iteration over all GPUs, by the exact formula of Megatron.

    24 k B s l h^2 (1 + s/6h + V/16lh), with k = 4 when activations are recomputed, else 3; 24 is
    2 * 12 for the usual layer of 12 h^2 weights, 32 for a gated MLP of 4h.
    """
    passes = 4 if recompute else 3
    weights = 2 * (shape.attention + shape.mlp)
    h, layers = shape.hidden, shape.layers
    rest = 1 + shape.seq / (6 * h) + shape.vocab / (16 * layers * h)
    return weights * passes * batch * shape.seq * layers * h * h * rest


def tflops(
    shape: Shape, batch: float, step_time_s: float, gpus: int, recompute: bool
) -> float | None:
    """TFLOPs a GPU, exact."""
    if not (step_time_s > 0 and gpus > 0):
        return None
    return flops_per_iteration(shape, batch, recompute) / (step_time_s * gpus * 1e12)


def tflops_quick(
    parameters: float, seq: int, batch: float, step_time_s: float, gpus: int, recompute: bool
) -> float | None:
    """TFLOPs a GPU from the number of parameters alone: P * k * 2 * seq * batch / (s * GPUs)."""
    if not (step_time_s > 0 and gpus > 0):
        return None
    return parameters * (4 if recompute else 3) * 2 * seq * batch / (step_time_s * gpus * 1e12)


class FlopsPerToken(NamedTuple):
    """FLOPs a token needs, forward and backward, in the parts of the model."""

    attention: float
    mlp: float
    logits: float


def model_flops_per_token(shape: Shape) -> FlopsPerToken:
    """FLOPs of attention (24 l h^2 + 12 l h seq), MLP (48 l h^2) and logits (6 V h)."""
    h, layers = shape.hidden, shape.layers
    return FlopsPerToken(
        attention=6 * shape.attention * layers * h * h + 12 * layers * h * shape.seq,
        mlp=6 * shape.mlp * layers * h * h,
        logits=6 * shape.vocab * h,
    )


def model_flops_per_sample(shape: Shape) -> float:
    """FLOPs a sample needs without recomputation: seq * (24 l h^2 + 12 l h seq + 48 l h^2 + 6 V h)."""
    return shape.seq * sum(model_flops_per_token(shape))


def mfu(
    batch: float, flops_per_sample: float, step_time_s: float, gpus: int, peak_tflops: float
) -> float | None:
    """Model FLOPs utilization, 0..1: what the model needed over what the GPUs could have done."""
    if not (step_time_s > 0 and gpus > 0 and peak_tflops > 0):
        return None
    return batch * flops_per_sample / step_time_s / gpus / (peak_tflops * 1e12)


def tokens_per_s(seq: int, batch: float, step_time_s: float) -> float | None:
    """Tokens a second over all GPUs."""
    return seq * batch / step_time_s if step_time_s > 0 else None


def train_time_days(tokens: float, rate: float) -> float | None:
    """Days to train `tokens` at `rate` tokens a second."""
    return tokens / rate / 86400 if rate > 0 else None


def train_time_planned_days(
    tokens: float, parameters: float, gpus: int, tflops_per_gpu: float
) -> float | None:
    """Days before anything was measured: T * 8 * P / (n * X * 86400) (with recomputation)."""
    if not (gpus > 0 and tflops_per_gpu > 0):
        return None
    return tokens * 8 * parameters / (gpus * tflops_per_gpu * 1e12 * 86400)


def checkpoint_bytes(parameters: float, *, weights_only: bool = False) -> float:
    """Bytes of a checkpoint: 2 a parameter for the weights, 12 for Adam's state and master copy."""
    optimizer = 0 if weights_only else BYTES_PER_PARAMETER_OPTIMIZER
    return parameters * (BYTES_PER_PARAMETER_WEIGHTS + optimizer)


def save_overhead(saves: float, save_time_s: float, wall_time_s: float) -> float | None:
    """The share of wall time that goes into saving, 0..1."""
    return saves * save_time_s / wall_time_s if wall_time_s > 0 else None


def at_risk_s(iterations_since_save: float, step_time_s: float) -> float:
    """Seconds of training that a crash now would cost."""
    return iterations_since_save * step_time_s


def peak_tflops(gpu_type: str | None, precision: str | None) -> float | None:
    """Dense peak of a GPU at a precision, from the table; None for one it does not hold."""
    known = PEAK_TFLOPS.get(gpu_type or "")
    if known is None or precision == "float32":
        return None
    return known[1] if precision == "fp8" else known[0]
