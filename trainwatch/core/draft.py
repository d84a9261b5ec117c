"""A run state that is being changed: what the fold works on between two frozen states.

The trap: fields are set by force, which is only right on the copies that this object made for itself.
"""

from collections.abc import Callable

from msgspec.structs import force_setattr, replace

from trainwatch.core import clocks
from trainwatch.core.columns import Columns
from trainwatch.core.facts import Facts
from trainwatch.core.model.observations import LogChunk
from trainwatch.core.model.records import Record
from trainwatch.core.model.state import Attempt, Counters, Event, Phase, RunState, Time


class Draft:
    """The state so far, what was added to history and journal, and the chunk that is being read."""

    def __init__(
        self, state: RunState, chunk: LogChunk, utc_offset_s: float, keep: frozenset[str] | None
    ) -> None:
        """`keep` are the columns that are handed out, None for all."""
        if state.attempts:
            state = replace(state, attempts=(*state.attempts[:-1], replace(state.attempts[-1])))
        self.state = replace(state, counters=replace(state.counters))
        self.keep = keep
        self.rows = Columns() if keep is None or keep else None
        self.events: list[Event] = []
        self.seen_at = chunk.at
        self.live = chunk.live
        self.utc_offset_s = utc_offset_s
        self.offset = 0  # in the log, of the line that is being read
        self.has_place = True  # what happens is a line of the log

    def set(self, **changes: object) -> None:
        """Change fields of the state."""
        for name, value in changes.items():
            force_setattr(self.state, name, value)

    @property
    def attempt(self) -> Attempt:
        """The attempt that runs; there is one as soon as anything was read."""
        if not self.state.attempts:
            self.add_attempt("first lines")
        return self.state.attempts[-1]

    def set_attempt(self, **changes: object) -> None:
        """Change fields of the running attempt."""
        attempt = self.attempt
        for name, value in changes.items():
            force_setattr(attempt, name, value)

    def add_attempt(self, reason: str) -> None:
        """Append an attempt (timeline.begin does the rest)."""
        began = Attempt(
            index=len(self.state.attempts),
            began_at=self.now(),
            reason=reason,
            facts=self.state.facts,
        )
        self.set(attempts=(*self.state.attempts, began))
        self.note("attempt-began", text=reason)

    def add_row(self, row: dict[str, float]) -> None:
        """Hand out a closed iteration."""
        if self.rows is not None:
            self.rows.append(row if self.keep is None else _only(row, self.keep))

    def count(self, **more: int) -> None:
        """Add to the counters."""
        counters: Counters = self.state.counters
        for name, value in more.items():
            force_setattr(counters, name, getattr(counters, name) + value)

    def set_facts(self, change: Callable[[Facts], Facts]) -> None:
        """Change what is known of the run, and so of the running attempt."""
        facts = change(self.state.facts)
        if facts is not self.state.facts:
            self.set_attempt(facts=facts)
            self.set(facts=facts)

    def tell_time(self, record: Record) -> Time | None:
        """The time of a line, which moves the clock; None if neither stamp nor arrival is known."""
        if record.stamp is not None:
            time = clocks.stamped(record.stamp, self.utc_offset_s, self.seen_at)
        elif self.live:
            time = Time(self.seen_at, "arrival")
        else:
            return None
        self.set(clock=time)
        return time

    def now(self) -> Time | None:
        """The time as far as the log tells it."""
        return Time(self.seen_at, "arrival") if self.live else self.state.clock

    def phase(self, phase: Phase) -> None:
        """Enter a phase; staying in it keeps its beginning."""
        if phase != self.state.phase:
            self.set(phase=phase, phase_since=self.now())

    def note(
        self,
        kind: str,
        *,
        text: str = "",
        iteration: int | None = None,
        time: Time | None = None,
        values: dict[str, float] | None = None,
    ) -> None:
        """Write a line of the journal."""
        when = time or self.now()
        self.events.append(
            Event(
                at=when.at if when else None,
                kind=kind,
                attempt=self.state.attempts[-1].index if self.state.attempts else None,
                iteration=iteration,
                offset=self.offset if self.has_place else None,
                text=text,
                values=values or {},
            )
        )


def _only(row: dict[str, float], names: frozenset[str]) -> dict[str, float]:
    return {name: value for name, value in row.items() if name in names}
