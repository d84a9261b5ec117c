"""Simulated seconds since the run began -> times of the world, and stamps as logs print them.

The trap: at a speed of 60 the stamps must not run ahead of the watcher's clock, so they are squeezed by
`pace`, while durations that a log prints (step times, save times) stay simulated.
"""

from datetime import UTC, datetime, timedelta
from typing import NamedTuple

_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


class Timeline(NamedTuple):
    """`start`: s since the epoch. `pace`: simulated seconds a second. Stamps are `utc_offset_s` ahead."""

    start: float
    pace: float = 1.0
    utc_offset_s: float = 0.0

    def at(self, t: float) -> float:
        """Seconds since the epoch at simulated second `t`."""
        return self.start + t / self.pace

    def local(self, t: float) -> datetime:
        """The clock on the wall of the cluster."""
        return _EPOCH + timedelta(seconds=self.at(t) + self.utc_offset_s)

    def stamp(self, t: float) -> str:
        """`2021-08-08 01:00:51`, as Megatron's print_datetime."""
        return f"{self.local(t):%Y-%m-%d %H:%M:%S}"

    def stamp_ms(self, t: float) -> str:
        """`2021-08-08 01:00:44,221`, as Python's logging."""
        local = self.local(t)
        return f"{local:%Y-%m-%d %H:%M:%S},{local.microsecond // 1000:03}"

    def stamp_us(self, t: float) -> str:
        """`2026-05-28 13:01:07.645545`, as Megatron-Core's iteration lines."""
        return f"{self.local(t):%Y-%m-%d %H:%M:%S.%f}"

    def stamp_slurm(self, t: float) -> str:
        """`2021-05-24T09:50:34`."""
        return f"{self.local(t):%Y-%m-%dT%H:%M:%S}"
