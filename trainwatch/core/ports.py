"""What the daemon needs of the world. Each port has one contract suite that the real thing and the fake pass.

Nothing here may block for long: callers give up after a deadline (app/probe.py) and say so.
"""

from collections.abc import Callable, Sequence
from typing import Literal, NamedTuple, Protocol

from trainwatch.core.columns import Columns
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.observations import AlertRequest, AttemptEnd, Job, Reservation
from trainwatch.core.model.state import Event, RunState
from trainwatch.core.model.status import Status
from trainwatch.core.model.syncing import Answer, Order, Taken
from trainwatch.core.model.syncing import Outcome as SyncOutcome
from trainwatch.core.model.telling import Outcome, Sending
from trainwatch.core.slurm.submitting import Submission


class LogRead(NamedTuple):
    """What a look at a log gave.

    `state`: `read` when there was something new (perhaps with more behind it: `more`), `quiet` when not,
    `missing` and `unreadable` (with `why`) when it could not be looked at: unknown, not silence.
    """

    state: Literal["read", "quiet", "missing", "unreadable"]
    data: bytes = b""
    offset: int = 0
    generation: int = 0
    more: bool = False
    size: int | None = None
    why: str = ""


class Log(Protocol):
    """A log that grows. It may not exist yet, be rotated, be cut short, lie about its size."""

    def poll(self, limit: int) -> LogRead:
        """The next complete lines, at most about `limit` bytes. Raises nothing but programming errors.

        Every complete line is returned exactly once per generation, in order; a line that is not
        complete is kept back. A file that was replaced or emptied starts a new generation.
        """
        ...

    def finish(self) -> LogRead:
        """What is left after the last line end, when nothing more is expected."""
        ...

    @property
    def mark(self) -> Mark:
        """Where the log is read up to: give it to another Log to go on there."""
        ...

    def close(self) -> None:
        """Let go of the file."""
        ...


class Saved(NamedTuple):
    """What a store holds of a run."""

    state: RunState
    mark: Mark
    recent: Columns
    looked_at: float | None = None  # when the last writer last looked at the log
    memory: Memory | None = None  # what its judge remembered


class Store(Protocol):
    """What is kept of one run. One writer, which holds the lease; any number of readers."""

    def load(self) -> Saved | None:
        """What was last committed; None for a new run. Raises StoreUnusable."""
        ...

    def commit(
        self,
        rows: Columns,
        events: Sequence[Event],
        state: RunState,
        mark: Mark,
        memory: Memory | None = None,
    ) -> None:
        """Keep all of it or nothing, also when killed. Raises StoreFull, LeaseHeld.

        `memory` is changed by its judge later on: what is kept is what it is now.
        """
        ...

    def publish(self, status: Status) -> None:
        """Replace what views read. Raises StoreFull, LeaseHeld."""
        ...

    def requests(self) -> Sequence[AlertRequest]:
        """What people asked for since the last time, oldest first. Raises nothing but programming errors."""
        ...

    def close(self) -> None:
        """Give the lease back."""
        ...


class Sender(Protocol):
    """A way to one receiver. It may take its time: it is called in a thread of its own."""

    def send(self, sending: Sending, now: float) -> Outcome:
        """Send it as one message. Raises nothing; what it says never holds the receiver's URL."""
        ...


class Scheduler(Protocol):
    """A cluster's queue and its books. It may take its time: it is asked in a thread of its own."""

    def queue(self) -> tuple[Job, ...]:
        """The jobs that are watched for, arrays folded as the scheduler folds them.

        Raises SchedulerUnknown for anything but an answer. No jobs is an answer.
        """
        ...

    def ended(self, job_ids: Sequence[str]) -> tuple[AttemptEnd, ...]:
        """How these jobs ended, as far as the books know by now: they lag. Raises SchedulerUnknown."""
        ...

    def reservations(self) -> tuple[Reservation, ...]:
        """Those that whoever asks may see, and that are not over. Raises SchedulerUnknown."""
        ...


class Scene(NamedTuple):
    """Where evidence of a stall is to be found, and where to."""

    job_id: str
    nodes: tuple[str, ...]
    log: str
    more_logs: tuple[str, ...]  # globs, beside the log
    folder: str  # which is made; those of earlier stalls lie beside it
    about: str  # for the index: which run, which alert, in a line


class Evidence(Protocol):
    """Collects what shows why a job hangs, without a change to it."""

    def collect(self, scene: Scene) -> str:
        """What was found, in a few words. Raises TrainwatchError where nothing could be kept.

        It has a deadline for each thing; what failed stands in the folder's index.
        """
        ...


class JobHands(Protocol):
    """What may be done to jobs. Each call takes its time, up to a deadline; whoever calls has a plan."""

    def submit(self, job: Submission) -> str:
        """The id of the new job.

        Raises SubmissionRefused: there is none; SchedulerUnknown: nobody knows, look for its comment.
        """
        ...

    def cancel(self, job_ids: Sequence[str]) -> None:
        """End jobs that run or wait; those that are gone are none the worse. Raises as `submit`."""
        ...

    def hold(self, job_id: str) -> None:
        """What waits of a job or an array does not start. Raises as `submit`."""
        ...

    def release(self, job_id: str) -> None:
        """It may start again. Raises as `submit`."""
        ...


class Target(Protocol):
    """A way to where files are sent. It blocks up to its deadline: it is used in a thread of its own."""

    def send(
        self,
        order: Order,
        deadline_s: float,
        begun: Callable[[tuple[Taken, ...]], Sequence[int]],
        beat: Callable[[], None] = lambda: None,
    ) -> SyncOutcome:
        """Read the pieces, ask `begun` which of them to send (by number), and send these.

        Nothing has left before `begun` returned. `beat` is called every few seconds. Raises what these two
        raise; nothing is under way then. No secret is in what the outcome says.
        """
        ...

    def arrived(
        self, order: Order, deadline_s: float, beat: Callable[[], None] = lambda: None
    ) -> Answer | SyncOutcome:
        """Whether what was sent under the order's token is there; an outcome says why nobody knows."""
        ...

    def close(self) -> None:
        """End what is under way."""
        ...
