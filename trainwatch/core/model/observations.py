"""What trainwatch learned of the world, each a frozen value with the time it was made.

Times are seconds since the epoch, sizes are bytes. A recording is a file of these.
"""

from typing import Literal

import msgspec

from trainwatch.core.model.policies import Round


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


class Reservation(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Nodes that the scheduler sets aside. Times are s since the epoch."""

    name: str
    start: float | None = None
    end: float | None = None
    nodes: str = ""  # folded: r1i[0-3]n0
    node_count: int | None = None
    partition: str = ""  # empty: of any
    flags: tuple[str, ...] = ()

    @property
    def maintenance(self) -> bool:
        """Whether it is for repairs: nobody's jobs run then."""
        return "MAINT" in self.flags


class QueueReading(msgspec.Struct, frozen=True, kw_only=True):
    """What the scheduler answered; `unknown` is an answer we could not get, never an empty queue.

    `maintenance`: reservations for it that are or are to come, as last heard; None is unknown.
    """

    at: float
    state: Literal["ok", "unknown"]
    jobs: tuple[Job, ...] = ()
    why: str = ""
    maintenance: tuple[Reservation, ...] | None = None


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One checkpoint directory. `complete` is None while nobody can say; `state` has it in more words.

    What a plan of pruning says of it is `keeps` (every reason that it stays for) or `goes` (why not).
    """

    name: str
    iteration: int | None = None
    bytes: int | None = None
    files: int | None = None
    complete: bool | None = None
    mtime: float | None = None
    atime: float | None = None
    state: str = ""  # complete, partial, writing, unknown; empty: nobody looked so closely
    keeps: str = ""
    goes: str = ""
    backed_up: str = ""  # where a copy is that was verified


class CheckpointReading(msgspec.Struct, frozen=True, kw_only=True):
    """The checkpoints that exist, and the one the tracker file names.

    `policy`: which stay, as people read it; empty where none is configured. `refused`: why the plan of it
    removes nothing at all.
    """

    at: float
    latest: str | None = None
    found: tuple[Checkpoint, ...] = ()
    root: str = ""  # the folder that they are in
    prunable_bytes: int | None = None  # what those have that the configured policy would remove
    policy: str = ""
    refused: tuple[str, ...] = ()
    prunes: bool = False  # the watcher does it by itself
    rounds: tuple[Round, ...] = ()  # of the training, as configured


class DiskReading(msgspec.Struct, frozen=True, kw_only=True):
    """Room on one watched filesystem, or within a quota on it.

    `path` is what it is called, `folder` what was asked about where that is something else.
    """

    at: float
    path: str
    bytes_total: int | None = None
    bytes_free: int | None = None
    inodes_total: int | None = None
    inodes_free: int | None = None
    folder: str = ""  # empty: `path` is one
    soft_until: float | None = None  # a soft limit is exceeded: nothing can be written from then on
    strays: tuple[
        str, ...
    ] = ()  # core files and runaway outputs, the largest first, as they are to be shown
    quota: str = ""  # whose word is in it: lustre, gpfs, ...; empty: nobody's


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
    """What became of sending something away. `last_ok_at`: when all that was due had arrived.

    `sent_bytes` and `sent_files` are all that arrived, `commits` those of the last hour, of `most_commits`.
    """

    at: float
    route: str
    ok: bool
    last_ok_at: float | None = None
    permanent: bool = False  # trying again will not help
    why: str = ""
    to: str = ""
    sent_bytes: int | None = None
    sent_files: int | None = None
    waiting_bytes: int | None = None  # that are due
    commits: int | None = None
    most_commits: int | None = None
    next_at: float | None = None  # when it is looked at again


class ScriptReading(msgspec.Struct, frozen=True, kw_only=True):
    """What became of an hourly or daily script. `exit_code` None: it was ended, after its deadline unless
    `how` says otherwise.
    """

    at: float
    script: str
    exit_code: int | None
    took_s: float | None = None
    how: str = ""  # a predicate, where it did not simply exit: was lost with its watcher
    why: str = ""  # the last lines that it wrote


class ProcessReading(msgspec.Struct, frozen=True, kw_only=True):
    """How the processes of a command are that `trainwatch run` started: the whole tree, on this machine.

    `began_at` (when the command was started) tells it from the next one. `alive` False: it is over, and that
    was seen; None: nobody can say. `exit_code` and `signal` are those of the main process, once it ended.
    """

    at: float
    state: Literal["ok", "unknown"] = "ok"
    why: str = ""
    began_at: float | None = None
    offset: int | None = None  # where in the log its output begins, bytes
    alive: bool | None = None
    count: int | None = None  # that live, without zombies
    workers: int | None = None  # of these, who never had a child: a launcher is none
    zombies: int | None = None
    cpu_s: float | None = None  # of all of them, the dead included
    rss_bytes: int | None = None
    exit_code: int | None = None
    signal: int | None = None
    asked: int | None = None  # the signal that we passed on to it
    oom_kills: int | None = None  # by the kernel, in its control group, since it was started


class WatcherReading(msgspec.Struct, frozen=True, kw_only=True):
    """How the watcher itself is. `blind` says why the log cannot be seen; empty when it can."""

    at: float
    blind: str = ""


class AlertRequest(msgspec.Struct, frozen=True, kw_only=True):
    """Somebody asks not to be told, or to be told again.

    `ack` is of a firing alert (`key` empty: all of the rule), `silence` of a rule (empty: all) until `until`,
    `unmute` takes back what fits. `apply` is no word on alerts: carry out, before `until`, what
    the hand named by `rule` plans for the cause `key`.
    """

    at: float
    ask: Literal["ack", "silence", "unmute", "apply"]
    rule: str = ""
    key: str = ""
    until: float | None = None
    by: str = ""
    why: str = ""


Hand = Literal["evidence", "cancel", "hold", "resubmit"]


class DeedReading(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What became of a deed of our hands on jobs: a line of the ledger.

    `outcome`: `planned` is what would be done if it were allowed; `begun` is written before anything is done;
    `refused` by the scheduler, `failed` on our side; `unknown`: it may have happened; `not-done`: nothing was
    done for sure, and it may be tried again.
    """

    at: float
    hand: Hand
    cause: str  # never done twice for one
    outcome: Literal["planned", "begun", "done", "refused", "failed", "unknown", "not-done"]
    token: str = ""  # tells deeds apart; the comment of a job that we submit
    rule: str = ""  # the alert that it was done about
    jobs: tuple[str, ...] = ()
    start: float | None = None  # of the allocation that is meant
    iteration: int | None = None  # the furthest that was completed by then
    detail: str = ""
    folder: str = ""  # where the evidence is
    exclude: str = ""  # nodes that the next job had better not have


Observation = (
    LogChunk
    | QueueReading
    | CheckpointReading
    | DiskReading
    | AccountingReading
    | SyncReading
    | ScriptReading
    | ProcessReading
    | WatcherReading
    | AlertRequest
    | DeedReading
)
