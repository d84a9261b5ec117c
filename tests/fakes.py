"""Fakes behind ports. Each passes the contract suite of the real thing (tests/adapters)."""

from collections.abc import Sequence

import msgspec
from msgspec.structs import replace

from trainwatch.core.columns import Columns
from trainwatch.core.errors import SchedulerUnknown, StoreFull, StoreUnusable, SubmissionRefused
from trainwatch.core.logs.lines import cut
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.observations import AlertRequest, AttemptEnd, Job, Reservation
from trainwatch.core.model.state import Event, RunState
from trainwatch.core.model.status import Status
from trainwatch.core.ports import LogRead, Saved, Scene
from trainwatch.core.slurm.submitting import Submission


class MemoryLog:
    """A `Log` over bytes that a test appends to."""

    def __init__(self) -> None:
        self.data: bytes | None = None
        self.trouble = ""
        self.mark = Mark()

    def write(self, more: bytes) -> None:
        self.data = (self.data or b"") + more

    def poll(self, limit: int) -> LogRead:
        if self.trouble:
            return LogRead("unreadable", why=self.trouble)
        if self.data is None:
            return LogRead("missing", why="no such log")
        offset, size = self.mark.offset, len(self.data)
        data = self.data[offset : offset + max(limit, 2 * 512 * 1024)]
        found = cut(data, self.mark.in_long_line, at_end=offset + len(data) >= size)
        if not found.used:
            return LogRead("quiet", size=size)
        self.mark = Mark(offset=offset + found.used, in_long_line=found.in_long_line)
        more = offset + len(data) < size
        return LogRead("read", found.lines, offset + found.start, 0, more, size)

    def finish(self) -> LogRead:
        rest = (self.data or b"")[self.mark.offset :]
        if not rest or self.mark.in_long_line:
            return LogRead("quiet")
        read = LogRead("read", rest, self.mark.offset)
        self.mark = Mark(offset=self.mark.offset + len(rest))
        return read

    def close(self) -> None:
        """Nothing to let go of."""


class MemoryStore:
    """A `Store` that keeps what a disk would, and can be full."""

    def __init__(self) -> None:
        self.rows = Columns()
        self.events: list[Event] = []
        self.kept: tuple[RunState, Mark] | None = None
        self.status: Status | None = None
        self.full = False
        self.commits = 0
        self.memory = b"null"
        self.asked: list[AlertRequest] = []

    def load(self) -> Saved | None:
        if self.kept is None:
            return None
        looked_at = self.status.heartbeat_at if self.status else None
        memory = msgspec.json.decode(self.memory, type=Memory | None, strict=False)
        return Saved(*self.kept, self.rows.tail(4096), looked_at, memory)

    def commit(
        self,
        rows: Columns,
        events: Sequence[Event],
        state: RunState,
        mark: Mark,
        memory: Memory | None = None,
    ) -> None:
        if self.full:
            raise StoreFull("no room left")
        self.commits += 1
        self.rows.extend(rows)
        self.events.extend(events)
        self.kept = state, mark
        self.memory = msgspec.json.encode(memory)  # as it is now

    def publish(self, status: Status) -> None:
        if self.full:
            raise StoreFull("no room left")
        self.status = status

    def requests(self) -> list[AlertRequest]:
        taken, self.asked = self.asked, []
        return taken

    def close(self) -> None:
        """Nothing to give back."""


class MemoryScheduler:
    """A `Scheduler` whose queue and books a test writes; it can be down."""

    def __init__(self) -> None:
        self.jobs: tuple[Job, ...] = ()
        self.books = dict[str, AttemptEnd]()
        self.trouble = ""
        self.asked = 0
        self.asked_for = list[str]()
        self.reserved: tuple[Reservation, ...] = ()
        self.hides_reservations = False
        self.asked_for_reservations = 0

    def queue(self) -> tuple[Job, ...]:
        self.asked += 1
        if self.trouble:
            raise SchedulerUnknown(self.trouble)
        return self.jobs

    def ended(self, job_ids: Sequence[str]) -> tuple[AttemptEnd, ...]:
        self.asked_for += job_ids
        if self.trouble:
            raise SchedulerUnknown(self.trouble)
        return tuple(self.books[job_id] for job_id in job_ids if job_id in self.books)

    def reservations(self) -> tuple[Reservation, ...]:
        self.asked_for_reservations += 1
        if self.trouble or self.hides_reservations:
            raise SchedulerUnknown(self.trouble or "Access/permission denied")
        return self.reserved


class MemoryHands:
    """`JobHands` on the queue of a MemoryScheduler. It may refuse, or lose the answer to what it did."""

    def __init__(self, scheduler: MemoryScheduler, user: str = "me") -> None:
        self._scheduler, self._user = scheduler, user
        self.refuses = ""
        self.silent = False  # submits, and never says so
        self.submitted = list[Submission]()
        self.did = list[str]()  # what was asked for and heard, in order
        self._last_id = 1000

    def submit(self, job: Submission) -> str:
        self._heard()
        self._last_id += 1
        self.did.append(f"submit {self._last_id}")
        self.submitted.append(job)
        folded = f"{self._last_id}_[{job.array}]" if job.array else str(self._last_id)
        new = Job(
            job_id=folded,
            array_job_id=str(self._last_id),
            name=job.name,
            state="PENDING",
            reason="Dependency" if job.dependency else "None",
            comment=job.comment,
            user=self._user,
        )
        self._scheduler.jobs += (new,)
        if self.silent:
            raise SchedulerUnknown("sbatch gave no answer in 60 s")
        return str(self._last_id)

    def cancel(self, job_ids: Sequence[str]) -> None:
        self._heard()
        self.did.append(f"cancel {' '.join(job_ids)}")
        gone = set(job_ids)
        self._scheduler.jobs = tuple(
            job for job in self._scheduler.jobs if not gone & {job.job_id, job.array_job_id}
        )

    def hold(self, job_id: str) -> None:
        self._change(job_id, "JobHeldUser")
        self.did.append(f"hold {job_id}")

    def release(self, job_id: str) -> None:
        self._change(job_id, "None")

    def _change(self, job_id: str, reason: str) -> None:
        self._heard()
        self._scheduler.jobs = tuple(
            replace(job, reason=reason)
            if job.state == "PENDING" and job_id in (job.job_id, job.array_job_id)
            else job
            for job in self._scheduler.jobs
        )

    def _heard(self) -> None:
        if self._scheduler.trouble:
            raise SchedulerUnknown(self._scheduler.trouble)
        if self.refuses:
            raise SubmissionRefused(self.refuses)


class MemoryEvidence:
    """`Evidence` that notes where it was asked to look; it may find nothing."""

    def __init__(self) -> None:
        self.scenes = list[Scene]()
        self.trouble = ""

    def collect(self, scene: Scene) -> str:
        self.scenes.append(scene)
        if self.trouble:
            raise StoreUnusable(self.trouble)
        return "2 of 2 things: job.txt, logs"
