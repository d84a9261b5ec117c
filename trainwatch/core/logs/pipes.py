"""Megatron's way of writing an iteration: `iteration  N/ M | label: value | label: value |`.

Shared by Megatron-LM, Megatron-DeepSpeed and Megatron-Core, and by their column reader (layout.py).
The label says the unit. The trap: a missing loss means NaN only on a line that is whole, so a line
without Megatron's closing counters is torn and is not read.
"""

import re
from collections.abc import Iterator, Mapping
from itertools import zip_longest
from typing import NamedTuple

from trainwatch.core.logs import text
from trainwatch.core.patterns import pattern

NEEDLE = b"elapsed time per iteration"
HEAD = pattern(r"(?<![A-Za-z])iteration:?\s+(\d{1,15})\s*/\s*(\d{1,15})\s*\|")
_FIELD = pattern(r"\s*+([A-Za-z_][\w ()/.%-]*+):\s*+([^|]*+)(?:\||$)")
_CLOSING = ("number of skipped iterations:", "number of nan iterations:")

# label -> (column, divisor to the column's unit)
LABELS: Mapping[str, tuple[str, float]] = {
    "consumed samples": ("consumed_samples", 1),
    "consumed tokens": ("consumed_tokens", 1),
    "elapsed time per iteration (ms)": ("step_time_s", 1000),
    "elapsed time per iteration (s)": ("step_time_s", 1),
    "learning rate": ("learning_rate", 1),
    "global batch size": ("global_batch_size", 1),
    "lm loss": ("loss", 1),
    "lm-loss": ("loss", 1),
    "lm_loss": ("loss", 1),
    "loss": ("loss", 1),
    "loss scale": ("loss_scale", 1),
    "grad norm": ("grad_norm", 1),
    "number of skipped iterations": ("skipped", 1),
    "number of nan iterations": ("nan_iterations", 1),
    "samples per second": ("samples_per_s", 1),
    "samples/sec": ("samples_per_s", 1),
    "tokens per gpu per second (tgs)": ("tokens_per_s_per_gpu", 1),
    "tokens per gpu (tokens/s/gpu)": ("tokens_per_s_per_gpu", 1),
    "tflops": ("tflops", 1),
    "throughput per gpu (tflop/s/gpu)": ("tflops", 1),
    "compute per gpu (tflop/s/gpu)": ("tflops", 1),
    "approx flops per gpu": ("tflops", 1),
}
_SQUEEZED = frozenset(label.replace(" ", "") for label in LABELS)
# A value that means "not measured": an engine that does not report it prints the placeholder.
NOT_MEASURED: Mapping[str, frozenset[float]] = {
    "grad_norm": frozenset((0.0, -1.0)),
    "loss_scale": frozenset((-1.0,)),
    "loss": frozenset((-1.0,)),
    "global_batch_size": frozenset((0.0,)),
}


class Pipes(NamedTuple):
    """The fields of one whole line. `loss_left_out`: Megatron's way of saying NaN or skipped."""

    iteration: int
    target: int
    values: dict[str, float]
    loss_left_out: bool


def records(line: str) -> Iterator[tuple[int, Pipes | None]]:
    """Each record on the line, and where its head begins; None for one that is torn.

    Where two ranks wrote into one line, what follows a head up to the next may still be whole.
    """
    heads = list(HEAD.finditer(line))
    for head, following in zip_longest(heads, heads[1:]):
        yield head.start(), _read(head, line[head.end() : following.start() if following else None])


def _read(head: re.Match[str], rest: str) -> Pipes | None:
    if not all(mark in rest for mark in _CLOSING):
        return None
    values = fields(rest[: rest.rfind("|") + 1])
    if values is None:
        return None
    return Pipes(int(head[1]), int(head[2]), measured(values), "loss" not in values)


def fields(rest: str) -> dict[str, float] | None:
    """The `label: value` pairs by column name; None if a known one does not hold a number."""
    values: dict[str, float] = {}
    position = 0
    while position < len(rest):
        match = _FIELD.match(rest, position)
        if match is None:
            return None
        position = match.end()
        label = match[1].rstrip()
        column, divisor = column_of(label)
        value = first_number(match[2].rstrip())
        if value is not None:
            values.setdefault(column, value / divisor)
        elif label.lower() in LABELS:
            return None
    return values


def column_of(label: str) -> tuple[str, float]:
    """Column and divisor of a label; an unknown one becomes a column of its own name."""
    known = LABELS.get(label.lower())
    return known or (extra(label), 1)


def looks_known(label: str) -> bool:
    """Whether a label is a known one but for its blanks, as on a line that lost some bytes."""
    label = label.lower()
    return label not in LABELS and label.replace(" ", "") in _SQUEEZED


def extra(label: str) -> str:
    """A column name for a label we have no name for: `mtp_1 loss` -> `mtp_1_loss`."""
    return re.sub(r"[^a-z0-9]+", "_", label.lower()).strip("_")[:40]


def first_number(value: str) -> float | None:
    """The number of `5361.6`, of `243.6/238.7` (now/average), of `496.3 (avg 496.1)`, of `150.3TFLOPS`."""
    found = re.match(r"[-+]?[\d.,]+(?:[eE][-+]?\d+)?|[-+]?(?:nan|inf)", value, re.IGNORECASE)
    if found is None or not _tail_allowed(value[found.end() :]):
        return None
    return text.number(found[0])


def _tail_allowed(rest: str) -> bool:
    return not rest or rest[0] in "/(" or rest.lstrip().startswith("(avg") or rest == "TFLOPS"


def measured(values: dict[str, float]) -> dict[str, float]:
    """Without placeholders: a step time is positive, an unmeasured norm is not zero."""
    kept = {c: v for c, v in values.items() if v not in NOT_MEASURED.get(c, ())}
    if not kept.get("step_time_s", 1.0) > 0:
        del kept["step_time_s"]
    return kept
