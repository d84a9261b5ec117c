"""Fakes behind ports. Each passes the contract suite of the real thing (tests/adapters)."""

from collections.abc import Sequence

import msgspec

from trainwatch.core.columns import Columns
from trainwatch.core.errors import SchedulerUnknown, StoreFull
from trainwatch.core.logs.lines import cut
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.observations import AlertRequest, AttemptEnd, Job
from trainwatch.core.model.state import Event, RunState
from trainwatch.core.model.status import Status
from trainwatch.core.ports import LogRead, Saved


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
