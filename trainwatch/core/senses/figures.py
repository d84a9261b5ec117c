"""What a log prints of its speed against batch and time of the same line.

The trap: some print a mean over many lines, so one line that disagrees says nothing, and neither does one
that cannot be compared.
"""

from collections.abc import Iterator

import msgspec

from trainwatch.core.facts import Facts
from trainwatch.core.model.state import Row

_DISAGREES = 0.02  # as a share
_IN_A_ROW = 3  # lines


class FigureSense(msgspec.Struct, kw_only=True, omit_defaults=True):
    """By name of the rate: lines in a row that disagreed, and the last two figures (logged, computed)."""

    iteration: int | None = None
    lines: dict[str, int] = {}
    last: dict[str, tuple[float, float]] = {}

    def take(self, row: Row | None, facts: Facts) -> bool:
        """Look at the newest line; True if it changed what is wrong."""
        if row is None or row.iteration == self.iteration:
            return False
        self.iteration, before = row.iteration, self.wrong()
        for name, logged, computed in _compared(row, facts):
            apart = not abs(logged / computed - 1) <= _DISAGREES
            self.lines[name] = min(self.lines.get(name, 0) + 1, _IN_A_ROW) if apart else 0
            self.last[name] = (logged, computed)
        return before != self.wrong()

    def wrong(self) -> list[str]:
        """The rates that are logged wrongly."""
        return [name for name, lines in self.lines.items() if lines >= _IN_A_ROW]


def _compared(row: Row, facts: Facts) -> Iterator[tuple[str, float, float]]:
    values = row.values
    step_time_s = values.get("step_time_s")
    batch = values.get("global_batch_size") or facts.global_batch_size
    if not batch or not step_time_s or row.flags:
        return
    rates = {"samples_per_s": batch / step_time_s}
    if facts.seq_length:
        rates["tokens_per_s"] = batch * facts.seq_length / step_time_s
    for name, rate in rates.items():
        logged = values.get(name)
        if logged and rate:
            yield name, logged, rate
