"""What a log tells the senses: rows, the open iteration, events, phases. For what is no log: senses/heard.py.

Foreign words are kept without secrets: they go to disk, screens and people. The trap: while a log is caught
up with, the judge must look at every moment at which something turned, in the log's own time, and before what
came after it is taken. So the log is told moment by moment.
"""

import math
import re
from collections.abc import Iterator
from typing import NamedTuple

from trainwatch.core.columns import LOSS_NAN
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.observations import LogChunk, Observation
from trainwatch.core.model.state import Event, RunState
from trainwatch.core.redact import redact
from trainwatch.core.rules.settings import AlertSettings, PatternRule
from trainwatch.core.run import Step
from trainwatch.core.senses import heard
from trainwatch.core.senses.pattern import PatternSense
from trainwatch.core.words import clean

GRID_S = 60.0
_TAIL_LINES, _TAIL_BYTES = 3, 2_000
_NEVER = math.inf
_COLUMNS = (
    "at_s",
    "iteration",
    "step_time_s",
    "loss",
    "grad_norm",
    "learning_rate",
    "global_batch_size",
    "flags",
    "skipped",
    "attempt",
)
_LATE_S = 1_700.0  # lines may be held back so long; a zone is off by half an hour at least
# Rules whose alerts end with an iteration: while one is in the book, each is looked at when it comes.
_ENDED_BY_ITERATIONS = frozenset({"stall", "crash", "crash-loop", "kill-switch"})
_PHASES = {"load": "startup", "unknown": ""}
_Pattern = tuple[str, re.Pattern[bytes], re.Pattern[bytes] | None]


class Moment(NamedTuple):
    """A time (s since the epoch) at which the judge must look, of a log that is caught up with.

    `after`: what was taken until then is in the state after the step, not before it.
    """

    at: float
    is_due: bool = False  # silence alone may have said something up to then
    after: bool = False


class Witness:
    """Takes observations into a memory."""

    def __init__(self, memory: Memory, settings: AlertSettings) -> None:
        self.memory = memory
        # Something that rules ask for may have changed; whoever looks sets it back.
        self.turned = False
        self._least_drop = settings.throughput_drop.least_drop
        self._patterns = [_compiled(name, chosen) for name, chosen in settings.patterns.items()]

    def take(self, seen: Observation, state: RunState) -> None:
        """Take what is no log; `state` is that after it."""
        self.turned = True
        heard.take(self.memory, seen, state)

    def happened(self, step: Step, at: float) -> None:
        """Take what happened though no log says it: an attempt began, or ended."""
        for event in step.events:
            self._event(event, step.state, at)

    def log(self, chunk: LogChunk, before: RunState, step: Step) -> Iterator[Moment]:
        """Take what a piece of log added, moment by moment."""
        memory = self.memory
        yield from self._rows(chunk, step)
        at = self._time_of(chunk, step.state)
        begins = memory.pace.iteration_at is None
        self.turned |= self._open_row(chunk, step.state, at)
        begins &= memory.pace.iteration_at is not None
        self.turned |= memory.figures.take(step.state.open, step.state.facts)
        for event in step.events:
            self._event(event, step.state, at)
            self.turned = True
        self._enter_phase(before, step.state, at)
        self.turned |= step.state.rank_reports is not before.rank_reports
        moved = memory.pace.iteration_at is not None
        self.turned |= memory.crash.take(step.state, at, moved=moved)
        if self.turned and (begins or not chunk.live):
            yield Moment(at, after=True)

    def _rows(self, chunk: LogChunk, step: Step) -> Iterator[Moment]:
        memory, rows, facts = self.memory, step.rows, step.state.facts
        self.turned |= memory.speed.of_gpus(facts.gpus)
        if not rows.rows:
            return
        speed, learning, resume = memory.speed, memory.learning, memory.resume
        bump, least_drop = memory.bump, self._least_drop
        evaluates, saves = facts.eval_interval or 0, facts.save_interval or 500
        stride, live = facts.log_interval or 1, chunk.live
        clock = memory.log_at if memory.log_at is not None and not live else chunk.at
        timed = live or memory.log_at is not None
        columns = [rows.column(name) for name in _COLUMNS]
        begins = memory.pace.iteration_at is None
        for stamp, number, step_s, loss, norm, rate, batch, flags, skipped, attempt in zip(
            *columns, strict=True
        ):
            iteration, index = int(number), int(attempt)
            if not live and stamp == stamp:
                clock = min(max(clock, stamp) if timed else stamp, chunk.at)
                timed = True
            due = memory.due
            if due is not None and clock >= due and not live:
                yield Moment(clock, is_due=True)
            turn = speed.row(clock, iteration, step_s, batch, index, least_drop)
            turn |= learning.row(clock, iteration, loss, norm, int(flags), skipped)
            turn |= resume.row(clock, iteration, rate, index, saves)
            spikes = learning.spike_iteration is not None
            turn |= bump.row(clock, iteration, loss, learning.noise, index, saves, spikes=spikes)
            evaluating = bool(evaluates) and -iteration % evaluates < stride
            done = stamp if live and clock - _LATE_S <= stamp <= clock else clock
            turn |= self._completed(done, clock, iteration, evaluates=evaluating)
            overdue = memory.overdue_iteration
            if turn or (overdue is not None and iteration >= overdue):
                self.turned = True
                if begins or not live:  # where it began is asked before it saves, in a burst too
                    begins = False
                    yield Moment(clock)
        if timed:
            memory.log_at = clock

    def _open_row(self, chunk: LogChunk, state: RunState, at: float) -> bool:
        """The newest iteration, which the fold keeps open, and a progress bar where there are no records.

        True if it may end an alert. Of the two the later is told: each in turn would look like progress for
        ever.
        """
        row, bar = state.open, state.bar
        told = row.time.at if row is not None and row.time is not None else None
        if bar is not None and bar.time is not None and (told is None or bar.time.at > told):
            told, number, evaluates = bar.time.at, bar.done, False
        elif row is not None:
            interval, number = state.facts.eval_interval, row.iteration
            stride = state.facts.log_interval or 1
            evaluates = bool(interval) and -number % (interval or 1) < stride
        else:
            return False
        earliest = at - _LATE_S if chunk.live else -_NEVER
        done = told if told is not None and earliest <= told <= at else at
        return self._completed(done, at, number, evaluates=evaluates)

    def _completed(self, done: float, at: float, iteration: int, *, evaluates: bool) -> bool:
        """An iteration was completed; True if it is the first of an attempt, or may end an alert."""
        memory, pace = self.memory, self.memory.pace
        phase, guessed, is_first = pace.phase, pace.guessed, pace.iteration_at is None
        if not pace.row(done, at, iteration, evaluates=evaluates):
            return False
        if phase != pace.phase or guessed != pace.guessed:
            self._look_again(at)
        turned = is_first or memory.crash.at is not None or _awaits(memory)
        memory.crash.progressed()
        return turned

    def _enter_phase(self, before: RunState, state: RunState, at: float) -> None:
        """The phase of the state, but for what the budgets know better."""
        pace, phase = self.memory.pace, _PHASES.get(state.phase, state.phase)
        if phase == "train" and pace.iteration_at is None:
            phase = "startup"  # the first iteration compiles, and fills caches
        elif phase == "train" and pace.phase == "evaluate" and before.phase == "train":
            return  # the evaluation is between two lines
        if phase and phase != pace.phase:
            pace.enter(phase, at)

    def _event(self, event: Event, state: RunState, at: float) -> None:
        memory = self.memory
        match event.kind:
            case "attempt-began":
                memory.pace.begin(at)
                memory.resumes_from = memory.tracker if len(state.attempts) > 1 else None
                memory.flood.skip(at)
                for name, _, _ in self._patterns:
                    memory.patterns.setdefault(name, PatternSense()).begin(at)
            case "saved":
                memory.tracker = event.iteration if event.iteration is not None else memory.tracker
                if memory.pace.phase == "save":  # one in the background says nothing of training
                    memory.pace.moved(at, at)
            case "save-started":
                memory.pace.moved(at, at)
                memory.pace.enter("save", at)
            case "validation":
                memory.pace.moved(at, at)
            case "loaded" if memory.pace.iteration_at is None:
                memory.pace.moved(at, at)

    def end_of_chunk(self, chunk: LogChunk, before: RunState, state: RunState) -> None:
        """What is counted of a chunk as a whole; and what its open iteration says before the next one."""
        memory = self.memory
        self._keep_tail(chunk)
        if memory.hands.read_since is None:
            memory.hands.read_since = chunk.at
            self._look_again(chunk.at)
        at = chunk.at if chunk.live else memory.log_at or chunk.at
        for name, pattern, stop in self._patterns:
            sense = memory.patterns.setdefault(name, PatternSense())
            self.turned |= sense.take(chunk.data, at, pattern, stop)
        self.turned |= self._surges(state)
        if chunk.live:
            self._count(chunk, before, state)
            if _records(state) > _records(before) or state.attempts is not before.attempts:
                memory.deeds.got_on(state.queue, len(state.attempts) - 1, chunk.at)
        elif memory.log_at is None or self._is_undated(state):
            memory.pace.guess(chunk.at)

    def _keep_tail(self, chunk: LogChunk) -> None:
        lines = chunk.data[-_TAIL_BYTES:].decode("utf-8", "replace").splitlines()
        last = [line.strip() for line in lines if line.strip()][-_TAIL_LINES:]
        kept = [redact(clean(line)) for line in last]
        self.memory.tail = [*self.memory.tail, *kept][-_TAIL_LINES:]

    def _count(self, chunk: LogChunk, before: RunState, state: RunState) -> None:
        """What came at once, of a living log."""
        memory = self.memory
        memory.log_at = chunk.at
        more = _records(state) - _records(before)
        step_s = state.open.values.get("step_time_s", 0.0) if state.open is not None else 0.0
        if more > 1:
            memory.pace.burst(more * step_s * (state.facts.log_interval or 1), chunk.at)
        memory.pace.read_at = chunk.at
        if before.phase == state.phase == "train" or more:
            self.turned |= memory.flood.take(chunk.at, chunk.data.count(b"\n"), more)
        self.turned |= more > 0 and bool(memory.book.alarms)

    def _time_of(self, chunk: LogChunk, state: RunState) -> float:
        """When what was just folded happened."""
        if chunk.live:
            return chunk.at
        clock = state.clock.at if state.clock is not None else None
        known = [t for t in (self.memory.log_at, clock) if t is not None]
        at = min(max(known), chunk.at) if known else chunk.at
        if known:
            self.memory.log_at = at
        return at

    def _is_undated(self, state: RunState) -> bool:
        """Whether the last that was completed is an iteration of which nobody knows when it was."""
        row, pace = state.open, self.memory.pace
        if row is None or pace.moved_at != pace.iteration_at:
            return False
        return row.time is None or row.time.source == "added-up"

    def _surges(self, state: RunState) -> bool:
        """Whether the open iteration says what its rules would not hear before the next one."""
        row, learning = state.open, self.memory.learning
        if row is None or row.iteration <= (learning.iteration or 0):
            return False
        return bool(row.flags & LOSS_NAN) or learning.surges(row.values.get("grad_norm", 0.0))

    def _look_again(self, at: float) -> None:
        """Another phase has another budget: look at the next point of the grid."""
        due, known = math.ceil(at / GRID_S) * GRID_S, self.memory.due
        self.memory.due = due if known is None else min(known, due)


def _awaits(memory: Memory) -> bool:
    """Whether an alert is there that an iteration ends."""
    return any(alarm.finding.rule in _ENDED_BY_ITERATIONS for alarm in memory.book.alarms)


def _records(state: RunState) -> int:
    """Iteration lines so far, the open one among them."""
    return state.rows + (state.open is not None)


def _compiled(name: str, chosen: PatternRule) -> _Pattern:
    """Patterns are about lines, wherever in a chunk they stand."""
    pattern, stop = chosen.pattern.encode(), chosen.stop_pattern
    ended = None if stop is None else re.compile(stop.encode(), re.MULTILINE)
    return name, re.compile(pattern, re.MULTILINE), ended
