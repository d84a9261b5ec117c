"""Means of columns over a whole log, in sums: what each record printed, where nothing can be computed."""

from collections.abc import Mapping, Sequence
from math import fsum, isfinite

from trainwatch.core.columns import Columns

LOGGED = ("tflops", "mfu", "tokens_per_s", "tokens_per_s_per_gpu", "samples_per_s")


class Means:
    """Sums and counts of LOGGED. Unknown and infinite values are none."""

    def __init__(self) -> None:
        self._sums = dict.fromkeys(LOGGED, 0.0)
        self._counts = dict.fromkeys(LOGGED, 0)

    def add(self, rows: Columns) -> None:
        """Count the rows of a block."""
        for name in LOGGED:
            known: Sequence[float] = rows.data.get(name, ())
            if not isfinite(sum(known)):
                known = [value for value in known if isfinite(value)]
            self._sums[name] += fsum(known)
            self._counts[name] += len(known)

    def add_row(self, values: Mapping[str, float]) -> None:
        """Count one row."""
        rows = Columns()
        rows.append(values)
        self.add(rows)

    def means(self) -> dict[str, float]:
        """The mean of each that was printed at all."""
        return {name: self._sums[name] / count for name, count in self._counts.items() if count}
