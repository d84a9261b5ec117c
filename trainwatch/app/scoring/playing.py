"""One scenario played from beginning to end before a judge: what broke, what was told, and when.

The trap: a deadline hangs on what the judge had seen when it broke (the longest evaluation, the usual
iteration), so that is noted with the break.
"""

from typing import NamedTuple

from msgspec.structs import replace

from trainwatch.core.facts import configured
from trainwatch.core.judge import Judge
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.alerts import Change
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.observations import LogChunk, Observation
from trainwatch.core.model.state import RunState
from trainwatch.core.rules.settings import AlertSettings
from trainwatch.core.run import Reader
from trainwatch.simulate.happenings import Broke, Happening, Healed, Stepped
from trainwatch.simulate.observe import Observer
from trainwatch.simulate.run import happenings
from trainwatch.simulate.scenario import Scenario
from trainwatch.simulate.timeline import Timeline

POLL_S = 15.0  # a daemon looks so often


class Break(NamedTuple):
    """Something that a rule ought to notice. Times are s since the epoch."""

    rule: str
    key: str
    at: float
    until: float  # it was over, or the run was
    iteration: int | None
    step_time_s: float | None  # typical then
    longest_s: dict[str, float]  # by phase, as seen until then
    phase: str


class Played(NamedTuple):
    """One scenario."""

    hours: float
    iterations: int
    breaks: tuple[Break, ...]
    changes: tuple[Change, ...]
    stepped: tuple[
        tuple[float, int], ...
    ]  # (at, iteration) around breaks, for delays in iterations


class Player:
    """Hands a judge what a daemon would have seen, a look every `POLL_S`."""

    def __init__(self, scenario: Scenario, settings: AlertSettings) -> None:
        self._reader, self._observer = Reader(Scanner()), Observer(rounds=scenario.rounds)
        self.judge = Judge("run", settings, configured(dict(scenario.configured)))
        self.state = RunState(run="run")
        self.changes: list[Change] = []
        self._written: LogChunk | None = None
        self._look_at = float("-inf")

    def take(self, happening: Happening) -> None:
        """Observe it, log output at the next look."""
        if self._written is not None and happening.at >= self._look_at:
            self.look()
        for seen in self._observer.see(happening):
            if isinstance(seen, LogChunk):
                self._write(seen)
            else:
                self.look()
                self._see(seen)

    def look(self) -> None:
        """Read what was written since the last look."""
        if self._written is not None:
            chunk, self._written = self._written, None
            self._see(chunk)

    def wait(self, at: float) -> None:
        """Nothing more is written up to then."""
        self.changes += self.judge.pass_time(self.state, at)

    def _write(self, seen: LogChunk) -> None:
        if self._written is None:
            self._look_at = (seen.at // POLL_S + 1) * POLL_S
            self._written = replace(seen, at=self._look_at)
        else:
            self._written = replace(self._written, data=self._written.data + seen.data)

    def _see(self, seen: Observation) -> None:
        for step in self.judge.see(seen, self.state, self._reader.steps(self.state, seen)):
            self.state = step.state
        self.changes += self.judge.told()


def play(
    scenario: Scenario,
    timeline: Timeline,
    settings: AlertSettings,
    *,
    seed: int = 0,
    most_hours: float | None = None,
) -> Played:
    """Play a scenario to its end, or for so many hours of the run."""
    player = Player(scenario, settings)
    open_: dict[tuple[str, str], Break] = {}
    breaks, stepped = list[Break](), list[tuple[float, int]]()
    first = last = None
    iterations = 0
    for happening in happenings(scenario, timeline, seed=seed):
        first = happening.at if first is None else first
        if most_hours is not None and happening.at - first > most_hours * 3600:
            break
        last = happening.at
        match happening:
            case Broke():
                open_[happening.rule, happening.key] = _broken(happening, player.judge.memory)
            case Healed():
                found = open_.pop((happening.rule, happening.key), None)
                if found is not None:
                    breaks.append(found._replace(until=happening.at))
            case Stepped():
                iterations += 1
                stepped.append((happening.at, happening.iteration))
            case _:
                player.take(happening)
    player.look()
    player.wait(last or 0.0)
    breaks += [found._replace(until=last or found.at) for found in open_.values()]
    hours = ((last or 0.0) - (first or 0.0)) / 3600
    return Played(hours, iterations, tuple(breaks), tuple(player.changes), tuple(stepped))


def _broken(broke: Broke, memory: Memory) -> Break:
    return Break(
        rule=broke.rule,
        key=broke.key,
        at=broke.at,
        until=broke.at,
        iteration=broke.iteration,
        step_time_s=memory.speed.typical_s(),
        longest_s=dict(memory.pace.longest_s),
        phase=memory.pace.phase,
    )
