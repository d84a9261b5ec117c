"""Waiting for what another process or thread does: its clock is its own, so the wait is a real one."""

import time
from collections.abc import Callable

PATIENCE_S = 60.0  # what passes has passed long before; a machine that is busy is slow


def waits(true: Callable[[], object], within_s: float = PATIENCE_S, every_s: float = 0.02) -> bool:
    """Whether it becomes so in time."""
    ends = time.monotonic() + within_s
    while not (so := true()) and time.monotonic() < ends:
        time.sleep(every_s)
    return bool(so)


def until(true: Callable[[], object], what: str = "it", every_s: float = 0.02) -> None:
    """Wait for something to be so.

    Raises:
        AssertionError: it did not come to be.
    """
    assert waits(true, every_s=every_s), f"{what} did not happen in {PATIENCE_S:g} s"
