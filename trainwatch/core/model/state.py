"""What trainwatch knows of one run: the value that observations are folded into.

Small on purpose: a few counters and the newest iteration. What came before is in history columns
(core/columns.py), whose last rows the daemon keeps beside this. Times are s since the epoch; unknown is None.
"""

from typing import Literal

import msgspec

from trainwatch.core.facts import Facts
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.observations import (
    CheckpointReading,
    DiskReading,
    ProcessReading,
    QueueReading,
)
from trainwatch.core.model.predictions import Prediction
from trainwatch.core.model.records import Exit, Fault, RankSpeed, SlurmNotice

Phase = Literal["unknown", "startup", "load", "train", "evaluate", "save", "exit"]
ClockSource = Literal["stamp", "arrival", "added-up"]

COMMAND = "command started"  # why an attempt began that `trainwatch run` started
RECENT_ROWS = 4096  # iterations that are kept in memory beside the state
LATELY_ROWS = 32  # iterations back that a second rank's copy of a record may lag


class Time(msgspec.Struct, frozen=True):
    """A point in time and how it is known. `added-up`: iteration times since the last stamp."""

    at: float
    source: ClockSource


class Row(msgspec.Struct, frozen=True, kw_only=True):
    """The newest iteration. It stays open, as other lines may tell more of it, until the next begins."""

    iteration: int
    attempt: int
    format: str
    time: Time | None
    values: dict[str, float]
    flags: int = 0
    elapsed_s: float | None = None
    stamped: bool = False


class Tally(msgspec.Struct, frozen=True, kw_only=True):
    """Counts and sums over iteration records, so that no one has to read history for a mean."""

    records: int = 0
    first_iteration: int | None = None
    last_iteration: int | None = None
    step_times: int = 0
    step_time_sum_s: float = 0.0
    batch_step_time_sum_s: float = 0.0  # of the records that also print their batch size
    batch_sum: float = 0.0
    skipped: float = 0.0  # iterations, as the job counts them
    nan_losses: int = 0  # records whose loss was NaN
    retrained: int = 0  # records of iterations that an earlier attempt had completed
    loss: float | None = None  # the last known


class Died(msgspec.Struct, frozen=True, kw_only=True):
    """The processes of an attempt are gone, and this was seen. `how` is in the words for ends of attempts."""

    at: float
    how: Literal[
        "completed", "exited", "cancelled", "crashed", "killed", "out-of-memory", "unknown"
    ]
    said: str  # exit code 1; killed by SIGKILL


class Attempt(msgspec.Struct, frozen=True, kw_only=True):
    """One start of the job: from a startup line, or from a step back, to the next."""

    index: int
    began_at: Time | None = None
    reason: str = ""  # how we know that it began: a marker, "rollback", "resumed"
    markers: tuple[str, ...] = ()
    format: str = ""
    speaker: str = ""
    facts: Facts = Facts()
    tally: Tally = Tally()
    last_at: Time | None = None
    training_began_at: Time | None = None
    loaded_iteration: int | None = None
    fresh_weights: bool = False
    job_id: str = ""
    fault: Fault | None = None  # the first line that may be the cause of its end
    cascade: Fault | None = None  # the first line that only follows from one
    faults: int = 0
    teardown: bool = False
    exit: Exit | None = None
    notice: SlurmNotice | None = None
    after_end: int = 0  # iterations that were printed after a definite end
    died: Died | None = None
    open_end: bool = True  # nothing said yet that it is over


class Save(msgspec.Struct, frozen=True, kw_only=True):
    """What the log says of checkpoints."""

    started_iteration: int | None = None
    started_at: Time | None = None
    iteration: int | None = None  # of the last complete one
    attempt: int | None = None  # that completed it: another may save the same iteration again
    at: Time | None = None
    duration_s: float | None = None
    path: str = ""
    count: int = 0
    timed: int = 0
    duration_sum_s: float = 0.0
    duration_max_s: float = 0.0


class ValidationResult(msgspec.Struct, frozen=True, kw_only=True):
    """One validation."""

    iteration: int | None
    time: Time | None
    name: str
    values: dict[str, float]


class Progress(msgspec.Struct, frozen=True, kw_only=True):
    """A progress bar's word on how far the attempt is, where records do not say it."""

    done: int
    total: int | None
    time: Time | None
    step_time_s: float | None
    elapsed_s: float | None


class RankReport(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What the job said of the speed of its ranks at one time, see RankSpeeds: the slowest, the fastest."""

    kind: str
    attempt: int
    time: Time | None = None
    speeds: tuple[RankSpeed, ...] = ()


class Counters(msgspec.Struct, frozen=True, kw_only=True):
    """What was seen and not kept."""

    torn: int = 0
    duplicates: int = 0
    overflows: int = 0
    records: int = 0


class RunState(msgspec.Struct, frozen=True, kw_only=True):
    """One run, as far as it is known."""

    run: str
    log: str = ""
    generation: int = 0
    seen_at: float | None = None  # of the last observation
    clock: Time | None = None
    attempts: tuple[Attempt, ...] = ()
    facts: Facts = Facts()
    open: Row | None = None
    rows: int = 0  # iterations that are closed, and in history
    high_water: int | None = None  # the furthest iteration ever completed
    previous_high_water: int | None = None  # before this attempt: up to it, training is repeated
    lately: tuple[tuple[int, float], ...] = ()  # (iteration, loss) of the last records
    bar: Progress | None = None
    target_iteration: int | None = None  # as iteration records print it
    phase: Phase = "unknown"
    phase_since: Time | None = None
    save: Save = Save()
    validation: ValidationResult | None = None
    counters: Counters = Counters()
    parameters_by_shard: dict[str, float] = {}
    queue: QueueReading | None = None
    allocations: tuple[Allocation, ...] = ()  # in order of their start
    predictions: tuple[Prediction, ...] = ()  # of what waits, in order of their start
    checkpoints: CheckpointReading | None = None
    disks: dict[str, DiskReading] = {}
    processes: ProcessReading | None = None
    command_at: float | None = None  # when the command was started whose processes were seen last
    rank_reports: tuple[RankReport, ...] = ()  # the last ones; lines of the newest may be to come

    @property
    def speaks(self) -> bool:
        """Whether anything in the log was understood: an attempt may be known by its processes alone."""
        known = self.counters.records or self.rows or self.open is not None or self.bar is not None
        return bool(self.attempts) and (bool(known) or self.attempts[0].reason != COMMAND)


class Event(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Something rare that happened: a line of the journal."""

    at: float | None
    kind: str
    attempt: int | None = None
    iteration: int | None = None
    offset: int | None = None  # of the line in its log
    text: str = ""
    values: dict[str, float] = {}
