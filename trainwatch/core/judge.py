"""The second fold: observations and what they added to the state -> alert changes.

Pure, but for the memory that it changes in place. Everything is judged when it happened: a living log when
its lines arrived, what is caught up with in the log's own time. What silence alone makes true is judged on a
grid of minutes, so that the same observations give the same changes however often, and by how many daemons,
they were looked at.
"""

import math
import re
from collections.abc import Iterator

from msgspec.structs import replace

from trainwatch.core import alerts, derived, muting
from trainwatch.core.columns import LOSS_NAN
from trainwatch.core.facts import Facts
from trainwatch.core.model.alerts import Book, Change, Finding, Verdict
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.observations import (
    AccountingReading,
    AlertRequest,
    CheckpointReading,
    DiskReading,
    LogChunk,
    Observation,
    QueueReading,
    ScriptReading,
    SyncReading,
    WatcherReading,
)
from trainwatch.core.model.state import Event, RunState
from trainwatch.core.rules.pattern import rule_of
from trainwatch.core.rules.settings import AlertSettings, PatternRule
from trainwatch.core.rules.sight import Later, Sight, Unsure
from trainwatch.core.rules.table import RULES, terms_of
from trainwatch.core.run import Step
from trainwatch.core.senses.pattern import PatternSense
from trainwatch.core.words import clean

_GRID_S = 60.0
_BACK_S = 600.0  # a clock that is set back by more is believed
_TAIL_LINES, _TAIL_BYTES = 3, 2_000
_NEVER = math.inf
_BY_PROGRESS = frozenset({"stall", "crash", "crash-loop", "not-queued", "kill-switch"})
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
_PHASES = {"load": "startup", "unknown": ""}


class Judge:
    """Judges one run. `memory` is all it remembers: give it to another Judge to go on there."""

    def __init__(
        self,
        run: str,
        settings: AlertSettings,
        configured: Facts,
        memory: Memory | None = None,
    ) -> None:
        self.memory = memory if memory is not None else Memory()
        self._run, self._settings, self._configured = run, settings, configured
        own = [rule_of(name, chosen) for name, chosen in settings.patterns.items()]
        self._rules = [rule for rule in (*RULES, *own) if rule.settings(settings).enabled]
        self._terms = terms_of(self._rules, settings)
        self._patterns = [_compiled(name, chosen) for name, chosen in settings.patterns.items()]
        self._facts: tuple[Facts, int, Facts] | None = None
        self._changes: list[Change] = []
        self._waits = _waits(self.memory.book)
        self._live = True

    def pass_time(self, state: RunState, now: float) -> tuple[Change, ...]:
        """Nothing was observed up to `now`."""
        memory, self._live = self.memory, True
        if memory.now is not None and now < memory.now - _BACK_S:
            memory.now = memory.log_at = now
            memory.due = now
        self._walk(state, state, memory.now, now)
        memory.now = max(now, memory.now or now)
        return self._told()

    def see(self, seen: Observation, before: RunState, steps: Iterator[Step]) -> Iterator[Step]:
        """Judge an observation, step by step as the fold takes it, and hand the steps on.

        `changes` then holds what changed. Time passes up to a living observation first.
        """
        is_live = self._live = not isinstance(seen, LogChunk) or seen.live
        if is_live:
            self._walk(before, before, self.memory.now, seen.at)
        turned, last = False, before
        for step in steps:
            if isinstance(seen, LogChunk):
                turned |= self._log(seen, last, step)
            last = step.state
            yield step
        if isinstance(seen, LogChunk):
            turned |= self._end_of_chunk(seen, before, last)
        else:
            turned = self._take(seen, last)
        if turned or self._surges(last):
            self._settle(last, last, seen.at if is_live else self.memory.log_at or seen.at)
        self.memory.now = max(seen.at, self.memory.now or seen.at)

    @property
    def changes(self) -> tuple[Change, ...]:
        """What changed since this was last asked."""
        return self._told()

    def _told(self) -> tuple[Change, ...]:
        changes, self._changes = tuple(self._changes), []
        return changes

    # observations

    def _take(self, seen: Observation, state: RunState) -> bool:
        memory = self.memory
        match seen:
            case QueueReading():
                memory.queue.take(seen, len(state.attempts) - 1 if state.attempts else None)
            case AccountingReading():
                memory.queue.account(seen)
            case CheckpointReading():
                named = [c.iteration for c in seen.found if c.name == seen.latest]
                memory.tracker = named[0] if named and named[0] is not None else memory.tracker
            case DiskReading():
                memory.disks.take(seen)
            case SyncReading():
                memory.hands.synced(seen)
            case ScriptReading():
                memory.hands.ran(seen)
            case WatcherReading():
                memory.hands.looked(seen)
            case AlertRequest():
                memory.book = muting.asked(memory.book, seen)
        return True

    def _log(self, chunk: LogChunk, before: RunState, step: Step) -> bool:
        """Take what a piece of log added; True if rules must look at it at the end of a living chunk."""
        memory = self.memory
        turned = self._rows(chunk, before, step)
        at = self._time_of(chunk, step.state)
        turned |= self._open_row(chunk, step.state, at)
        for event in step.events:
            self._event(event, step.state, at)
            turned = True
        phase = _PHASES.get(step.state.phase, step.state.phase)
        if phase and phase != memory.pace.phase:
            memory.pace.enter(phase, at)
        turned |= memory.crash.take(step.state, at, moved=memory.pace.iteration_at is not None)
        if turned and not chunk.live:
            self._settle(step.state, step.state, at)
        return turned

    def _rows(self, chunk: LogChunk, before: RunState, step: Step) -> bool:
        memory, rows = self.memory, step.rows
        facts = step.state.facts
        turned = memory.speed.of_gpus(facts.gpus)
        if not rows.rows:
            return turned
        speed, learning, resume = memory.speed, memory.learning, memory.resume
        pace, crash, bump = memory.pace, memory.crash, memory.bump
        evaluates, saves = facts.eval_interval or 0, facts.save_interval or 500
        live, timed = chunk.live, memory.log_at is not None
        clock = memory.log_at if memory.log_at is not None else chunk.at
        due = _NEVER if live or memory.due is None else memory.due
        overdue = memory.overdue_iteration if memory.overdue_iteration is not None else _NEVER
        columns = [rows.column(name) for name in _COLUMNS]
        for at, number, step_s, loss, norm, rate, batch, flags, skipped, attempt in zip(
            *columns, strict=True
        ):
            iteration, index = int(number), int(attempt)
            if live:
                clock = chunk.at
            elif at == at:
                clock = min(max(clock, at) if timed else at, chunk.at)
                timed = True
            if clock >= due:
                self._walk(before, step.state, memory.log_at, clock)
                due = memory.due if memory.due is not None else _NEVER
            turn = speed.row(clock, iteration, step_s, batch, index)
            turn |= learning.row(clock, iteration, loss, norm, int(flags), skipped)
            turn |= resume.row(clock, iteration, rate, index, saves)
            turn |= bump.row(clock, iteration, loss, learning.noise, index, saves)
            evaluating = bool(evaluates) and iteration % evaluates == 0
            is_new = pace.row(at if at == at else clock, clock, iteration, evaluates=evaluating)
            if is_new and (crash.at is not None or self._waits):
                crash.progressed()
                turn = True
            if iteration >= overdue or turn:
                turned = True
                if not live:
                    self._settle(before, step.state, clock)
                    due = memory.due if memory.due is not None else _NEVER
                    overdue = memory.overdue_iteration or _NEVER
        if timed:
            memory.log_at = clock
        return turned

    def _open_row(self, chunk: LogChunk, state: RunState, at: float) -> bool:
        """The newest iteration, which the fold keeps open, and a progress bar where there are no records.

        True if an alert may be over with it.
        """
        pace, row, bar, is_new = self.memory.pace, state.open, state.bar, False
        if row is not None:
            done = row.time.at if row.time is not None else at
            interval = state.facts.eval_interval
            evaluates = bool(interval) and row.iteration % (interval or 1) == 0
            is_new = pace.row(min(done, chunk.at), at, row.iteration, evaluates=evaluates)
        if bar is not None and bar.time is not None and bar.time.at > (pace.iteration_at or 0.0):
            is_new |= pace.row(min(bar.time.at, chunk.at), at, bar.done, evaluates=False)
        if is_new:
            self.memory.crash.progressed()
        return is_new and (self._waits or bool(chunk.live and self.memory.book.alarms))

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
                memory.pace.moved(at, at)
            case "save-started":
                memory.pace.moved(at, at)
                memory.pace.enter("save", at)
            case "validation" | "loaded":
                memory.pace.moved(at, at)

    def _end_of_chunk(self, chunk: LogChunk, before: RunState, state: RunState) -> bool:
        memory = self.memory
        lines = chunk.data[-_TAIL_BYTES:].decode("utf-8", "replace").splitlines()
        kept = [clean(line.strip()) for line in lines if line.strip()]
        memory.tail = [*memory.tail, *kept][-_TAIL_LINES:]
        if memory.hands.read_since is None:
            memory.hands.read_since = chunk.at
        at = chunk.at if chunk.live else memory.log_at or chunk.at
        turned = False
        for name, pattern, stop in self._patterns:
            sense = memory.patterns.setdefault(name, PatternSense())
            turned |= sense.take(chunk.data, at, pattern, stop)
        if not chunk.live:
            return turned
        memory.log_at = chunk.at
        more = _completed(state) - _completed(before)
        step_s = state.open.values.get("step_time_s", 0.0) if state.open is not None else 0.0
        if more > 1:
            memory.pace.burst(more * step_s * (state.facts.log_interval or 1), chunk.at)
        memory.pace.read_at = chunk.at
        if before.phase == state.phase == "train" or more:
            turned |= memory.flood.take(chunk.at, chunk.data.count(b"\n"), more)
        return turned

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

    def _surges(self, state: RunState) -> bool:
        """Whether the open iteration says what its rules would not hear before the next one."""
        row, learning = state.open, self.memory.learning
        if row is None or row.iteration <= (learning.iteration or 0):
            return False
        return bool(row.flags & LOSS_NAN) or learning.surges(row.values.get("grad_norm", 0.0))

    # verdicts

    def _walk(self, before: RunState, after: RunState, since: float | None, now: float) -> None:
        """Judge at each point of the grid up to `now` where silence alone may say something."""
        memory, at = self.memory, since if since is not None else now
        while memory.due is not None:
            at = math.ceil(max(memory.due, at) / _GRID_S) * _GRID_S
            if at > now:
                return
            self._settle(before, after, at)
            if memory.due is not None and memory.due <= at:
                memory.due = at + _GRID_S

    def _settle(self, state: RunState, after: RunState, at: float) -> None:
        """All rules look; the book takes what they say. `after` knows facts that `state` may not yet."""
        verdict = self._verdict(state, after, at)
        book, changes, due = alerts.settle(self.memory.book, verdict, self._terms, self._run)
        self.memory.book = book
        self._changes.extend(changes)
        renewed = (
            at + _GRID_S
            if self._live and any(a.fired_at is not None for a in book.alarms)
            else None
        )
        known = [t for t in (verdict.due, due, renewed) if t is not None]
        self.memory.due = min(known) if known else None
        self._waits = _waits(book)

    def _verdict(self, state: RunState, after: RunState, at: float) -> Verdict:
        sight = Sight(at, state, self.memory, self._known(after), self._configured, self._settings)
        findings, unknown, due = list[Finding](), set[str](), _NEVER
        for rule in self._rules:
            for said in rule.look(sight):
                if isinstance(said, Finding):
                    chosen = rule.settings(self._settings).severity
                    findings.append(said if chosen is None else replace(said, severity=None))
                elif isinstance(said, Later):
                    due = min(due, said.at)
                elif isinstance(said, Unsure):
                    unknown.add(rule.name)
        return Verdict(
            at=at,
            findings=tuple(findings),
            unknown=frozenset(unknown),
            due=None if due == _NEVER else due,
        )

    def _known(self, state: RunState) -> Facts:
        """All facts, made again only when the log told of more."""
        kept, attempts = self._facts, len(state.attempts)
        if kept is None or kept[0] is not state.facts or kept[1] != attempts:
            kept = (state.facts, attempts, derived.facts_of(state, self._configured))
            self._facts = kept
        return kept[2]


def _completed(state: RunState) -> int:
    """Iteration lines so far, the open one among them."""
    return state.rows + (state.open is not None)


def _waits(book: Book) -> bool:
    """Whether an alert is there that the next iteration may end."""
    return any(alarm.finding.rule in _BY_PROGRESS for alarm in book.alarms)


_Pattern = tuple[str, re.Pattern[bytes], re.Pattern[bytes] | None]


def _compiled(name: str, chosen: PatternRule) -> _Pattern:
    stop = chosen.stop_pattern
    return (
        name,
        re.compile(chosen.pattern.encode()),
        None if stop is None else re.compile(stop.encode()),
    )
