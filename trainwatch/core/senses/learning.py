"""How training goes by its numbers: NaN losses, overflows, spikes of the loss, surges of the gradient norm.

Everything is counted in iterations, also where a line is the mean of ten. The trap: a spike must not become
the norm that the next loss is measured by.
"""

import math

import msgspec

from trainwatch.core.columns import LOSS_NAN
from trainwatch.core.senses.robust import median, spread

_PAST, _ENOUGH, _RENEWED = 64, 20, 8  # rows
_RECENT = 10  # iterations whose NaNs and overflows are remembered
RING = (1 << _RECENT) - 1  # a bit for each
_LEAP = 1_000  # iterations
_FEW, _FEW_OVER = 3, 1.5  # of so few rows only so large a leap says something
_OVER, _SIGMAS = (
    0.10,
    8.0,
)  # a spike is so far above the norm, as a share and by the loss's own noise
_HEALED, _HEALED_SIGMAS, _HEALED_ROWS = 0.03, 3.0, 5
_SURGE, _CALM, _CALM_ROWS = 10.0, 5.0, 10


class LearningSense(msgspec.Struct, kw_only=True, omit_defaults=True):
    """What the last iterations said of learning. `at` are s since the epoch."""

    iteration: int | None = None
    nans: int = 0  # a bit an iteration, the newest lowest
    skips: int = 0
    stepped: bool = False  # a step was ever taken: before, fp16 looks for its loss scale
    losses: list[float] = []
    loss: float | None = None  # the norm: its median, fixed while it spikes
    noise: float = 0.0
    unrenewed: int = 0
    above: int = 0  # a bit a row
    spike_iteration: int | None = None  # where it began; None: none
    spike_at: float | None = None
    spike_peak: float = 0.0
    spike_last: list[float] = []
    norms: list[float] = []
    norm: float | None = None
    norm_unrenewed: int = 0
    surge_iteration: int | None = None
    surge_at: float | None = None
    surge_peak: float = 0.0
    calm: int = 0  # rows since the last one that surged

    def row(
        self, at: float, iteration: int, loss: float, norm: float, flags: int, skipped: float
    ) -> bool:
        """Take an iteration line; True if something that rules ask for may have changed."""
        before = self.iteration
        steps = 1 if before is None else min(max(1, iteration - before), _RECENT)
        self.iteration = iteration
        turned = False
        if before is not None and abs(iteration - before) > _LEAP:
            self._forget()
            turned = True
        if flags & LOSS_NAN or self.nans:
            bits = (1 << steps) - 1 if flags & LOSS_NAN else 0
            self.nans = ((self.nans << steps) | bits) & RING
            turned = True
        if skipped > 0 or self.skips:  # NaN: the format does not count them
            count = int(min(skipped, steps)) if skipped > 0 and self.stepped else 0
            self.skips = ((self.skips << steps) | ((1 << count) - 1)) & RING
            turned = turned or self.stepped
        self.stepped = self.stepped or not skipped or skipped != skipped
        if loss == loss and not math.isinf(loss):
            turned |= self._lost(at, iteration, loss)
        if norm == norm and (self.norm is not None or not math.isinf(norm)):
            turned |= self._normed(at, iteration, norm)
        return turned

    def surges(self, norm: float) -> bool:
        """Whether this gradient norm is far beyond the usual."""
        return self.norm is not None and norm >= _SURGE * self.norm > 0

    def _lost(self, at: float, iteration: int, loss: float) -> bool:
        if self.spike_iteration is not None:
            return self._spiking(loss)
        limit = self._limit()
        if limit is not None:
            over = loss > limit
            self.above = (self.above << 1 | over) & 7
            if self.above.bit_count() >= 2:
                self.loss = median(self.losses) if self.loss is None else self.loss
                self.spike_iteration, self.spike_at = iteration, at
                self.spike_peak, self.spike_last, self.above = loss, [loss], 0
                return True
            if over:
                return False
        self.losses.append(loss)
        if len(self.losses) > _PAST:
            del self.losses[0]
        self.unrenewed += 1
        if self.unrenewed >= _RENEWED and len(self.losses) >= _ENOUGH:
            self.loss = median(self.losses)
            self.noise, self.unrenewed = spread(self.losses, self.loss), 0
        return False

    def _limit(self) -> float | None:
        """Above it a loss is a leap; None while too little is known."""
        if self.loss is not None:
            return self.loss + max(_OVER * abs(self.loss), _SIGMAS * self.noise)
        return _FEW_OVER * median(self.losses) if len(self.losses) >= _FEW else None

    def _forget(self) -> None:
        """Much of the log is missing: what was before is no measure."""
        self.losses, self.loss, self.norms, self.norm = [], None, [], None
        self.above = self.unrenewed = self.norm_unrenewed = 0
        self.spike_iteration = self.surge_iteration = None

    def _spiking(self, loss: float) -> bool:
        self.spike_peak = max(self.spike_peak, loss)
        self.spike_last = [*self.spike_last, loss][-_HEALED_ROWS:]
        norm = self.loss or 0.0
        healed = norm + max(_HEALED * abs(norm), _HEALED_SIGMAS * self.noise)
        if len(self.spike_last) == _HEALED_ROWS and median(self.spike_last) <= healed:
            self.spike_iteration, self.spike_last = None, []
            return True
        return loss >= self.spike_peak

    def _normed(self, at: float, iteration: int, norm: float) -> bool:
        surging = self.surge_iteration is not None
        if self.surges(norm):
            if not surging:
                self.surge_iteration, self.surge_at, self.surge_peak = iteration, at, norm
            self.surge_peak, self.calm = max(self.surge_peak, norm), 0
            return True
        if surging:
            self.calm = self.calm + 1 if norm < _CALM * (self.norm or 0.0) else 0
            if self.calm >= _CALM_ROWS:
                self.surge_iteration = None
            return True
        self.norms.append(norm)
        if len(self.norms) > _PAST:
            del self.norms[0]
        self.norm_unrenewed += 1
        if self.norm_unrenewed >= _RENEWED and len(self.norms) >= _ENOUGH:
            self.norm, self.norm_unrenewed = median(self.norms), 0
        return False
