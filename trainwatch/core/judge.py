"""The second fold: observations and what they added to the state -> alert changes.

Pure, but for the memory that it changes in place. Everything is judged when it happened: a living log when
its lines arrived, what is caught up with in the log's own time. What silence alone makes true is judged on a
grid of minutes, so that the same observations give the same changes however often, and by how many daemons,
they were looked at.
"""

import math
from collections.abc import Iterator

from msgspec.structs import replace

from trainwatch.core import alerts, derived, muting
from trainwatch.core.facts import Facts
from trainwatch.core.model.alerts import Change, Finding, Verdict
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.observations import (
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
from trainwatch.core.rules.settings import AlertSettings
from trainwatch.core.rules.sight import Later, Reached, Sight
from trainwatch.core.rules.table import RULES, terms_of
from trainwatch.core.run import Step
from trainwatch.core.senses.rewind import rewind
from trainwatch.core.words import clean

_GRID_S = 60.0
_BACK_S = 600.0  # a clock that is set back by more is believed
_LONGEST_S = 30 * 86_400.0  # of a silence, only so much of its end is looked at
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
        self._terms = terms_of(settings)
        self._rules = [rule for rule in RULES if rule.settings(settings).enabled]
        self._facts: tuple[Facts, int, Facts] | None = None
        self._changes: list[Change] = []
        self._awaits = _awaits(self.memory)

    def pass_time(self, state: RunState, now: float) -> tuple[Change, ...]:
        """Nothing was observed up to `now`."""
        self._heed_clock(now)
        self._walk(state, state, self.memory.now, now)
        self.memory.now = max(now, self.memory.now or now)
        return self._told()

    def see(self, seen: Observation, before: RunState, steps: Iterator[Step]) -> Iterator[Step]:
        """Judge an observation, step by step as the fold takes it, and hand the steps on.

        `changes` then holds what changed. Time passes up to a living observation first.
        """
        is_live = not isinstance(seen, LogChunk) or seen.live
        self._heed_clock(seen.at)
        if is_live:
            self._walk(before, before, self.memory.now, seen.at)
        turned, last = False, before
        for step in steps:
            if isinstance(seen, LogChunk):
                turned |= self._log(seen, last, step)
            last = step.state
            yield step
        if isinstance(seen, LogChunk):
            self._end_of_chunk(seen, before, last)
        else:
            turned = self._take(seen, last)
        if turned or (is_live and self._surges(last)):
            self._settle(last, last, seen.at if is_live else self.memory.log_at or seen.at)
        self.memory.now = max(seen.at, self.memory.now or seen.at)

    @property
    def changes(self) -> tuple[Change, ...]:
        """What changed since this was last asked."""
        return self._told()

    def _told(self) -> tuple[Change, ...]:
        changes, self._changes = tuple(self._changes), []
        return changes

    def _heed_clock(self, now: float) -> None:
        """A clock that was set back by much is believed."""
        if self.memory.now is not None and now < self.memory.now - _BACK_S:
            rewind(self.memory, now)
            self.memory.pace.distrust()

    # observations

    def _take(self, seen: Observation, state: RunState) -> bool:
        memory = self.memory
        match seen:
            case QueueReading():
                memory.queue.take(seen, len(state.attempts) - 1 if state.attempts else None)
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
        turned |= memory.figures.take(step.state.open, step.state.facts)
        for event in step.events:
            self._event(event, step.state, at)
            turned = True
        self._enter_phase(before, step.state, at)
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
        pace, bump = memory.pace, memory.bump
        evaluates, saves = facts.eval_interval or 0, facts.save_interval or 500
        stride, least_drop = facts.log_interval or 1, self._settings.throughput_drop.least_drop
        live, timed = chunk.live, memory.log_at is not None
        clock = memory.log_at if memory.log_at is not None else chunk.at
        due = _NEVER if live or memory.due is None else memory.due
        overdue = memory.overdue_iteration if memory.overdue_iteration is not None else _NEVER
        columns = [rows.column(name) for name in _COLUMNS]
        for stamp, number, step_s, loss, norm, rate, batch, flags, skipped, attempt in zip(
            *columns, strict=True
        ):
            iteration, index = int(number), int(attempt)
            if live:
                clock = chunk.at
            elif stamp == stamp:
                clock = min(max(clock, stamp) if timed else stamp, chunk.at)
                timed = True
            if clock >= due:
                self._walk(before, step.state, memory.log_at, clock)
                due = memory.due if memory.due is not None else _NEVER
            turn = speed.row(clock, iteration, step_s, batch, index, least_drop)
            turn |= learning.row(clock, iteration, loss, norm, int(flags), skipped)
            turn |= resume.row(clock, iteration, rate, index, saves)
            turn |= bump.row(clock, iteration, loss, learning.noise, index, saves)
            evaluating = bool(evaluates) and -iteration % evaluates < stride
            phase, guessed = pace.phase, pace.guessed
            done = stamp if live and clock - _LATE_S <= stamp <= clock else clock
            is_new = pace.row(done, clock, iteration, evaluates=evaluating)
            if phase != pace.phase or guessed != pace.guessed:
                due = self._look_again(clock)
                due = _NEVER if live else due
            turn |= is_new and self._progressed()
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

        True if it is the first since a crash, or ends an alert. Of the two the later is told: each in turn
        would look like progress for ever.
        """
        memory, row, bar = self.memory, state.open, state.bar
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
        before = memory.pace.phase, memory.pace.guessed
        if not memory.pace.row(done, at, number, evaluates=evaluates):
            return False
        if before != (memory.pace.phase, memory.pace.guessed):
            self._look_again(at)
        return self._progressed()

    def _progressed(self) -> bool:
        """An iteration was completed: True if that ends anything."""
        ends = self._awaits or self.memory.crash.at is not None
        self.memory.crash.progressed()
        return ends

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

    def _end_of_chunk(self, chunk: LogChunk, before: RunState, state: RunState) -> None:
        memory = self.memory
        lines = chunk.data[-_TAIL_BYTES:].decode("utf-8", "replace").splitlines()
        kept = [clean(line.strip()) for line in lines if line.strip()]
        memory.tail = [*memory.tail, *kept][-_TAIL_LINES:]
        if memory.hands.read_since is None:
            memory.hands.read_since = chunk.at
            self._look_again(chunk.at)
        if not chunk.live:
            if memory.log_at is None or self._is_undated(state):
                memory.pace.guess(chunk.at)
            return
        memory.log_at = chunk.at
        more = _completed(state) - _completed(before)
        step_s = state.open.values.get("step_time_s", 0.0) if state.open is not None else 0.0
        if more > 1:
            memory.pace.burst(more * step_s * (state.facts.log_interval or 1))
        if before.phase == state.phase == "train" or more:
            memory.flood.take(chunk.at, chunk.data.count(b"\n"), more)

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
        return learning.surges(row.values.get("grad_norm", 0.0))

    # verdicts

    def _look_again(self, at: float) -> float:
        """Another phase has another budget: look at the next point of the grid, and say when that is."""
        due = math.ceil(at / _GRID_S) * _GRID_S
        known = self.memory.due
        self.memory.due = due if known is None else min(known, due)
        return self.memory.due

    def _walk(self, before: RunState, after: RunState, since: float | None, now: float) -> None:
        """Judge at each point of the grid up to `now` where silence alone may say something."""
        memory, at = self.memory, max(now - _LONGEST_S, since if since is not None else now)
        while memory.due is not None:
            at = math.ceil(max(memory.due, at) / _GRID_S) * _GRID_S
            if at > now or at + _GRID_S == at:
                return
            self._settle(before, after, at)
            if memory.due is not None and memory.due <= at:
                memory.due = at + _GRID_S

    def _settle(self, state: RunState, after: RunState, at: float) -> None:
        """All rules look; the book takes what they say. `after` knows facts that `state` may not yet."""
        verdict = self._verdict(state, after, at)
        book, changes, due = alerts.settle(self.memory.book, verdict, self._terms, self._run)
        self.memory.book = book
        self._awaits = _awaits(self.memory)
        self._changes.extend(changes)
        known = [t for t in (verdict.due, due) if t is not None]
        self.memory.due = min(known) if known else None

    def _verdict(self, state: RunState, after: RunState, at: float) -> Verdict:
        sight = Sight(at, state, self.memory, self._known(after), self._configured, self._settings)
        findings, unknown, due = list[Finding](), set[str](), _NEVER
        reached = list[int]()
        for rule in self._rules:
            for said in rule.look(sight):
                if isinstance(said, Finding):
                    chosen = rule.settings(self._settings).severity
                    findings.append(said if chosen is None else replace(said, severity=None))
                elif isinstance(said, Later):
                    due = min(due, said.at) if said.at > at else due
                elif isinstance(said, Reached):
                    reached.append(said.iteration)
                else:
                    unknown.add(rule.name)
        self.memory.overdue_iteration = min(reached, default=None)
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


def _awaits(memory: Memory) -> bool:
    """Whether an alert is there that an iteration ends."""
    return any(alarm.finding.rule in _ENDED_BY_ITERATIONS for alarm in memory.book.alarms)


def _completed(state: RunState) -> int:
    """Iteration lines so far, the open one among them."""
    return state.rows + (state.open is not None)
