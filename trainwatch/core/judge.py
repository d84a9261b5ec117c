"""The second fold: observations and what they added to the state -> alert changes.

Pure, but for the memory that it changes in place. Everything is judged when it happened: a living log when
its lines arrived, what is caught up with in the log's own time. What silence alone makes true is judged on a
grid of minutes, so that the same observations give the same changes however often, and by how many daemons,
they were looked at.
"""

import math
from collections.abc import Iterator

from msgspec.structs import replace

from trainwatch.core import alerts, derived
from trainwatch.core.facts import Facts
from trainwatch.core.hands.said import with_deeds
from trainwatch.core.model.alerts import Change, Finding, Verdict
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.observations import LogChunk, Observation
from trainwatch.core.model.state import RunState
from trainwatch.core.rules.settings import AlertSettings, RuleSettings
from trainwatch.core.rules.sight import Later, Reached, Sight
from trainwatch.core.rules.table import rules_of, terms_of
from trainwatch.core.run import Step
from trainwatch.core.senses.rewind import rewind
from trainwatch.core.witness import GRID_S, Witness

_BACK_S = 600.0  # a clock that is set back by more is believed
_LONGEST_S = 30 * 86_400.0  # of a silence, only so much of its end is looked at
_NEVER = math.inf


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
        self._rules, self._terms = rules_of(settings), terms_of(settings)
        self._witness = Witness(self.memory, settings)
        self._facts: tuple[Facts, int, Facts] | None = None
        self._changes: list[Change] = []
        self._live = True

    def renewed(self, settings: AlertSettings, configured: Facts) -> "Judge":
        """One who goes on by these, and looks at the next minute what they make of all that is known."""
        self.memory.due = self.memory.now
        return Judge(self._run, settings, configured, self.memory)

    def pass_time(self, state: RunState, now: float) -> tuple[Change, ...]:
        """Nothing was observed up to `now`."""
        self._live = True
        self._heed_clock(now)
        self._walk(state, state, self.memory.now, now)
        self.memory.now = max(now, self.memory.now or now)
        return self.told()

    def see(self, seen: Observation, before: RunState, steps: Iterator[Step]) -> Iterator[Step]:
        """Judge an observation, step by step as the fold takes it, and hand the steps on.

        `told` then gives what changed. Time passes up to a living observation first.
        """
        witness = self._witness
        is_live = self._live = not isinstance(seen, LogChunk) or seen.live
        self._heed_clock(seen.at)
        if is_live:
            self._walk(before, before, self.memory.now, seen.at)
        last, witness.turned = before, False
        for step in steps:
            if isinstance(seen, LogChunk):
                self._read(seen, last, step)
            else:
                witness.happened(step, seen.at)
            last = step.state
            yield step
        if isinstance(seen, LogChunk):
            witness.end_of_chunk(seen, before, last)
        else:
            witness.take(seen, last)
        if witness.turned:
            self._settle(last, last, seen.at if is_live else self.memory.log_at or seen.at)
        self.memory.now = max(seen.at, self.memory.now or seen.at)

    def sight(self, state: RunState, now: float, after: RunState | None = None) -> Sight:
        """What a rule is handed at a time. `after` knows facts that `state` may not yet."""
        facts = self._known(after or state)
        return Sight(now, state, self.memory, facts, self._configured, self._settings)

    def told(self) -> tuple[Change, ...]:
        """What changed since this was last asked."""
        changes, self._changes = tuple(self._changes), []
        return changes

    def _read(self, chunk: LogChunk, before: RunState, step: Step) -> None:
        """Look at each moment at which something turned."""
        for moment in self._witness.log(chunk, before, step):
            if moment.is_due:
                self._walk(before, step.state, self.memory.log_at, moment.at)
            else:
                self._witness.turned = False
                self._settle(step.state if moment.after else before, step.state, moment.at)

    def _heed_clock(self, now: float) -> None:
        """A clock that was set back by much is believed."""
        if self.memory.now is not None and now < self.memory.now - _BACK_S:
            rewind(self.memory, now)
            self.memory.pace.distrust()

    def _walk(self, before: RunState, after: RunState, since: float | None, now: float) -> None:
        """Judge at each point of the grid up to `now` where silence alone may say something."""
        memory, at = self.memory, max(now - _LONGEST_S, since if since is not None else now)
        while memory.due is not None:
            at = math.ceil(max(memory.due, at) / GRID_S) * GRID_S
            if at > now or at + GRID_S == at:
                break
            self._settle(before, after, at)
            if memory.due is not None and memory.due <= at:
                memory.due = at + GRID_S
        self._renew(before, after, now)

    def _renew(self, before: RunState, after: RunState, now: float) -> None:
        """What fires is said anew each minute, so that it tells how long it has been."""
        memory, at = self.memory, math.floor(now / GRID_S) * GRID_S
        fires = self._live and any(alarm.fired_at is not None for alarm in memory.book.alarms)
        if fires and (memory.settled_at is None or at > memory.settled_at):
            self._settle(before, after, at)

    def _settle(self, state: RunState, after: RunState, at: float) -> None:
        """All rules look; the book takes what they say. `after` knows facts that `state` may not yet."""
        verdict = self._verdict(state, after, at)
        book, changes, due = alerts.settle(self.memory.book, verdict, self._terms, self._run)
        self.memory.book = book
        self.memory.settled_at = at
        self._changes.extend(changes)
        known = [t for t in (verdict.due, due) if t is not None]
        self.memory.due = min(known) if known else None

    def _verdict(self, state: RunState, after: RunState, at: float) -> Verdict:
        sight = self.sight(state, at, after)
        findings, unknown, due = list[Finding](), set[str](), _NEVER
        reached = list[int]()
        for rule in self._rules:
            for said in rule.look(sight):
                if isinstance(said, Finding):
                    told = with_deeds(said, self.memory.deeds)
                    findings.append(_as_set(told, rule.settings(self._settings)))
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


def _as_set(finding: Finding, chosen: RuleSettings) -> Finding:
    """As bad as the user says it is."""
    return finding if chosen.severity is None else replace(finding, severity=None)
