"""What one line of a log says. A line may hold several records, or none.

Parsers are context-free: a record holds what its own line says and nothing else. Joining the lines
of one iteration, dropping repeats and telling attempts apart is the fold's work (core/timeline.py).
Times in a log are naive: `stamp` is seconds since the epoch as if the log's clock were UTC.
"""

from typing import Literal

import msgspec


class Record(msgspec.Struct, frozen=True, kw_only=True):
    """The base: which format read it, the rank that printed it, and the line's own time stamp."""

    format: str = ""
    speaker: str = ""
    stamp: float | None = None


class Iteration(Record, frozen=True, kw_only=True):
    """One completed training iteration (or the mean over a log interval that ends with it).

    `values` maps the names in core/columns.py to numbers in the units of those names. A value that was
    not printed, was stale or was not measured is not in it. `iteration` is None where the line
    does not say (HF Trainer) and on the continuation lines of a multi-line record (`part` is true).
    """

    iteration: int | None
    target: int | None = None
    values: dict[str, float]
    part: bool = False
    # Megatron leaves the loss out when it is NaN, and when the step was skipped; a record that
    # always prints what it measured says so here, which makes absence mean NaN.
    loss_expected: bool = False
    # What the line tells about time when it has neither stamp nor step time: s since training began.
    elapsed_s: float | None = None


class Bar(Record, frozen=True, kw_only=True):
    """A progress bar that counts iterations: progress, but no measured values."""

    done: int
    total: int | None = None
    epoch: int | None = None
    step_time_s: float | None = None
    elapsed_s: float | None = None


class Validation(Record, frozen=True, kw_only=True):
    """A validation result; `name` is the data set where there are several."""

    iteration: int | None
    values: dict[str, float]
    name: str = ""


class ValidationBegins(Record, frozen=True, kw_only=True):
    """The job says that it starts to evaluate."""


class SaveStarted(Record, frozen=True, kw_only=True):
    """A checkpoint began to be written."""

    iteration: int | None
    path: str = ""


class SaveDone(Record, frozen=True, kw_only=True):
    """A checkpoint is complete, as the job says."""

    iteration: int | None
    path: str = ""
    duration_s: float | None = None


class SaveTime(Record, frozen=True, kw_only=True):
    """How long the last save took (the slowest rank)."""

    duration_s: float


class Loaded(Record, frozen=True, kw_only=True):
    """A checkpoint is being loaded, or was. `iteration` is None where the line does not say."""

    iteration: int | None
    path: str = ""
    done: bool = False


class FreshWeights(Record, frozen=True, kw_only=True):
    """Nothing was loaded: the job starts from random weights."""


class Startup(Record, frozen=True, kw_only=True):
    """A line that every attempt prints once as it begins.

    `once` is true where only one process prints it, so that a second one means a second attempt.
    """

    marker: str
    once: bool = True


class TrainingBegins(Record, frozen=True, kw_only=True):
    """Set-up is over; the first iteration runs. `iteration` is the first, where the line says."""

    iteration: int | None = None


class Argument(Record, frozen=True, kw_only=True):
    """One line of an argument dump, as printed: core/facts.py knows what it means."""

    key: str
    value: str


class Fact(Record, frozen=True, kw_only=True):
    """Something about the run under our own name (core/facts.py lists them), in that name's unit."""

    key: str
    value: float | str


class Exit(Record, frozen=True, kw_only=True):
    """The job says that it ends by itself, and how."""

    how: Literal["completed", "exited", "failed"]
    iteration: int | None = None
    after_min: float | None = None
    why: str = ""


class SlurmNotice(Record, frozen=True, kw_only=True):
    """Slurm says why it ended something. `stamp` is the notice's own time."""

    job_id: str
    why: Literal["cancelled", "time-limit", "preempted", "node-failure", "out-of-memory"]
    step: bool = False
    node: str = ""


class Fault(Record, frozen=True, kw_only=True):
    """A line that names an error.

    `role`: a `cause` can end an attempt by itself; a `cascade` follows from one (a collective that
    timed out because another rank died); a `warning` ends nothing; `teardown` says that processes
    are being stopped, after which errors are no causes.
    """

    kind: str
    role: Literal["cause", "cascade", "warning", "teardown"]
    text: str = ""
    node: str = ""
    rank: int | None = None


class Overflow(Record, frozen=True, kw_only=True):
    """A step was skipped because the fp16 gradients overflowed."""

    loss_scale: float | None = None


class RankSpeed(msgspec.Struct, frozen=True, gc=False):
    """How fast one rank is: comparable within its report only. `node` is empty where it is not named."""

    rank: int
    speed: float
    node: str = ""


class RankSpeeds(Record, frozen=True, kw_only=True):
    """A line of a report on the speed of ranks.

    `report` is empty on all but the first line, which says of what it is: `scores` compare ranks,
    `throughput` is what each achieved (stages of a pipeline have other work), `other` does not compare them.
    """

    report: str = ""
    speeds: tuple[RankSpeed, ...] = ()


class Clock(Record, frozen=True, kw_only=True):
    """A line that tells the time and nothing else we need."""


class Torn(Record, frozen=True, kw_only=True):
    """A record that another rank's output cut through, or that was never finished: counted, not read."""


AnyRecord = (
    Iteration
    | Bar
    | Validation
    | ValidationBegins
    | SaveStarted
    | SaveDone
    | SaveTime
    | Loaded
    | FreshWeights
    | Startup
    | TrainingBegins
    | Argument
    | Fact
    | Exit
    | SlurmNotice
    | Fault
    | Overflow
    | RankSpeeds
    | Clock
    | Torn
)
