"""What can be drawn: a table. A metric makes one value a row from columns of history and what is known now.

TFLOPs and tokens a second are computed as for the status: in proportion to batch size over time.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from trainwatch.core.columns import COLUMNS, LOSS_NAN
from trainwatch.core.model.snapshot import Column
from trainwatch.core.model.status import Status

Floats = NDArray[np.float64]
_LARGEST = 1e100
_MOST = 2.0**53  # from there on floats leave out whole numbers
Table = Mapping[str, Floats]


class Metric(NamedTuple):
    """One thing to draw. `values` may raise nothing; unknown is NaN."""

    key: str
    title: str
    colour: str  # a variable of the theme
    columns: tuple[str, ...]
    values: Callable[[Table, Status], Floats]
    unit: str = ""
    validated: bool = False  # validation losses belong into it


ALWAYS = ("iteration",)
_NOT_DRAWN = {*COLUMNS, "epoch", "flags"}


def _column(name: str) -> Callable[[Table, Status], Floats]:
    return lambda table, _: table[name]


def _filled(values: Floats, other: Floats | float | None) -> Floats:
    """Values, with others where they are unknown. A million rows are not copied for nothing."""
    if other is None:
        return values
    unknown = np.isnan(values)
    return np.where(unknown, other, values) if unknown.any() else values


def _batches(table: Table, status: Status) -> Floats:
    return _filled(table["global_batch_size"], status.global_batch_size)


def _rate(table: Table, status: Status, now: float | None) -> Floats:
    """A rate that is `now` at the present batch size and step time, in proportion elsewhere."""
    batch, step_s = status.global_batch_size, status.step_time_s
    if now is None or not batch or not step_s:
        return np.full(len(table["step_time_s"]), np.nan)
    values: Floats = _batches(table, status) / table["step_time_s"]
    values *= now * step_s / batch
    return values


def _tflops(table: Table, status: Status) -> Floats:
    logged = table["tflops"]
    if status.sources.get("tflops") == "log":
        return logged
    values = _rate(table, status, status.tflops)
    ratios = _gpu_ratios(status)
    if (ratios != 1).any():
        index = whole(table["attempt"])
        values *= ratios[np.clip(index, 0, len(ratios) - 1)]
    return _filled(values, logged)


def _gpu_ratios(status: Status) -> Floats:
    """GPUs now to GPUs then, by attempt: TFLOPs are a GPU's."""
    now = status.gpus or 0
    return np.array([now / a.gpus if a.gpus and now else 1.0 for a in status.attempts] or [1.0])


def _tokens(table: Table, status: Status) -> Floats:
    return _filled(_rate(table, status, status.tokens_per_s), table["tokens_per_s"])


_RATE = ("step_time_s", "global_batch_size")
METRICS = (
    Metric("loss", "loss", "trace-learn", ("loss", "flags"), _column("loss"), validated=True),
    Metric("tflops", "TFLOPs", "trace-speed", (*_RATE, "tflops", "attempt"), _tflops, "per GPU"),
    Metric("norm", "grad norm", "trace-norm", ("grad_norm",), _column("grad_norm")),
    Metric("lr", "learning rate", "trace-plan", ("learning_rate",), _column("learning_rate")),
    Metric("step", "step time", "trace-speed", ("step_time_s",), _column("step_time_s"), "s"),
    Metric("tokens", "tokens/s", "trace-speed", (*_RATE, "tokens_per_s"), _tokens),
    Metric("batch", "batch size", "trace-plan", ("global_batch_size",), _batches, "samples"),
)


def extras(names: Sequence[str]) -> tuple[Metric, ...]:
    """Metrics for the columns that a log brings beyond the usual ones (and the loss scale)."""
    found = [name for name in names if name not in _NOT_DRAWN or name == "loss_scale"]
    return tuple(Metric(n, _title(n), "trace-norm", (n,), _column(n)) for n in found)


def _title(name: str) -> str:
    """A column's name as a title: it comes from a log, so only plain characters are kept."""
    plain = "".join(c if c.isascii() and c.isprintable() else "?" for c in name[:24])
    return plain.replace("_", " ")


def whole(values: Floats) -> NDArray[np.int64]:
    """As whole numbers, which these columns hold; what is none of them counts as near to it as one can be."""
    return np.clip(np.nan_to_num(values), -_MOST, _MOST).astype(np.int64)


def bounded(values: Floats) -> Floats:
    """What has more than a hundred digits counts as infinite: so differences and sums of the rest are not."""
    if not len(values) or -_LARGEST <= np.fmin.reduce(values) <= np.fmax.reduce(values) <= _LARGEST:
        return values
    return np.where(np.abs(values) > _LARGEST, np.copysign(np.inf, values), values)


def table_of(columns: Mapping[str, Column], names: Iterable[str]) -> Table:
    """Columns of history, to be drawn."""
    return {name: bounded(np.asarray(columns[name])) for name in names}


def columns_of(metric: Metric) -> frozenset[str]:
    """The columns of history that a metric is made of."""
    return frozenset((*ALWAYS, *metric.columns))


def bad_rows(metric: Metric, table: Table, infinite: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Rows whose value is infinite, or a loss that was NaN (which history keeps in the flags)."""
    rows = np.flatnonzero(infinite)
    if metric.key != "loss":
        return rows
    flags = table["flags"]
    flagged = np.flatnonzero(flags)
    bits = whole(flags[flagged])
    return np.union1d(rows, flagged[(bits & LOSS_NAN) != 0])
