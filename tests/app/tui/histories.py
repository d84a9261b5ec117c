"""Columns of a run as the screen is handed them: the same on every machine and at every time."""

import math
from array import array

from trainwatch.core.model.snapshot import History

NOW = 1_773_277_380.0  # Thursday 12 March 2026, 01:03 UTC
STEP_S = 105.0
FIRST, LAST, TARGET = 1, 2400, 3000

COLUMN_NAMES = (
    "iteration",
    "attempt",
    "at_s",
    "step_time_s",
    "loss",
    "grad_norm",
    "learning_rate",
    "global_batch_size",
    "loss_scale",
    "flags",
)


def columns(first: int = FIRST, last: int = LAST) -> dict[str, "array[float]"]:
    """History of a run that went back from 900 to 801 once, and lost its loss at 1500."""
    iterations = (
        [*range(first, 901), *range(801, last + 1)] if first < 801 else [*range(first, last + 1)]
    )
    table = {name: array("d") for name in COLUMN_NAMES}
    for row, n in enumerate(iterations):
        wave = math.sin(n * 12.9898) * 43758.5453 % 1 - 0.5  # noise, the same everywhere
        values = {
            "iteration": n,
            "attempt": 0.0 if row < 900 else 1.0,
            "at_s": NOW - (len(iterations) - row) * STEP_S,
            "step_time_s": STEP_S * (1 + 0.02 * wave) * (1.06 if 1900 < n < 2000 else 1),
            "loss": math.nan if n == 1500 else 1.9 + 9 * math.exp(-n / 60) + 0.1 * wave,
            "grad_norm": 0.2 + abs(wave) * 0.1 + (5 if n in (700, 1499) else 0),
            "learning_rate": 6e-5 * min(1, n / 100) * (1 - n / 4000),
            "global_batch_size": 2048.0,
            "loss_scale": 2.0 ** (12 + n // 1000),
            "flags": 1.0 if n == 1500 else 0.0,
        }
        for name, value in values.items():
            table[name].append(value)
    return table


def history(table: dict[str, "array[float]"]) -> History:
    """All of a table."""
    return History(rows=len(table["iteration"]), names=tuple(table), columns=dict(table))
