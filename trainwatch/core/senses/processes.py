"""What readings of a command's processes add up to: what they burn, and since when only launchers are left.

The trap: a reading that could not be had says nothing, and a training's own helpers come and go.
"""

import msgspec

from trainwatch.core.model.observations import ProcessReading

_GAP_S, _MOST = 55.0, 6  # samples of CPU time: a minute apart, five minutes in all
_LEAST_S = 50.0  # over which a share of a processor means something


class ProcessSense(msgspec.Struct, kw_only=True, omit_defaults=True):
    """Of the command that was seen last. Times are s since the epoch."""

    began_at: float | None = None
    seen_at: float | None = None  # the last reading that saw something
    alive: bool | None = None
    count: int = 0
    zombies: int = 0
    most_workers: int = 0  # that lived at once
    alone_since: float | None = None  # launchers live, and nobody that they launched
    burnt: list[tuple[float, float]] = []  # (time, CPU seconds of all)

    def take(self, seen: ProcessReading) -> None:
        """Take a reading of the command that this is about."""
        if seen.state != "ok":
            return
        self.seen_at, self.alive = seen.at, seen.alive
        self.count, self.zombies = seen.count or 0, seen.zombies or 0
        workers = seen.workers
        self.most_workers = max(self.most_workers, workers or 0)
        launcher_lives = seen.alive and seen.exit_code is None and seen.signal is None
        alone = bool(launcher_lives and workers == 0 and self.most_workers)
        if workers is not None:
            since = self.alone_since if self.alone_since is not None else seen.at
            self.alone_since = since if alone else None
        if seen.cpu_s is not None:
            self._burn(seen.at, seen.cpu_s)

    def cores(self) -> float | None:
        """Processors kept busy over the last minutes; None while nobody can say."""
        if len(self.burnt) < 2:
            return None
        (since, before), (at, now) = self.burnt[0], self.burnt[-1]
        return (now - before) / (at - since) if at - since >= _LEAST_S else None

    def _burn(self, at: float, cpu_s: float) -> None:
        if self.burnt and (cpu_s < self.burnt[-1][1] or at <= self.burnt[-1][0]):
            self.burnt = []  # counted anew by another watcher, or a clock that was set back
        last = self.burnt[-1] if self.burnt else None
        before = self.burnt[-2][0] if len(self.burnt) > 1 else None
        fills = last is not None and before is not None and last[0] - before < _GAP_S
        kept = self.burnt[:-1] if fills else self.burnt  # the last one may still move on
        self.burnt = [*kept, (at, cpu_s)][-_MOST:]
