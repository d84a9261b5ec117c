"""Faults that end an attempt, or bring it to a halt while the queue says RUNNING.

Each strikes `times` times, whenever it is due: after `iteration` is completed, in the evaluation or the save
that follows it, or in the start of an attempt that goes on from it.
"""

import math
from typing import Literal

import msgspec

Cause = Literal[
    "out-of-memory",
    "ecc",
    "bus-error",
    "illegal-access",
    "xid",
    "disk-full",
    "learning-rate",
    "batch-size",
]
Phase = Literal["startup", "load", "train", "evaluate", "save"]


class Crash(msgspec.Struct, frozen=True, kw_only=True):
    """One rank dies of `cause`; the others wait for it and time out.

    With `lingers_h` the launcher stays alive: nothing more is said, the queue says RUNNING, and after so
    many hours somebody cancels the job.
    """

    iteration: int
    phase: Literal["train", "save"] = "train"
    cause: Cause = "out-of-memory"
    rank: int = 5
    timeout_s: float = 600.0  # of the collectives of the other ranks
    lingers_h: float | None = None
    times: int = 1
    rule: str = "crash"


class Hang(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing goes on, and nothing is said, until somebody cancels the job or its time limit does.

    `reason` is what squeue shows beside RUNNING, such as `Prolog`.
    """

    iteration: int
    phase: Phase = "train"
    hours: float = math.inf
    reason: str = ""
    times: int = 1
    rule: str = "stall"


class Stillborn(msgspec.Struct, frozen=True, kw_only=True):
    """Attempts that go on from `iteration` die at `share` of their start-up."""

    iteration: int
    cause: Cause = "out-of-memory"
    share: float = 0.5
    rank: int = 5
    times: int = 1
    rule: str = "crash"


class Unstarted(msgspec.Struct, frozen=True, kw_only=True):
    """Attempts that go on from `iteration` fail within seconds, before they can open their log.

    An inode quota that is used up does that. Only accounting tells of them: FAILED, with exit code 0:53.
    """

    iteration: int
    seconds: float = 11.0
    times: int = 1
    rule: str = "crash-loop"


class KillSwitch(msgspec.Struct, frozen=True, kw_only=True):
    """A forgotten file: attempts that go on from `iteration` exit as they begin to train."""

    iteration: int
    times: int = 1
    rule: str = "kill-switch"


class Cancelled(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody cancels the job after this iteration. Nothing is wrong with that."""

    iteration: int
    phase: Literal["train"] = "train"
    times: int = 1


EndFault = Crash | Hang | Stillborn | Unstarted | KillSwitch | Cancelled
