"""What a rule is handed, and what it may say.

A rule yields a Finding for each thing that is wrong, `Later(at)` when silence alone would make it speak from
then on, `Reached(iteration)` when training alone would, and UNSURE when it cannot say: then nothing of its
findings is taken for over.
"""

from collections.abc import Callable, Iterator
from typing import NamedTuple

from trainwatch.core.facts import Facts
from trainwatch.core.model.alerts import Finding, Severity
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.state import Attempt, RunState
from trainwatch.core.rules.settings import AlertSettings, RuleSettings
from trainwatch.core.words import duration, number


class Later(NamedTuple):
    """From this time on (s since the epoch) the rule may speak though nothing new was observed."""

    at: float


class Reached(NamedTuple):
    """From this iteration on the rule may say otherwise, though nothing else changes."""

    iteration: int


class Unsure(NamedTuple):
    """The rule cannot say."""


UNSURE = Unsure()
LOOKS_S = 300.0  # within which a log is read, and a queue's answer is true
Said = Finding | Later | Reached | Unsure


class Sight(NamedTuple):
    """One run at one time. `facts` are the log's and the configuration's; times are s since the epoch."""

    now: float
    state: RunState
    memory: Memory
    facts: Facts
    configured: Facts
    settings: AlertSettings

    @property
    def attempt(self) -> Attempt | None:
        """The attempt that runs or ran last."""
        return self.state.attempts[-1] if self.state.attempts else None

    @property
    def moved(self) -> bool:
        """Whether the last attempt completed anything."""
        return self.memory.pace.iteration_at is not None

    @property
    def runs(self) -> bool | None:
        """Whether the job runs, by the last answer; None when nobody knows, or the log says otherwise."""
        queue, moved_at = self.memory.queue, self.memory.pace.moved_at
        gone = queue.absent_since if queue.absent_since is not None else queue.waiting_since
        if gone is not None and moved_at is not None and moved_at > gone + LOOKS_S:
            return None
        return queue.runs

    @property
    def lives(self) -> bool | None:
        """Whether its processes live, as far as somebody sees them: None where nobody looked lately."""
        processes = self.memory.processes
        if processes.seen_at is None or (
            processes.alive and self.now > processes.seen_at + LOOKS_S
        ):
            return None
        return processes.alive

    @property
    def is_blind(self) -> bool:
        """Whether the log cannot be seen, or can only just be seen again and is not read yet.

        Also while nothing in it was understood."""
        hands = self.memory.hands
        just = hands.sees_since is not None and self.now < hands.sees_since + LOOKS_S
        mute = self.attempt is not None and not self.state.speaks  # only its processes are known
        return hands.blind_since is not None or just or mute

    def fires(self, rule: str, key: str = "") -> bool:
        """Whether an alert fires already: what is over needs more than what begins."""
        alarms = self.memory.book.alarms
        return any(
            a.fired_at is not None and a.finding.rule == rule and a.finding.key == key
            for a in alarms
        )

    def fires_as(self, rule: str, severity: Severity) -> bool:
        """Whether an alert fires already, and is that bad."""
        return any(
            a.fired_at is not None and a.finding.rule == rule and a.severity == severity
            for a in self.memory.book.alarms
        )

    def cost(self, seconds: float) -> str:
        """What so long a time costs, in words: GPU-hours where the GPUs are known."""
        return cost(seconds, self.facts.gpus)


class Rule(NamedTuple):
    """One row of the table. `settings` are its own out of all, `inhibited_by` rules that may be its cause."""

    name: str
    severity: Severity
    summary: str  # for the catalogue
    look: Callable[[Sight], Iterator[Said]]
    settings: Callable[[AlertSettings], RuleSettings]
    inhibited_by: tuple[str, ...] = ()


def cost(seconds: float, gpus: int | None) -> str:
    """`1,380 GPU-hours`, or the time where nobody knows on how many GPUs."""
    if gpus is None:
        return duration(seconds)
    return f"{number(round(seconds / 3600 * gpus))} GPU-hours"
