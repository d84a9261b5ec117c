"""The world around a simulated job: time, the queue, the log with all who write into it, the truth.

Time is `t`, in simulated seconds since the run began. Only `wait` moves it, and it lets happen what was
scheduled meanwhile: the queue's answers, other people's cron, faults beside the training.
"""

from collections.abc import Callable, Generator, Iterator
from heapq import heappop, heappush
from itertools import count

from msgspec.structs import replace

from trainwatch.core.model.observations import QueueReading
from trainwatch.simulate import chatter, queue
from trainwatch.simulate.faults.beside import BesideFault, Plan
from trainwatch.simulate.faults.queueing import FalselyEmpty, QueueUnknown
from trainwatch.simulate.happenings import Happening, QueueAnswered, Wrote
from trainwatch.simulate.job import Job
from trainwatch.simulate.queue import Standing
from trainwatch.simulate.scenario import Scenario
from trainwatch.simulate.timeline import Timeline
from trainwatch.simulate.truth import Truth

Moments = Iterator[Happening]
_HOUR_S = 3600.0


class World:
    """What is not the training itself. `standing` None: nobody has queued the job."""

    def __init__(self, scenario: Scenario, timeline: Timeline, job: Job) -> None:
        self.timeline, self.job = timeline, job
        self.t = 0.0
        self.standing: Standing | None = Standing()
        self.truth = Truth(timeline)
        self._held_back_s, self._held = scenario.held_back_s, list[str]()
        self._due: list[tuple[float, int, Callable[[], Moments]]] = []
        self._order = count()
        self._next_answer = 0.0
        self._silences = [f for f in scenario.faults if isinstance(f, QueueUnknown | FalselyEmpty)]
        self.schedule(0.0, self._answers)
        self.schedule(chatter.next_pulse(0.0), self._pulse)
        for fault in scenario.faults:
            if isinstance(fault, BesideFault):
                self._follow(fault.plan(timeline))
            elif isinstance(fault, QueueUnknown):
                self._silence(fault)

    # time

    @property
    def now(self) -> float:
        """Seconds since the epoch, as everybody sees them."""
        return self.timeline.at(self.t)

    def schedule(self, t: float, action: Callable[[], Moments]) -> None:
        """Let it happen then, while somebody waits. It must not wait itself."""
        heappush(self._due, (t, next(self._order), action))

    def wait(self, seconds: float) -> Moments:
        """Let time go by, and what is due in it happen."""
        end = self.t + seconds
        while self._due[0][0] <= end:
            t, _, action = heappop(self._due)
            self.t = max(self.t, t)
            yield from action()
        self.t = end

    def work(self, seconds: float) -> Generator[Happening, None, bool]:
        """Let the job work so long; False if Slurm's time limit cuts it short."""
        left = self.job.began + self.job.scenario.time_limit_s - self.t
        yield from self.wait(min(seconds, max(0.0, left)))
        return seconds <= left

    # the log

    def say(self, text: str) -> Moments:
        """The job prints this. Its launcher may hold it back."""
        if not text:
            return
        if not self._held_back_s:
            yield Wrote(self.now, text.encode())
            return
        if not self._held:
            self.schedule(self.t + self._held_back_s, self.let_go)
        self._held.append(text)

    def let_go(self) -> Moments:
        """What the launcher held back lands in the log."""
        if self._held:
            text, self._held = "".join(self._held), []
            yield Wrote(self.now, text.encode())

    def _pulse(self) -> Moments:
        self.schedule(chatter.next_pulse(self.t), self._pulse)
        if self.standing is not None and self.standing.running:
            yield Wrote(self.now, chatter.pulse(self.job, self.t).encode())

    # the queue

    def stand(self, standing: Standing | None) -> Moments:
        """The job stands elsewhere in the queue, which says so at once."""
        self.standing = standing
        yield self._answer()

    def reason(self, reason: str) -> Moments:
        """squeue shows another reason for the same state."""
        if reason and self.standing is not None:
            yield from self.stand(replace(self.standing, reason=reason))

    def _answers(self) -> Moments:
        """The regular ones. One that was given out of turn puts the next off."""
        if self.t >= self._next_answer:
            yield self._answer()
        self.schedule(self._next_answer, self._answers)

    def _answer(self) -> QueueAnswered:
        self._next_answer = self.t + queue.INTERVAL_S
        return QueueAnswered(self.now, self._reading())

    def _reading(self) -> QueueReading:
        for fault in self._silences:
            if 0 <= self.t / _HOUR_S - fault.first_h < fault.hours:
                if isinstance(fault, QueueUnknown):
                    return queue.unknown(self.now, fault.why)
                return queue.nothing(self.now)
        if self.standing is None:
            return queue.nothing(self.now)
        return queue.reading(self.job, self.now, self.standing)

    # what goes on by itself

    def _follow(self, plan: Plan) -> None:
        following = next(plan, None)
        if following is not None:
            t, happening = following
            self.schedule(t, lambda: self._planned(happening, plan))

    def _planned(self, happening: Happening, plan: Plan) -> Moments:
        yield happening
        self._follow(plan)

    def _silence(self, fault: QueueUnknown) -> None:
        first, last = fault.first_h * _HOUR_S, (fault.first_h + fault.hours) * _HOUR_S

        def begins() -> Moments:
            return self.truth.broke(first, fault.rule, key=fault.key, iteration=None, until="told")

        self.schedule(first, begins)
        self.schedule(last, lambda: self.truth.healed(last, fault.rule, fault.key))
