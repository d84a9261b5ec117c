"""A whole run, as a stream of what happens in it: attempts, iterations, evaluations, saves, ends, waits.

Pure: the same scenario, seed and timeline give the same happenings. Time is `self.t`, in simulated seconds
since the run began; only `_pass` moves it, and it lets the queue and other people's cron speak.
"""

from collections.abc import Generator, Iterator
from enum import Enum

from msgspec.structs import replace

from trainwatch.simulate import chatter, endings, queue
from trainwatch.simulate.chance import Chance
from trainwatch.simulate.curves import Curves
from trainwatch.simulate.faults import Crash, changed, crash_after
from trainwatch.simulate.flavours.table import FLAVOURS
from trainwatch.simulate.happenings import (
    Happening,
    QueueAnswered,
    SaveBegan,
    SaveFinished,
    Stepped,
    Wrote,
)
from trainwatch.simulate.job import Job
from trainwatch.simulate.scenario import Scenario
from trainwatch.simulate.step import Step
from trainwatch.simulate.timeline import Timeline

_FIRST_ARRAY = 682_842
_WAIT, _LENGTH = 21, 22  # streams of chance

Moments = Iterator[Happening]


class Ending(Enum):
    """How an attempt ended, where it was no crash."""

    ENOUGH = "as many iterations as were asked for: the run goes on, but nobody watches"
    COMPLETED = "the target is reached"
    EXITED = "by itself, after its time"
    TIME_LIMIT = "by Slurm"


def happenings(
    scenario: Scenario, timeline: Timeline, *, seed: int = 0, iterations: int | None = None
) -> Moments:
    """What happens, in order of time. `iterations` is the last one, else the scenario's own."""
    return _Run(scenario, timeline, seed, iterations or scenario.iterations).play()


class _Run:
    """The state of the world between two happenings."""

    def __init__(self, scenario: Scenario, timeline: Timeline, seed: int, last: int) -> None:
        self.scenario, self.timeline, self.last = scenario, timeline, last
        self.flavour = FLAVOURS[scenario.flavour]
        self.chance = Chance(seed)
        self.curves = Curves(scenario, self.chance)
        self.array_id = _FIRST_ARRAY + self.chance.pick(_WAIT, 0, 100_000)
        self.target = scenario.target_iteration
        self.t = 0.0
        self.iteration = self.samples = 0
        self.saved_iteration = self.saved_samples = 0
        self.struck: set[int] = set()  # iterations after which a crash has had its way
        self.job = self._new_job(0)
        self.running = False
        self.unlogged: list[Step] = []
        self.overhead_s = 0.0  # that the next step time will hold
        self._next_answer, self._next_pulse = 0.0, chatter.next_pulse(0.0)

    def play(self) -> Moments:
        """Attempt after attempt."""
        attempt = 0
        while True:
            self.job = self._new_job(attempt)
            yield from self._wait_in_queue()
            self.job = self._new_job(attempt)
            yield from self._start_up()
            end = yield from self._train()
            yield from self._end(end)
            if end is Ending.ENOUGH:
                return
            attempt += 1
            if end is Ending.COMPLETED or attempt == self.scenario.attempts:
                yield QueueAnswered(self._now, queue.nothing(self._now))
                return

    def _new_job(self, attempt: int) -> Job:
        return Job(
            scenario=self.scenario,
            timeline=self.timeline,
            chance=self.chance,
            attempt=attempt,
            began=self.t,
            first_array_id=self.array_id,
            target_iteration=self.target,
            flops_per_sample=self.flavour.flops_per_sample(self.scenario),
            loaded_iteration=self.saved_iteration,
        )

    # time

    def _pass(self, seconds: float) -> Moments:
        """Let time go by; the queue answers now and then, and a status script writes hourly."""
        end = self.t + seconds
        while min(self._next_answer, self._next_pulse) <= end:
            if self._next_answer <= self._next_pulse:
                self.t = max(self.t, self._next_answer)
                yield self._answer()
            else:
                self.t = max(self.t, self._next_pulse)
                self._next_pulse = chatter.next_pulse(self.t)
                if self.running:
                    yield from self._say(chatter.pulse(self.job, self.t))
        self.t = end

    def _work(self, seconds: float) -> Generator[Happening, None, bool]:
        """Let the job work so long; False if Slurm's time limit cuts it short."""
        left = self.job.began + self.scenario.time_limit_s - self.t
        yield from self._pass(min(seconds, max(0.0, left)))
        return seconds <= left

    @property
    def _now(self) -> float:
        return self.timeline.at(self.t)

    def _say(self, text: str) -> Moments:
        if text:
            yield Wrote(self._now, text.encode())

    # the queue

    def _wait_in_queue(self) -> Moments:
        luck = self.chance.uniform(_WAIT, self.job.attempt + 1)
        yield self._answer()
        yield from self._pass(self.scenario.queue_s * (0.5 + luck))
        self.running = True

    def _answer(self) -> QueueAnswered:
        """What squeue says from now on."""
        self._next_answer = self.t + queue.INTERVAL_S
        now = self._now
        return QueueAnswered(now, queue.reading(self.job, now, running=self.running))

    # an attempt

    def _start_up(self) -> Moments:
        self.iteration, self.samples = self.saved_iteration, self.saved_samples
        self.unlogged, self.overhead_s = [], 0.0
        yield self._answer()
        for t, text in self.flavour.startup(self.job):
            yield from self._pass(t - self.t)
            yield from self._say(text)

    def _train(self) -> Generator[Happening, None, Ending | Crash]:
        while True:
            ending = yield from self._iterate()
            if ending is not None:
                return ending

    def _iterate(self) -> Generator[Happening, None, Ending | Crash | None]:
        """One iteration, and what is due after it."""
        step = self.curves.step(self.iteration + 1, self.samples, self.job.attempt, self.t)
        step = changed(step, self.scenario.faults)
        crash = crash_after(self.iteration, self.scenario.faults)
        if crash is not None and self.iteration not in self.struck:
            self.struck.add(self.iteration)
            yield from self._pass(0.4 * step.step_time_s)
            return crash
        if not (yield from self._work(step.step_time_s)):
            return Ending.TIME_LIMIT
        self.iteration, self.samples = step.iteration, step.samples
        yield from self._log(step)
        if self.iteration % self.scenario.eval_interval == 0 and not (yield from self._evaluate()):
            return Ending.TIME_LIMIT
        if self.iteration % self.scenario.save_interval == 0 and not (yield from self._save()):
            return Ending.TIME_LIMIT
        return (yield from self._due_end())

    def _due_end(self) -> Generator[Happening, None, Ending | None]:
        if self.iteration >= self.target:
            return Ending.COMPLETED
        if self.iteration >= self.last:
            return Ending.ENOUGH
        duration_min = self.scenario.exit_duration_min
        if duration_min is None or (self.t - self.job.began) / 60 <= duration_min:
            return None
        if self.saved_iteration != self.iteration and not (yield from self._save()):
            return Ending.TIME_LIMIT
        return Ending.EXITED

    def _log(self, step: Step) -> Moments:
        self.unlogged.append(step)
        first = self.flavour.logs_first and step.iteration == 1
        if step.iteration % self.scenario.log_interval == 0 or first:
            mean, flavour, job = self._mean(), self.flavour, self.job
            yield from self._say(
                flavour.before(job, self.t, mean)
                + flavour.iteration(job, self.t, mean)
                + flavour.after(job, self.t, mean)
                + chatter.aside(job, self.t, step.iteration, flavour.said_by)
            )
        yield Stepped(self._now, step.iteration)

    def _mean(self) -> Step:
        """What is printed: the last iteration, its time and loss as means since the last line."""
        steps, self.unlogged = self.unlogged, []
        seconds = sum(step.step_time_s for step in steps) + self.overhead_s
        self.overhead_s = 0.0
        loss = sum(step.loss for step in steps) / len(steps)
        return replace(steps[-1], step_time_s=seconds / len(steps), loss=loss)

    def _evaluate(self) -> Generator[Happening, None, bool]:
        seconds = self.scenario.eval_s * self._luck()
        if not (yield from self._work(seconds)):
            return False
        sets = range(self.scenario.validation_sets)
        losses = [self.curves.validation_loss(self.iteration, index) for index in sets]
        yield from self._say(
            self.flavour.validations(self.job, self.t, self.iteration, losses, seconds)
        )
        self.overhead_s += seconds if self.flavour.counts_evaluation else 0.0
        return True

    def _save(self) -> Generator[Happening, None, bool]:
        seconds = self.scenario.save_s * self._luck()
        checkpoint = self.flavour.checkpoint(self.scenario, self.iteration)
        yield from self._say(self.flavour.save_began(self.job, self.t, self.iteration))
        yield SaveBegan(self._now, checkpoint)
        if not (yield from self._work(seconds)):
            return False
        yield SaveFinished(self._now, checkpoint)
        yield from self._say(self.flavour.save_done(self.job, self.t, self.iteration, seconds))
        self.saved_iteration, self.saved_samples = self.iteration, self.samples
        self.overhead_s += seconds if self.flavour.counts_save else 0.0
        return True

    def _luck(self) -> float:
        """A little longer or shorter than usual."""
        return 1 + 0.05 * self.chance.normal(_LENGTH, self.iteration)

    def _end(self, end: Ending | Crash) -> Moments:
        if end is Ending.ENOUGH:
            return
        if end is Ending.COMPLETED:
            yield from self._say(self.flavour.completed(self.job, self.t))
            if self.saved_iteration != self.iteration:
                yield from self._save()
        elif end is Ending.EXITED:
            minutes = (self.t - self.job.began) / 60
            yield from self._say(self.flavour.exited(self.job, self.t, minutes))
        elif end is Ending.TIME_LIMIT:
            yield from self._say(endings.time_limit(self.job, self.t))
        elif isinstance(end, Crash):
            for t, text in endings.crash(self.job, self.t, end, self.flavour.said_by):
                yield from self._pass(t - self.t)
                yield from self._say(text)
        yield from self._pass(5.0)
        self.running = False
