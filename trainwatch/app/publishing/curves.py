"""The curves of a run's page, kept in few points: only rows that are new are read each time.

The trap: history may be begun anew, also with more rows than before. What was read last must still be there.
"""

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, Protocol

from trainwatch.core.columns import Columns
from trainwatch.core.thinning import Bin, Thinned

_CHUNK_ROWS = 16_384
_WANTED = (
    "iteration", "at_s", "attempt", "loss", "step_time_s", "global_batch_size", "tflops", "tokens_per_s",
)  # fmt: skip
_NAN = float("nan")


class History(Protocol):
    """Rows of a store."""

    def rows(self, start: int, stop: int, wanted: tuple[str, ...]) -> Columns: ...


class Drawn(NamedTuple):
    """What can be drawn. `rate`: samples/s; `pace`: iterations/s where the batch size is unknown."""

    loss: tuple[Bin, ...] = ()
    rate: tuple[Bin, ...] = ()
    pace: tuple[Bin, ...] = ()
    logged_tflops: tuple[Bin, ...] = ()
    logged_tokens: tuple[Bin, ...] = ()


class Curves:
    """Of one run."""

    def __init__(self) -> None:
        self._begin()

    def _begin(self) -> None:
        self._rows = 0
        self._last: bytes | None = None
        self._thinned = [Thinned() for _ in Drawn._fields]

    def read(self, history: History, rows: int, batch: float | None) -> Drawn:
        """All curves up to so many rows. `batch`: samples an iteration where a row does not say it.

        Raises OSError.
        """
        if rows < self._rows or (self._rows and self._mark(history) != self._last):
            self._begin()
        for start in range(self._rows, rows, _CHUNK_ROWS):
            stop = min(start + _CHUNK_ROWS, rows)
            self._add(history.rows(start, stop, _WANTED), batch)
            self._rows = stop
        self._last = self._mark(history) if self._rows else None
        return Drawn(*(each.bins() for each in self._thinned))

    def _mark(self, history: History) -> bytes:
        """The last row that was read."""
        row = history.rows(self._rows - 1, self._rows, ("iteration", "at_s", "attempt"))
        return b"".join(row.column(name).tobytes() for name in ("iteration", "at_s", "attempt"))

    def _add(self, rows: Columns, batch: float | None) -> None:
        for start, stop in _stretches(rows.column("attempt")):
            part = rows.slice(start, stop)
            iterations, times = part.column("iteration"), part.column("at_s")
            attempt = part.column("attempt")[0]
            for thinned, values in zip(self._thinned, _values(part, batch), strict=True):
                thinned.add(attempt if attempt == attempt else 0.0, iterations, times, values)


def _stretches(attempts: Sequence[float]) -> Iterator[tuple[int, int]]:
    """Where rows of one attempt stand together."""
    breaks = [n for n, (a, b) in enumerate(pairwise(attempts), 1) if a != b and (a == a or b == b)]
    yield from pairwise([0, *breaks, len(attempts)])


def _values(part: Columns, batch: float | None) -> tuple[list[float], ...]:
    other = batch or _NAN
    batches = [size if size == size else other for size in part.column("global_batch_size")]
    steps_s = [s if s > 0 else _NAN for s in part.column("step_time_s")]
    both = list(zip(batches, steps_s, strict=True))
    return (
        list(part.column("loss")),
        [size / s for size, s in both],
        [1 / s if size != size else _NAN for size, s in both],
        list(part.column("tflops")),
        list(part.column("tokens_per_s")),
    )
