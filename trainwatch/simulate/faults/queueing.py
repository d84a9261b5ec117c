"""Faults of the queue: nothing behind the running job, a wait without an end, a scheduler that is silent.

Attempts are counted from 0.
"""

import msgspec


class NothingQueued(msgspec.Struct, frozen=True, kw_only=True):
    """Nothing waits behind this attempt, and for `hours` after its end nobody queues another."""

    attempt: int
    hours: float
    rule: str = "no-successor"
    rule_after: str = "not-queued"


class LongWait(msgspec.Struct, frozen=True, kw_only=True):
    """This attempt waits `hours` for its start, which squeue puts off again and again."""

    attempt: int
    hours: float
    reason: str = "Resources"
    starts_in_s: float | None = 28_800.0  # always so far away; None: squeue gives no estimate
    rule: str = "pending-long"  # empty: it is explained, and nobody is to be told


class QueueUnknown(msgspec.Struct, frozen=True, kw_only=True):
    """squeue does not answer for a while. Hours are of the run."""

    first_h: float
    hours: float
    why: str = "slurm_load_jobs error: Socket timed out on send/recv operation"
    rule: str = "blind"
    key: str = "queue"


class FalselyEmpty(msgspec.Struct, frozen=True, kw_only=True):
    """squeue answers that there is nothing, while the job goes on: the login node cannot fork."""

    first_h: float
    hours: float
