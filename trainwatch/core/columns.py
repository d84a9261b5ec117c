"""A table of iterations in columns of float64: what history is made of, in memory and on disk.

A value that is unknown is NaN here and nowhere else: views and records say `None`. Counts fit a float64
exactly up to 2**53.
"""

from array import array
from collections.abc import Iterable, Mapping

NAN = float("nan")

COLUMNS: dict[str, str] = {
    "iteration": "the iteration that was completed",
    "attempt": "which attempt of the run trained it, from 0",
    "at_s": "when it was completed, s since the epoch; NaN when no clock is known",
    "step_time_s": "seconds an iteration, mean over the log interval",
    "loss": "training loss; NaN also when it was NaN, which `flags` tells apart",
    "grad_norm": "norm of the gradient before clipping",
    "learning_rate": "learning rate",
    "global_batch_size": "samples an iteration",
    "consumed_samples": "samples trained since the very beginning, as logged",
    "consumed_tokens": "tokens trained since the very beginning, as logged",
    "loss_scale": "fp16 loss scale",
    "skipped": "iterations of this log interval whose step was skipped",
    "nan_iterations": "iterations of this log interval that the job itself counted as NaN",
    "samples_per_s": "samples a second, as logged",
    "tokens_per_s": "tokens a second over all GPUs, as logged",
    "tokens_per_s_per_gpu": "tokens a second and GPU, as logged",
    "tflops": "TFLOPs a GPU, as logged",
    "flags": "the bits below",
}

LOSS_NAN = 1  # the loss was NaN: printed so, or left out although the step was not skipped
SKIPPED = 2  # every step of the interval was skipped, so there is nothing to learn from the row
STEP_TIME_DERIVED = 4  # from time stamps or a cumulative time, not printed
AT_DERIVED = 8  # the time was added up from iteration times since the last stamp

MAX_EXTRA = (
    24  # further columns a log may bring (z_loss, params_norm, ...); a hostile one brings more
)


class Columns:
    """Rows of equal length under names. Not shared between threads; `tail` and `copy` copy."""

    __slots__ = ("data", "rows")

    def __init__(self, data: dict[str, "array[float]"] | None = None, rows: int = 0) -> None:
        self.data: dict[str, array[float]] = data if data is not None else {}
        self.rows = rows

    def __len__(self) -> int:
        return self.rows

    def __eq__(self, other: object) -> bool:
        """Same rows, NaN equal to NaN, an absent column equal to one of NaN."""
        if not isinstance(other, Columns) or self.rows != other.rows:
            return False
        names = self.data.keys() | other.data.keys()
        return all(self.column(n).tobytes() == other.column(n).tobytes() for n in names)

    __hash__ = None  # type: ignore[assignment]

    def column(self, name: str) -> "array[float]":
        """The column, or one of NaN where it has no value in any row."""
        found = self.data.get(name)
        return found if found is not None else unknown(self.rows)

    def append(self, row: Mapping[str, float]) -> None:
        """Add one row; names that are not in it are unknown."""
        for name in row:
            if name not in self.data:
                self._open(name)
        for name, column in self.data.items():
            column.append(row.get(name, NAN))
        self.rows += 1

    def extend(self, more: "Columns") -> None:
        """Add all rows of another table."""
        for name in more.data:
            if name not in self.data:
                self._open(name)
        for name, column in self.data.items():
            column.extend(more.column(name))
        self.rows += more.rows

    def row(self, index: int) -> dict[str, float]:
        """One row without its unknown values."""
        values = ((name, column[index]) for name, column in self.data.items())
        return {name: value for name, value in values if value == value}

    def only(self, names: Iterable[str]) -> "Columns":
        """The same rows with no more than these columns, which are not copied."""
        return Columns({n: self.data[n] for n in names if n in self.data}, self.rows)

    def slice(self, start: int, stop: int | None = None) -> "Columns":
        """A copy of some rows."""
        start, stop, _ = slice(start, stop).indices(self.rows)
        return Columns({n: c[start:stop] for n, c in self.data.items()}, max(0, stop - start))

    def tail(self, count: int) -> "Columns":
        """A copy of the last rows."""
        return self.slice(max(0, self.rows - count))

    def _open(self, name: str) -> None:
        extras = len(self.data.keys() - COLUMNS.keys())
        if name in COLUMNS or extras < MAX_EXTRA:
            self.data[name] = unknown(self.rows)


def unknown(rows: int) -> "array[float]":
    """A column of nothing but NaN."""
    return array("d", (NAN,)) * rows


def from_rows(rows: Iterable[Mapping[str, float]]) -> Columns:
    """A table of these rows."""
    table = Columns()
    for row in rows:
        table.append(row)
    return table
