"""The loss across a restart: the first iterations of an attempt against what the run lost there before.

What was not restored (the optimizer's step, the data order) shows there for a few iterations. The trap: a
crash goes back to where the loss was higher, so it is compared at the same iteration.
"""

import msgspec

from trainwatch.core.senses.robust import median

_POINTS, _POINTS_A_SAVE = 96, 32
_SMOOTHED, _LEAST, _CHECKED = 5, 5, 10  # rows
_SHARE, _SIGMAS = 0.02, 5.0  # a bump is so far above, as a share and by the loss's own noise
_SETTLED = 200  # iterations


class BumpSense(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Points of the loss curve (iteration, loss), and whether this attempt began above it."""

    points: list[tuple[int, float]] = []
    recent: list[float] = []
    attempt: int = -1
    above: list[float] = []  # how far the first rows are above the curve, as shares of it
    rows: int = 0
    iteration: int | None = None  # where the attempt began, if it began too high
    at: float | None = None
    share: float = 0.0

    def row(
        self,
        at: float,
        iteration: int,
        loss: float,
        noise: float,
        attempt: int,
        save_interval: int,
        *,
        spikes: bool = False,
    ) -> bool:
        """Take an iteration; True if a bump is found, or long over. A spike of the loss is none."""
        if attempt != self.attempt:
            self.attempt, self.above, self.rows, self.recent = attempt, [], 0, []
            self.iteration = None
        turned = False
        if self.iteration is not None and iteration >= self.iteration + _SETTLED:
            self.iteration, turned = None, True
        if loss != loss:
            return turned
        if spikes:
            self.rows = _CHECKED  # of this attempt nothing can be said any more
            return turned
        if attempt > 0 and self.rows < _CHECKED:
            self.rows += 1
            return self._check(at, iteration, loss, noise) or turned
        self._remember(iteration, loss, max(1, save_interval // _POINTS_A_SAVE))
        return turned

    def _check(self, at: float, iteration: int, loss: float, noise: float) -> bool:
        expected = self._expected(iteration)
        if expected is None or expected <= 0:
            return False
        self.above.append(loss / expected - 1)
        if len(self.above) < _LEAST or self.iteration is not None:
            return False
        share = median(self.above)
        if share <= max(_SHARE, _SIGMAS * noise / expected):
            return False
        self.iteration, self.at, self.share = iteration, at, share
        return True

    def _expected(self, iteration: int) -> float | None:
        """The nearest earlier loss; the last one where nothing was trained so far."""
        if not self.points or iteration < self.points[0][0]:
            return None
        return next(loss for place, loss in reversed(self.points) if place <= iteration)

    def _remember(self, iteration: int, loss: float, stride: int) -> None:
        self.recent = [*self.recent, loss][-_SMOOTHED:]
        if self.points and iteration < self.points[-1][0] + stride:
            return
        if len(self.recent) == _SMOOTHED:
            self.points.append((iteration, median(self.recent)))
            del self.points[:-_POINTS]
