"""The fold: (state, observation) -> state, and what it adds to history and journal.

Pure: the same observations give the same state, whether they come live, from a recording or from a test.
"""

from collections.abc import Callable, Collection, Iterator
from typing import Any

import msgspec

from trainwatch.core import ending, facts, timeline
from trainwatch.core.bulk import on_rows
from trainwatch.core.columns import Columns
from trainwatch.core.command import on_processes
from trainwatch.core.draft import Draft
from trainwatch.core.ending import is_over
from trainwatch.core.logs.layout import Rows
from trainwatch.core.logs.scan import Marked, Scanner
from trainwatch.core.model.observations import (
    LogChunk,
    Observation,
    ProcessReading,
)
from trainwatch.core.model.records import (
    Argument,
    Bar,
    Clock,
    Exit,
    Fact,
    Fault,
    FreshWeights,
    Iteration,
    Loaded,
    Overflow,
    RankSpeeds,
    Record,
    SaveDone,
    SaveStarted,
    SaveTime,
    SlurmNotice,
    Startup,
    Torn,
    TrainingBegins,
    Validation,
    ValidationBegins,
)
from trainwatch.core.model.state import Event, RunState, ValidationResult
from trainwatch.core.readings import remember
from trainwatch.core.saves import on_save_done, on_save_started, on_save_time
from trainwatch.core.stragglers import on_rank_speeds


class Step(msgspec.Struct, frozen=True):
    """The state after an observation, and what the observation added."""

    state: RunState
    rows: Columns  # iterations that were closed: they go to history
    events: tuple[Event, ...]  # they go to the journal


class Reader:
    """Folds the observations of one run. Its only memory is the scanner's cache."""

    def __init__(
        self,
        scanner: Scanner,
        *,
        utc_offset_s: float = 0.0,
        keep: Collection[str] | None = None,
    ) -> None:
        """`utc_offset_s`: how far the clock that the log was written by is ahead of UTC.

        `keep` names the columns of closed iterations that are handed out: None is all of them, and an
        empty one only counts iterations, for a look over a whole log.
        """
        self._scanner = scanner
        self._utc_offset_s = utc_offset_s
        self._keep = None if keep is None else frozenset(keep)

    def advance(self, state: RunState, seen: Observation, marked: Marked | None = None) -> Step:
        """The state after `seen`. `marked`: the scanner's preparation of a chunk, if it is made."""
        if isinstance(seen, LogChunk):
            return self._read(state, seen, marked or self._scanner.mark(seen.data))
        return self._other(state, seen)

    def steps(
        self, state: RunState, seen: Observation, marked: Marked | None = None
    ) -> Iterator[Step]:
        """The same in pieces: each ends with the line that something rare happened in, or with the last."""
        if not isinstance(seen, LogChunk):
            yield self._other(state, seen)
            return
        draft = self._draft(state, seen)
        for offset, item in self._scanner.scan(marked or self._scanner.mark(seen.data)):
            self._take(draft, seen.offset + offset, item)
            if draft.events:
                step = _step(draft)
                draft = self._draft(step.state, seen)
                yield step
        yield _step(draft)

    def _read(self, state: RunState, chunk: LogChunk, marked: Marked) -> Step:
        draft = self._draft(state, chunk)
        for offset, item in self._scanner.scan(marked):
            self._take(draft, chunk.offset + offset, item)
        return _step(draft)

    def _other(self, state: RunState, seen: Observation) -> Step:
        """What is no log: only processes say when an attempt begins or ends."""
        if not isinstance(seen, ProcessReading):
            return Step(remember(state, seen), Columns(), ())
        nothing = LogChunk(at=seen.at, path=state.log, data=b"")
        draft = Draft(state, nothing, self._utc_offset_s, self._keep)
        draft.offset, draft.has_place = seen.offset or 0, seen.offset is not None
        on_processes(draft, seen)
        return _step(draft)

    def _draft(self, state: RunState, chunk: LogChunk) -> Draft:
        draft = Draft(state, chunk, self._utc_offset_s, self._keep)
        draft.set(seen_at=chunk.at, log=chunk.path, generation=chunk.generation)
        return draft

    @staticmethod
    def _take(draft: Draft, offset: int, item: Record | Rows) -> None:
        draft.offset = offset
        if isinstance(item, Rows):
            on_rows(draft, item)
        else:
            draft.count(records=1)
            _HANDLERS[type(item)](draft, item)


def _step(draft: Draft) -> Step:
    return Step(draft.state, draft.rows or Columns(), tuple(draft.events))


def _on_startup(draft: Draft, record: Startup) -> None:
    attempt = draft.attempt
    ended = is_over(attempt)
    moved = attempt.tally.records or draft.state.open or draft.state.bar
    again = record.once and record.marker in attempt.markers
    if moved or ended or again:
        timeline.begin(draft, record.marker)
    draft.set_attempt(markers=(*draft.attempt.markers, record.marker)[-8:])
    draft.tell_time(record)
    draft.phase("startup")


def _on_fact(draft: Draft, record: Fact) -> None:
    if record.key.startswith("parameters_on("):
        if len(draft.state.parameters_by_shard) < 65536:
            shards = {**draft.state.parameters_by_shard, record.key[13:]: float(record.value)}
            draft.set(parameters_by_shard=shards)
    else:
        draft.set_facts(lambda known: facts.learn(known, record.key, record.value))


def _on_argument(draft: Draft, record: Argument) -> None:
    if record.stamp is not None:
        draft.tell_time(record)
    draft.set_facts(lambda known: facts.argument(known, record.key, record.value))


def _on_validation(draft: Draft, record: Validation) -> None:
    time = draft.tell_time(record) or draft.now()
    iteration = record.iteration
    if iteration is None and draft.state.open is not None:
        iteration = draft.state.open.iteration
    result = ValidationResult(
        iteration=iteration, time=time, name=record.name, values=record.values
    )
    draft.set(validation=result)
    draft.note("validation", text=record.name, iteration=iteration, time=time, values=record.values)


def _on_validation_begins(draft: Draft, record: ValidationBegins) -> None:
    draft.tell_time(record)
    draft.phase("evaluate")


def _on_loaded(draft: Draft, record: Loaded) -> None:
    time = draft.tell_time(record)
    if record.iteration not in (None, draft.attempt.loaded_iteration):
        draft.set_attempt(loaded_iteration=record.iteration)
        draft.note("loaded", iteration=record.iteration, text=record.path, time=time)
    draft.phase("startup" if record.done else "load")


def _on_fresh_weights(draft: Draft, record: FreshWeights) -> None:
    draft.set_attempt(fresh_weights=True)
    draft.note("fresh-weights", time=draft.tell_time(record))


def _on_training(draft: Draft, record: TrainingBegins) -> None:
    draft.set_attempt(training_began_at=draft.tell_time(record) or draft.now())
    draft.phase("train")


def _on_overflow(draft: Draft, record: Overflow) -> None:
    draft.tell_time(record)
    draft.count(overflows=1)


def _on_clock(draft: Draft, record: Clock) -> None:
    draft.tell_time(record)


def _on_torn(draft: Draft, record: Torn) -> None:
    draft.count(torn=1)


def _on_record(draft: Draft, record: Record) -> None:
    """A record nobody waits for."""


_HANDLERS: dict[type[Record], Callable[[Draft, Any], None]] = {
    Iteration: timeline.on_iteration,
    Bar: timeline.on_bar,
    Validation: _on_validation,
    ValidationBegins: _on_validation_begins,
    SaveStarted: on_save_started,
    SaveDone: on_save_done,
    SaveTime: on_save_time,
    Loaded: _on_loaded,
    FreshWeights: _on_fresh_weights,
    Startup: _on_startup,
    TrainingBegins: _on_training,
    Argument: _on_argument,
    Fact: _on_fact,
    Exit: ending.on_exit,
    SlurmNotice: ending.on_notice,
    Fault: ending.on_fault,
    Overflow: _on_overflow,
    RankSpeeds: on_rank_speeds,
    Clock: _on_clock,
    Torn: _on_torn,
}
