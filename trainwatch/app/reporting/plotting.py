"""Rows as a picture: TFLOPs and days (or step time) against GPUs, for `--plot FILE.svg|png`."""

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trainwatch.core.errors import MissingExtra, TrainwatchError, UsageError
from trainwatch.core.rows import ReportRow

SUFFIXES = (".svg", ".png", ".pdf")


def check(file: Path) -> None:
    """Raise for what cannot be drawn, before any log is read: UsageError, MissingExtra."""
    if file.suffix.lower() not in SUFFIXES:
        raise UsageError(f"--plot {file}: expected a name that ends with .svg, .png or .pdf")
    if not file.absolute().parent.is_dir():
        raise UsageError(f"--plot {file}: the folder {file.parent} does not exist")
    try:
        import matplotlib as mpl  # noqa: F401
    except ImportError as error:
        raise MissingExtra("--plot needs matplotlib: pip install 'trainwatch[plot]'") from error


def draw(rows: Sequence[ReportRow], file: Path) -> int:
    """Write the picture. Returns how many rows are in it: those with GPUs and a value; 0 writes none.

    Raises TrainwatchError when the file cannot be written.
    """
    import matplotlib as mpl

    mpl.use("Agg")
    from matplotlib.figure import Figure

    by_days = any(row.days is not None for row in rows)
    figure = Figure(figsize=(10, 4.5), layout="constrained")
    left, right = figure.subplots(1, 2)
    shown = _dots(left, rows, "days" if by_days else "step_time_s")
    shown |= _dots(right, rows, "tflops")
    left.set_ylabel("days to train" if by_days else "seconds an iteration")
    right.set_ylabel("TFLOPs a GPU")
    for axes in (left, right):
        axes.set_xlabel("GPUs")
        axes.set_ylim(bottom=0)
        axes.grid(alpha=0.3)
    if not shown:
        return 0
    try:
        figure.savefig(file)
    except OSError as error:
        raise TrainwatchError(f"--plot {file}: {error.strerror or error}") from error
    return len(shown)


def _dots(axes: Any, rows: Sequence[ReportRow], key: str) -> set[int]:
    """Draw a value against GPUs, a colour for each model size. Returns which rows it took."""
    taken = [
        (index, row.gpus, getattr(row, key), row.model_size_b)
        for index, row in enumerate(rows)
        if row.gpus is not None and getattr(row, key) is not None
    ]
    for size in sorted({dot[3] for dot in taken}, key=lambda b: b or 0.0):
        dots = sorted((gpus, value) for _, gpus, value, own in taken if own == size)
        label = "size unknown" if size is None else f"{size:.3g}B"
        axes.plot(*zip(*dots, strict=True), "o", label=label)
    if taken:
        axes.legend(loc="upper right")  # "best" looks at every point, and says so when that is slow
    return {dot[0] for dot in taken}
