"""What a status says of checkpoints and of what is sent away: bounded in size, however many there are.

Part of the interface, as all of a status: fields are added, never renamed. Times are s since the epoch.
"""

from typing import Literal

import msgspec

Mark = Literal["kept", "goes", "at-risk", "writing", "partial"]
"""How a checkpoint stands: it stays; pruning would remove it; it stays, but the site soon purges it; it is
being written; nothing proves that it is complete."""


class CheckpointRow(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One checkpoint. `why`: every reason that it stays for, or why it goes."""

    name: str
    mark: Mark
    state: str = ""  # complete, partial, writing, unknown
    iteration: int | None = None
    bytes: int | None = None
    saved_at: float | None = None
    purge_at: float | None = None  # from then on the site may remove it, unless somebody reads it
    why: str = ""
    tracked: bool = False  # the tracker names it: a job would load it
    loaded: bool = False  # the last attempt went on from it
    backed_up: str = ""  # where


class Tick(msgspec.Struct, frozen=True, kw_only=True):
    """All checkpoints of a stretch of iterations, as few as one: how many have each mark."""

    first: int
    last: int
    marks: dict[Mark, int]


class CheckpointsStatus(msgspec.Struct, frozen=True, kw_only=True):
    """The checkpoints of a run, as their folder was listed last, and what pruning would do."""

    at: float  # when they were listed
    root: str = ""
    count: int = 0
    complete: int = 0
    bytes: int = 0
    rows: tuple[CheckpointRow, ...] = ()  # the newest first; if not all, those one asks about
    ticks: tuple[Tick, ...] = ()  # all of them, by iteration
    period_s: float | None = None  # from one save to the next
    next_save: int | None = None  # the iteration that is saved next
    purge_after_days: float | None = None  # None: the site removes nothing, as far as is configured
    policy: str = ""  # which stay; empty: none is configured, and nothing is pruned
    goes: int = 0  # checkpoints that pruning would remove
    prunable_bytes: int | None = None  # what that would free
    refused: tuple[str, ...] = ()  # why it would remove nothing
    prunes: bool = False  # the watcher does it by itself


class SyncStatus(msgspec.Struct, frozen=True, kw_only=True):
    """A route, as its last turn ended. `last_ok_at`: when all that was due had arrived."""

    route: str
    at: float
    ok: bool
    to: str = ""
    last_ok_at: float | None = None
    permanent: bool = False  # trying again will not help
    why: str = ""  # what is wrong now
    failing_since: float | None = None
    sent_bytes: int | None = None  # all that ever arrived
    sent_files: int | None = None
    waiting_bytes: int | None = None  # that are due
    commits: int | None = None  # of the last hour
    most_commits: int | None = None
    next_at: float | None = None
