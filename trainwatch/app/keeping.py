"""What is still to be kept of one run, and what views are to be told: both go to its store, not too often."""

from collections.abc import Callable, Sequence

from trainwatch.core.columns import Columns
from trainwatch.core.errors import StoreFull, StoreUnusable
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.state import Event, RunState
from trainwatch.core.model.status import Status
from trainwatch.core.ports import Store

_INTERVAL_S, _ROWS = 2.0, 20_000  # while catching up, what is read is kept so often
_MOST_ROWS = 50_000  # in memory while the disk is full; then reading waits


class Keeping:
    """What cannot be kept yet waits in memory. Without a store (None) nothing is kept or told."""

    def __init__(self, store: Store | None, warning: str = "") -> None:
        self.warning = warning  # why nothing can be kept
        self._store = store
        self._rows, self._events = Columns(), list[Event]()
        self._unkept = False
        self._untold = True
        self._kept_at = self._told_at = float("-inf")

    @property
    def trouble(self) -> str:
        """Why nothing can be kept; empty when it can."""
        return "there is no store" if self._store is None else self.warning

    @property
    def is_full(self) -> bool:
        """Whether so much waits that nothing more may be read."""
        return self._rows.rows > _MOST_ROWS

    @property
    def is_kept(self) -> bool:
        """Whether all that was added is in the store."""
        return self._store is not None and not self._unkept

    def add(self, rows: Columns) -> None:
        """Iterations for the history."""
        self._rows.extend(rows)

    def note(self, events: Sequence[Event]) -> None:
        """Events for the journal."""
        self._events.extend(events)

    def changed(self, *, keep: bool = True) -> None:
        """State or memory changed: views are told, and it is worth a write if `keep`."""
        self._untold = True
        self._unkept = self._unkept or keep

    def is_due(self, now: float) -> bool:
        """Whether to keep although there is more to read at once."""
        return self._rows.rows >= _ROWS or now - self._kept_at >= _INTERVAL_S

    def requests(self) -> Sequence[AlertRequest]:
        """What people asked for since the last time."""
        return () if self._store is None else self._store.requests()

    def keep(self, state: RunState, mark: Mark, memory: Memory, now: float) -> None:
        """All of it or nothing; what could not be kept waits for the next time."""
        self._kept_at = now
        if self._store is None or not self._unkept:
            self._rows, self._events = Columns(), []
            return
        try:
            self._store.commit(self._rows, self._events, state, mark, memory)
        except (StoreFull, StoreUnusable) as error:
            self._warn(str(error))
            return
        self._rows, self._events, self._unkept = Columns(), [], False
        self._warn("")

    def tell(self, status: Callable[[float], Status], now: float, heartbeat_s: float = 0.0) -> None:
        """Tell views how the run is, if that changed or they have waited for a heartbeat."""
        if not self._untold and 0 <= now - self._told_at < heartbeat_s:
            return
        self._told_at, self._untold = now, False
        if self._store is None:
            return
        try:
            self._store.publish(status(now))
        except (StoreFull, StoreUnusable) as error:
            self._warn(str(error))

    def close(self) -> None:
        """Let go of the store."""
        if self._store is not None:
            self._store.close()

    def _warn(self, warning: str) -> None:
        self._untold = self._untold or warning != self.warning
        self.warning = warning
