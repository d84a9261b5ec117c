"""Waiting for what another process or thread does: its clock is its own, so the wait is a real one."""

import time
from collections.abc import Callable
from typing import TypeVar

T = TypeVar("T")

PATIENCE_S = 60.0  # what passes has passed long before; a machine that is busy is slow


def waits(true: Callable[[], T], within_s: float = PATIENCE_S, every_s: float = 0.02) -> T:
    """What it says in the end: as soon as that is so, or when the time is over."""
    ends = time.monotonic() + within_s
    while not (so := true()) and time.monotonic() < ends:
        time.sleep(every_s)
    return so


def until(true: Callable[[], T], what: str = "it", every_s: float = 0.02) -> T:
    """Wait for something to be so, and say what it is.

    Raises:
        AssertionError: it did not come to be.
    """
    so = waits(true, every_s=every_s)
    assert so, f"{what} did not happen in {PATIENCE_S:g} s"
    return so
