"""A store that forgets: for a run that is looked at where nothing can be kept.

Written by the thread that watches, looked at by another: whatever is handed out is a copy.
"""

import threading
from array import array
from collections.abc import Sequence

from trainwatch.core.columns import Columns
from trainwatch.core.journal import Journal, Seen
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.snapshot import History
from trainwatch.core.model.state import Event, RunState
from trainwatch.core.model.status import Status
from trainwatch.core.ports import Saved
from trainwatch.core.timeline import as_columns


class MemoryStore:
    """A `Store` (core/ports.py), and what views read of it."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._columns = Columns()
        self._journal = Journal()
        self._open: dict[str, float] | None = None
        self._status: Status | None = None
        self._handed: dict[str, array[float]] = {}
        self._asked: list[AlertRequest] = []

    def load(self) -> Saved | None:
        """Nothing: it begins with the process."""
        return None

    def commit(
        self,
        rows: Columns,
        events: Sequence[Event],
        state: RunState,
        mark: Mark,
        memory: Memory | None = None,
    ) -> None:
        """Keep all of it."""
        with self._lock:
            self._columns.extend(rows)
            self._journal.add(events)
            self._open = None if state.open is None else as_columns(state.open)
            self._handed = {}

    def publish(self, status: Status) -> None:
        """Replace what views read."""
        self._status = status

    def ask(self, request: AlertRequest) -> None:
        """Leave a request for whoever watches."""
        with self._lock:
            self._asked.append(request)

    def requests(self) -> list[AlertRequest]:
        """What was asked for since the last time, oldest first."""
        with self._lock:
            taken, self._asked = self._asked, []
        return taken

    def close(self) -> None:
        """Nothing is held."""

    def status(self) -> Status | None:
        """What was last published."""
        return self._status

    def history(self, wanted: frozenset[str]) -> History:
        """The wanted columns, the open iteration as their last row."""
        with self._lock:
            last = self._open
            for name in wanted - self._handed.keys():
                column = self._columns.column(name)[:]
                if last is not None:
                    column.append(last.get(name, float("nan")))
                self._handed[name] = column
            return History(
                rows=self._columns.rows + (last is not None),
                names=tuple(sorted({*self._columns.data, *(last or ())})),
                columns={name: self._handed[name] for name in wanted},
            )

    def journal(self) -> Seen:
        """What happened."""
        with self._lock:
            return self._journal.seen()
