"""What a simulated run truly was, told apart from its log, and the same run as the core reads it.

The trap: not every iteration is printed; what is expected of a log follows the scenario's log interval.
"""

from collections.abc import Sequence
from typing import NamedTuple

import msgspec

from trainwatch.core.columns import Columns
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.observations import LogChunk, Observation
from trainwatch.core.model.state import Event, RunState
from trainwatch.core.run import Reader
from trainwatch.simulate.happenings import Happening, QueueAnswered, SaveFinished, Stepped, Wrote
from trainwatch.simulate.run import happenings
from trainwatch.simulate.scenario import Scenario, as_flavour
from trainwatch.simulate.scenarios import SCENARIOS
from trainwatch.simulate.timeline import Timeline

START = 1_740_988_800.0
FLAVOURS = ("megatron-deepspeed", "megatron-core", "torchtitan")

# Every flavour once in good health, and once through a crash.
CASES: dict[str, Scenario] = {
    **{name: SCENARIOS[name] for name in SCENARIOS if name.startswith("healthy")},
    "demo": msgspec.structs.replace(SCENARIOS["demo"], iterations=900),
    "noisy-network": msgspec.structs.replace(SCENARIOS["noisy-network"], iterations=1000),
    "crash, megatron-deepspeed": SCENARIOS["crash-and-restart"],
    "crash, megatron-core": as_flavour(SCENARIOS["crash-and-restart"], "megatron-core"),
    "crash, torchtitan": as_flavour(SCENARIOS["crash-and-restart"], "torchtitan"),
}


class Run(NamedTuple):
    """A run as it happened."""

    scenario: Scenario
    happened: Sequence[Happening]

    @property
    def log(self) -> bytes:
        return b"".join(h.text for h in self.happened if isinstance(h, Wrote))

    @property
    def steps(self) -> list[int]:
        """Every iteration that was completed, the repeated ones again."""
        return [h.iteration for h in self.happened if isinstance(h, Stepped)]

    @property
    def printed(self) -> list[int]:
        """Those of them that the log must tell of."""
        first = {1} if self.scenario.flavour == "torchtitan" else set()
        return [n for n in self.steps if n % self.scenario.log_interval == 0 or n in first]

    @property
    def saved(self) -> list[int]:
        return [h.checkpoint.iteration for h in self.happened if isinstance(h, SaveFinished)]

    @property
    def answers(self) -> list[QueueAnswered]:
        return [h for h in self.happened if isinstance(h, QueueAnswered)]


class Read(NamedTuple):
    """A run as the core reads it: the open iteration is in the rows, too."""

    state: RunState
    rows: Columns
    events: tuple[Event, ...]

    def column(self, name: str) -> list[float]:
        return list(self.rows.column(name))

    def told(self, kind: str) -> list[Event]:
        return [event for event in self.events if event.kind == kind]


def simulated(scenario: Scenario, *, seed: int = 0, pace: float = 1.0) -> Run:
    """A run from its beginning to its end."""
    return Run(scenario, list(happenings(scenario, Timeline(START, pace), seed=seed)))


def read(log: bytes, *, in_columns: bool = True) -> Read:
    """A whole log at once, as after it was written."""
    chunk = LogChunk(at=START + 10**8, path="main_log.txt", data=log, live=False)
    return folded([chunk], Scanner(in_columns=in_columns))


def folded(observations: Sequence[Observation], scanner: Scanner | None = None) -> Read:
    """What observations come to."""
    reader = Reader(scanner or Scanner())
    state, rows, events = RunState(run="simulated"), Columns(), list[Event]()
    for seen in observations:
        step = reader.advance(state, seen)
        state = step.state
        rows.extend(step.rows)
        events.extend(step.events)
    if state.open is not None:
        rows.append(
            {
                **state.open.values,
                "iteration": float(state.open.iteration),
                "attempt": float(state.open.attempt),
            }
        )
    return Read(state, rows, tuple(events))
