"""Whose fault it is that a copy was not made: of the checkpoint, or of what was found at the other side."""

from trainwatch.core.errors import TrainwatchError


class NotCopied(TrainwatchError):
    """The checkpoint cannot be copied as it is, or changed meanwhile: nothing counts as a backup."""


class NotRead(TrainwatchError):
    """What stands at the other side is not what its manifest says."""


class FarTrouble(TrainwatchError):
    """The other side does not do what it was asked for."""

    def __init__(self, why: str, *, again: bool) -> None:
        """`again`: whether the same may work later."""
        super().__init__(why)
        self.transient = again
