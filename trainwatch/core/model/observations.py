"""What trainwatch learned of the world, each a frozen value with the time it was made.

Times are seconds since the epoch, sizes are bytes. A recording is a file of these.
"""

from typing import Literal

import msgspec


class LogChunk(msgspec.Struct, frozen=True, kw_only=True):
    """These complete lines were appended to this log.

    `data` ends with a line end, unless the log itself ends without one and nothing more is expected.
    While `live` is false we are catching up: `at` is when we read, and says nothing of when the
    lines were written.
    """

    at: float
    path: str
    data: bytes
    offset: int = 0
    generation: int = 0
    live: bool = True


class Job(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One row of the scheduler's queue.

    `job_id` is as people write it: `7`, `7_3`, `7_[4-9%1]` (tasks that wait), `7+1` (a part of several).
    Names and comments are other people's text: clean them before they are shown. Empty text is unknown.
    """

    job_id: str
    name: str
    state: str
    reason: str = ""
    nodes: tuple[str, ...] = ()
    time_limit_s: float | None = None  # None: no limit, or unknown
    start: float | None = None  # of one that waits: when the scheduler expects to start it
    user: str = ""
    account: str = ""
    partition: str = ""  # of one that waits: all that it may run in, with commas
    qos: str = ""
    comment: str = ""
    array_job_id: str = ""  # the same for all tasks of an array; otherwise the job's own id
    dependency: str = ""  # what it still waits for, as the scheduler writes it
    submit: float | None = None
    end: float | None = None  # when the limit ends it at the latest
    node_count: int | None = None


class QueueReading(msgspec.Struct, frozen=True, kw_only=True):
    """What the scheduler answered; `unknown` is an answer we could not get, never an empty queue."""

    at: float
    state: Literal["ok", "unknown"]
    jobs: tuple[Job, ...] = ()
    why: str = ""


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One checkpoint directory. `complete` is None while nobody can say."""

    name: str
    iteration: int | None = None
    bytes: int | None = None
    files: int | None = None
    complete: bool | None = None
    mtime: float | None = None
    atime: float | None = None


class CheckpointReading(msgspec.Struct, frozen=True, kw_only=True):
    """The checkpoints that exist, and the one the tracker file names."""

    at: float
    latest: str | None = None
    found: tuple[Checkpoint, ...] = ()


class DiskReading(msgspec.Struct, frozen=True, kw_only=True):
    """Room on one watched filesystem, or within a quota on it."""

    at: float
    path: str
    bytes_total: int | None = None
    bytes_free: int | None = None
    inodes_total: int | None = None
    inodes_free: int | None = None


class AttemptEnd(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """An allocation that ended, as the scheduler's accounting tells of it.

    A job that is requeued keeps its id: (`job_id`, `start`) is what tells its attempts apart.
    """

    job_id: str
    state: str
    exit_code: str = ""  # code:signal
    nodes: tuple[str, ...] = ()
    start: float | None = None
    end: float | None = None
    reason: str = ""
    name: str = ""
    user: str = ""
    array_job_id: str = ""  # the same for all tasks of an array; otherwise the job's own id
    submit: float | None = None
    elapsed_s: float | None = None
    time_limit_s: float | None = None  # None: no limit, or unknown


class AccountingReading(msgspec.Struct, frozen=True, kw_only=True):
    """What `sacct` says of attempts that ended."""

    at: float
    state: Literal["ok", "unknown"]
    ended: tuple[AttemptEnd, ...] = ()
    why: str = ""


class SyncReading(msgspec.Struct, frozen=True, kw_only=True):
    """What became of sending something away. `last_ok_at`: when all that was due had arrived."""

    at: float
    route: str
    ok: bool
    last_ok_at: float | None = None
    permanent: bool = False  # trying again will not help
    why: str = ""


class ScriptReading(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an hourly or daily script. `exit_code` None: it was ended after its deadline."""

    at: float
    script: str
    exit_code: int | None
    took_s: float | None = None
    why: str = ""  # the last lines that it wrote


class WatcherReading(msgspec.Struct, frozen=True, kw_only=True):
    """How the watcher itself is. `blind` says why the log cannot be seen; empty when it can."""

    at: float
    blind: str = ""


class AlertRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody asks not to be told, or to be told again.

    `ack` is of a firing alert (`key` empty: all of the rule), `silence` of a rule (empty: all) until `until`,
    `unmute` takes back what fits.
    """

    at: float
    ask: Literal["ack", "silence", "unmute"]
    rule: str = ""
    key: str = ""
    until: float | None = None
    by: str = ""
    why: str = ""


Observation = (
    LogChunk
    | QueueReading
    | CheckpointReading
    | DiskReading
    | AccountingReading
    | SyncReading
    | ScriptReading
    | WatcherReading
    | AlertRequest
)
