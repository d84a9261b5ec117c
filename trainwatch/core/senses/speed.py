"""Whether iterations have become slower than they were just before, in the same attempt with the same batch.

The noise of the run sets the limit: what the median of five iterations strays from the recent past in health
with the run's own network, time of day and evaluations in it. The trap: what is slow must not
become the norm.
"""

import msgspec

from trainwatch.core.senses.robust import median, quantile

_FIRST = 3  # iterations of an attempt or a batch size that say nothing yet
_WINDOW, _PAST = 5, 64  # rows that are now, rows that are the recent past
_ENOUGH = 16  # rows of the past that make a norm
_RENEWED = 8  # rows between two looks at the norm
_STRAYS, _KNOWN_STRAYS = 200, 24
_PERSISTS = 5  # rows beyond the limit, or back within it
_UNSURE, _CEILING = 0.25, 0.35  # limits while the noise is not known, and at most


class SpeedSense(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Step times of now against those of the recent past. Times are s, deviations shares of the norm."""

    attempt: int = -1
    batch: float = 0.0
    gpus: int | None = None
    left_out: int = 0  # rows still to be left out
    last: list[float] = []
    past: list[float] = []
    norm_s: float | None = None  # None: too little is known
    unrenewed: int = 0
    strays: list[float] = []
    unlearned: int = 0
    limit: float = _UNSURE
    beyond: int = 0  # rows in a row on the other side of the limit
    slow: bool = False
    since: float | None = None
    iteration: int | None = None  # where it became slow
    now_s: float | None = None
    before_s: float | None = None  # typical before it was forgotten, for budgets only

    def row(
        self,
        at: float,
        iteration: int,
        step_time_s: float,
        batch: float,
        attempt: int,
        least_drop: float,
    ) -> bool:
        """Take an iteration; True if it changed whether the run is slow.

        A loss of less throughput than `least_drop` (a share) is none.
        """
        if attempt != self.attempt or (batch != self.batch and batch == batch):
            return self._enter(attempt, batch if batch == batch else self.batch)
        if step_time_s != step_time_s:
            return False
        if self.left_out:
            self.left_out -= 1
            return False
        last = self.last
        last.append(step_time_s)
        if len(last) <= _WINDOW:
            return False
        gone = last.pop(0)
        if not self.slow and not self.beyond:
            self.past.append(gone)
            if len(self.past) > _PAST:
                del self.past[0]
        return self._judge(at, iteration, max(self.limit, 1 / (1 - least_drop) - 1))

    def of_gpus(self, gpus: int | None) -> bool:
        """Told how many GPUs train; on others nothing can be compared. True if it was slow."""
        if gpus == self.gpus:
            return False
        self.gpus, was_slow = gpus, self.slow
        self._forget()
        return was_slow

    def typical_s(self) -> float | None:
        """Seconds an iteration, as far as is known."""
        if self.norm_s is not None:
            return self.norm_s
        known = self.past or self.last
        return median(known) if known else self.before_s

    def _enter(self, attempt: int, batch: float) -> bool:
        was_slow, self.attempt = self.slow, attempt
        if was_slow and batch == self.batch:
            self.last, self.left_out, self.beyond = [], _FIRST, 0
            return False  # as slow as before the restart, as far as anyone knows
        self.batch = batch
        self._forget()
        return was_slow

    def _forget(self) -> None:
        self.before_s = self.typical_s()
        self.last, self.past, self.norm_s = [], [], None
        self.left_out, self.beyond, self.slow = _FIRST, 0, False
        self.now_s = None

    def _judge(self, at: float, iteration: int, limit: float) -> bool:
        self.unrenewed += 1
        if (
            not self.slow
            and not self.beyond
            and self.unrenewed >= _RENEWED
            and len(self.past) >= _ENOUGH
        ):
            self.norm_s, self.unrenewed = median(self.past), 0
        if self.norm_s is None:
            return False
        self.now_s = sorted(self.last)[_WINDOW // 2]
        stray = self.now_s / self.norm_s - 1
        if self.slow:
            self.beyond = self.beyond + 1 if stray < limit / 2 else 0
        elif stray > limit:
            self.beyond += 1
            if self.beyond == 1:
                self.since, self.iteration = at, iteration
        else:
            self.beyond = 0
            if self.unrenewed % _WINDOW == 1:
                self._learn(abs(stray))
        if self.beyond < _PERSISTS:
            return False
        self.slow, self.beyond = not self.slow, 0
        return True

    def _learn(self, stray: float) -> None:
        self.strays.append(stray)
        if len(self.strays) > _STRAYS:
            del self.strays[0]
        self.unlearned += 1
        if len(self.strays) >= _KNOWN_STRAYS and self.unlearned >= _RENEWED:
            self.unlearned = 0
            self.limit = min(_CEILING, 2.5 * quantile(self.strays, 0.95))
