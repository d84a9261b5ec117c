"""Faults of checkpoints: not written, too large, or not the one that is loaded."""

import msgspec

from trainwatch.simulate.faults.steps import FOREVER


class Unsaved(msgspec.Struct, frozen=True, kw_only=True):
    """Saves that are due from `first` to `last` are not made."""

    first: int
    last: int = FOREVER
    rule: str = "checkpoint-overdue"


class Oversized(msgspec.Struct, frozen=True, kw_only=True):
    """Checkpoints from `first` to `last` have `factor` times the bytes they should have."""

    first: int
    last: int = FOREVER
    factor: float
    rule: str = "checkpoint-size"


class Unread(msgspec.Struct, frozen=True, kw_only=True):
    """A checkpoint of long ago lies there, and nobody has read it for `age_days`."""

    iteration: int
    age_days: float
    rule: str = "purge-risk"


class Overshot(msgspec.Struct, frozen=True, kw_only=True):
    """Nobody stops the job at the target of a round, and it goes on saving."""

    iteration: int
    rule: str = "round-done"


class ResumeFrom(msgspec.Struct, frozen=True, kw_only=True):
    """An attempt (from 0) loads `iteration`, whatever the tracker names; 0 is random weights."""

    attempt: int
    iteration: int
    rule: str = "resume-mismatch"
