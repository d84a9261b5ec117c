"""Folding a piece of log for a test: the state, the rows and the events that come of it."""

from collections.abc import Iterable

import msgspec

from trainwatch.core.columns import Columns
from trainwatch.core.facts import Facts
from trainwatch.core.figures import Figures, figures_of
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.observations import LogChunk
from trainwatch.core.model.state import Attempt, Event, RunState
from trainwatch.core.model.status import Status
from trainwatch.core.run import Reader
from trainwatch.core.status import status_of

_encode = msgspec.msgpack.Encoder(order="sorted").encode
NOW = 1_800_000_000.0  # 2027-01-15, later than any stamp in a test


class Run:
    """One run that a test feeds with log. Catching up unless it is told that lines are live."""

    def __init__(
        self,
        log: str | bytes | Iterable[str] = b"",
        *,
        at: float = NOW,
        live: bool = False,
        in_columns: bool = True,
        utc_offset_s: float = 0.0,
    ) -> None:
        self.state = RunState(run="a run")
        self.rows = Columns()
        self.events: list[Event] = []
        self._reader = Reader(Scanner(in_columns=in_columns), utc_offset_s=utc_offset_s)
        self._offset = 0
        self.read(log, at=at, live=live)

    def read(
        self, log: str | bytes | Iterable[str], *, at: float = NOW, live: bool = False
    ) -> "Run":
        """Read on: text, bytes, or lines without their ends."""
        data = _bytes(log)
        chunk = LogChunk(at=at, path="main_log.txt", data=data, offset=self._offset, live=live)
        self._offset += len(data)
        step = self._reader.advance(self.state, chunk)
        self.state = step.state
        self.rows.extend(step.rows)
        self.events.extend(step.events)
        return self

    @property
    def attempts(self) -> tuple[Attempt, ...]:
        return self.state.attempts

    def column(self, name: str) -> list[float]:
        """A column of the closed iterations."""
        return list(self.rows.column(name))

    def iterations(self) -> list[int]:
        """All iterations in order, the open one with them."""
        numbers = [int(number) for number in self.rows.column("iteration")]
        return numbers if self.state.open is None else [*numbers, self.state.open.iteration]

    def attempts_of_iterations(self) -> list[int]:
        """Which attempt trained each of them."""
        numbers = [int(number) for number in self.rows.column("attempt")]
        return numbers if self.state.open is None else [*numbers, self.state.open.attempt]

    def kinds(self) -> list[str]:
        """What the journal tells."""
        return [event.kind for event in self.events]

    def figures(self, configured: Facts | None = None) -> Figures:
        return figures_of(self.state, self.rows, configured or Facts())

    def status(self, now: float = NOW, configured: Facts | None = None) -> Status:
        return status_of(self.state, self.rows, configured or Facts(), now)


def _bytes(log: str | bytes | Iterable[str]) -> bytes:
    if isinstance(log, bytes):
        return log
    if isinstance(log, str):
        return log.encode()
    return "".join(f"{line}\n" for line in log).encode()


def told(run: Run) -> tuple[bytes, bytes, bytes]:
    """All that a run came to, so that two can be compared: NaN is NaN, and order does not matter."""
    events = _encode(run.events)
    columns = {name: column.tobytes() for name, column in run.rows.data.items()}
    known = {n: c for n, c in columns.items() if any(v == v for v in run.rows.data[n])}
    return _encode(run.state), _encode({**known, "rows": run.rows.rows}), events
