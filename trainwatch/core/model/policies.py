"""What is wished for checkpoints: which stay, and the rounds of a training. Settings are made of it."""

from typing import Annotated

import msgspec

from trainwatch.core.words import duration

LEAST_LAST = 2  # the last one alone may turn out to be half written

Positive = Annotated[int, msgspec.Meta(gt=0)]


class Policy(msgspec.Struct, frozen=True, kw_only=True):
    """What is kept: the union of all that is set. Iterations, and hours since a checkpoint was written.

    `every` keeps multiples of N; `every_closest` for each multiple of N the save that is nearest to it (where
    saves are irregular); `steps` milestones by number. `partial_after_h`: what was never completed goes when
    it is that old and a complete one is beyond it; else it stays.
    """

    last: Annotated[int, msgspec.Meta(ge=LEAST_LAST)] | None = None
    every: Positive | None = None
    every_closest: Positive | None = None
    steps: tuple[Annotated[int, msgspec.Meta(ge=0)], ...] = ()
    newer_h: Annotated[float, msgspec.Meta(gt=0)] | None = None
    partial_after_h: Annotated[float, msgspec.Meta(ge=1)] | None = None

    def in_words(self) -> str:
        """`the last 15, every 1,000`; empty where it says nothing."""
        parts = [
            f"the last {self.last:,}" if self.last else "",
            f"every {self.every:,}" if self.every else "",
            f"the closest to every {self.every_closest:,}" if self.every_closest else "",
            f"{len(self.steps):,} milestones" if self.steps else "",
            f"newer than {duration(self.newer_h * 3600)}" if self.newer_h else "",
        ]
        return ", ".join(part for part in parts if part)

    def missing(self) -> str:
        """Why nothing may be removed by this policy; empty where it may."""
        if self.last is None and self.newer_h is None:
            return (
                f"a policy that may remove anything has to say how much of the newest is kept: set "
                f"keep_last (at least {LEAST_LAST}) or keep_newer_h"
            )
        return ""


class Round(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One round of training, in iterations."""

    target: Positive
    save_interval: Positive
