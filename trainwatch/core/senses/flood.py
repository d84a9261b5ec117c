"""How many lines a minute the log grows by, against what is usual while this run trains.

The trap: a start-up prints thousands of lines, and a launcher that held output back prints an hour at once.
"""

import msgspec

from trainwatch.core.senses.robust import median

SPAN_S = 600.0
_KEPT, _ENOUGH = 144, 6
_TIMES, _LEAST = (
    20.0,
    3_000,
)  # a flood is so many times the usual, and at least so many lines a span


class FloodSense(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Lines of spans of ten minutes."""

    span: int = 0  # the number of the span that is counted
    lines: int = 0
    iterations: int = 0  # completed in it
    usual: list[float] = []  # lines an iteration, of spans in health
    since: float | None = None
    left_out: int = -1  # a span that is not judged

    def take(self, at: float, lines: int, iterations: int) -> bool:
        """Count what came at once; True if a flood began or ended."""
        turned, span = False, int(at // SPAN_S)
        if span != self.span:
            turned = self._close()
            self.span, self.lines, self.iterations = span, 0, 0
        self.lines += lines
        self.iterations += iterations
        if self.since is None and self._floods():
            self.since = at
            return True
        return turned

    def skip(self, at: float) -> None:
        """An attempt begins: what is printed in this span says nothing."""
        self.span, self.lines, self.iterations = int(at // SPAN_S), 0, 0
        self.left_out = self.span

    def _close(self) -> bool:
        if self._floods():
            return False
        if self.iterations and self.span != self.left_out:
            self.usual.append(self.lines / self.iterations)
            del self.usual[:-_KEPT]
        was, self.since = self.since, None
        return was is not None

    def _floods(self) -> bool:
        if len(self.usual) < _ENOUGH or self.lines < _LEAST or self.span == self.left_out:
            return False
        # Output that was held back brings its iterations with it.
        usual = max(1.0, median(self.usual) * max(1, self.iterations))
        return self.lines > _TIMES * usual
