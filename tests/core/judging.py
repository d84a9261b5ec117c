"""A run that is judged in a test: log lines and readings in, alert changes out, the clock wound by hand."""

from collections.abc import Callable, Iterable

import msgspec

from tests.core.logs.making import iteration
from trainwatch.adapters.store.files import encode_exactly
from trainwatch.core.facts import Facts
from trainwatch.core.judge import Judge
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.alerts import Change
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.observations import Job, LogChunk, Observation, QueueReading
from trainwatch.core.model.state import RunState
from trainwatch.core.rules.settings import AlertSettings
from trainwatch.core.run import Reader

T0 = 1_790_000_000.0 // 60 * 60  # on the grid of minutes


class Kept(msgspec.Struct):
    """What a life of the daemon leaves to the next."""

    state: RunState
    memory: Memory


_decode = msgspec.json.Decoder(Kept, strict=False).decode


class Judged:
    """One run: `at` is its clock, `changes` all that was told so far."""

    def __init__(
        self, settings: AlertSettings | None = None, configured: Facts | None = None, at: float = T0
    ) -> None:
        self.at = at
        self.state = RunState(run="run")
        self.changes: list[Change] = []
        self._settings, self._configured = settings or AlertSettings(), configured or Facts()
        self._offset = 0
        self._live_on(Memory())

    def _live_on(self, memory: Memory) -> None:
        self.reader = Reader(Scanner())
        self.judge = Judge("run", self._settings, self._configured, memory)

    @property
    def memory(self) -> Memory:
        return self.judge.memory

    def see(self, seen: Observation) -> "Judged":
        """Fold and judge an observation."""
        self.at = max(self.at, seen.at)
        for step in self.judge.see(seen, self.state, self.reader.steps(self.state, seen)):
            self.state = step.state
        self.changes += self.judge.told()
        return self

    def read(self, lines: str | bytes | Iterable[str], *, live: bool = True) -> "Judged":
        """These lines came now, or some time before."""
        if isinstance(lines, str):
            lines = [lines]
        data = lines if isinstance(lines, bytes) else "".join(f"{x}\n" for x in lines).encode()
        chunk = LogChunk(at=self.at, path="log", data=data, offset=self._offset, live=live)
        self._offset += len(data)
        return self.see(chunk)

    def wait(self, seconds: float) -> "Judged":
        """Nothing is observed for so long."""
        self.at += seconds
        self.changes += self.judge.pass_time(self.state, self.at)
        return self

    def train(
        self,
        first: int,
        last: int,
        *,
        step_s: float = 10.0,
        every: int = 1,
        line: Callable[[int], str] | None = None,
    ) -> "Judged":
        """Iterations whose lines come one by one, each when it is done."""
        for number in range(first, last + 1, every):
            self.wait(step_s * every)
            made = line(number) if line else iteration(number, step_ms=step_s * 1e3)
            self.read(made)
        return self

    def queue(self, *jobs: Job, unknown: str = "") -> "Judged":
        """The scheduler's answer now."""
        if unknown:
            return self.see(QueueReading(at=self.at, state="unknown", why=unknown))
        return self.see(QueueReading(at=self.at, state="ok", jobs=jobs))

    def reborn(self) -> "Judged":
        """The daemon ends, and another goes on from what it kept."""
        kept = _decode(encode_exactly(Kept(self.state, self.memory)))
        self.state = kept.state
        self._live_on(kept.memory)
        return self

    def told(self, rule: str) -> list[str]:
        """What was told of a rule, in order."""
        return [c.change for c in self.changes if c.rule == rule and c.change != "repeated"]

    def fires(self, rule: str, key: str | None = None) -> bool:
        """Whether an alert of the rule fires now."""
        return any(
            alarm.fired_at is not None
            and alarm.finding.rule == rule
            and key in (None, alarm.finding.key)
            for alarm in self.memory.book.alarms
        )

    def firing(self) -> list[str]:
        """The rules that fire now, in order of their names."""
        alarms = self.memory.book.alarms
        return sorted({a.finding.rule for a in alarms if a.fired_at is not None})


def running(job_id: str = "7_1", *, start: float | None = None, **more: object) -> Job:
    """A job that runs."""
    return Job(job_id=job_id, name="run", state="RUNNING", start=start, **more)  # type: ignore[arg-type]


def pending(job_id: str = "7_2", reason: str = "Priority") -> Job:
    """A job that waits."""
    return Job(job_id=job_id, name="run", state="PENDING", reason=reason)
