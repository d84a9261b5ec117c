"""The training of a simulated run: iterations, evaluations, saves, and what strikes in them.

It outlives attempts: `load` puts it back to where an attempt begins. The trap: what was printed, what was
completed and what was saved are three different things.
"""

from collections.abc import Generator
from enum import Enum

from msgspec.structs import replace

from trainwatch.simulate import chatter
from trainwatch.simulate.chance import Chance
from trainwatch.simulate.curves import Curves
from trainwatch.simulate.faults.ends import Cancelled, Crash, Hang, KillSwitch, Stillborn, Unstarted
from trainwatch.simulate.faults.steps import StepFault
from trainwatch.simulate.flavours.table import FLAVOURS
from trainwatch.simulate.happenings import Happening, Stepped
from trainwatch.simulate.job import Job
from trainwatch.simulate.saving import Saving
from trainwatch.simulate.scenario import Scenario
from trainwatch.simulate.step import Step, mean
from trainwatch.simulate.strikes import Strikes
from trainwatch.simulate.world import Moments, World


class Ending(Enum):
    """How an attempt ended, where it was no crash."""

    ENOUGH = "as many iterations as were asked for: the run goes on, but nobody watches"
    COMPLETED = "the target is reached"
    EXITED = "by itself, after its time"
    TIME_LIMIT = "by Slurm"
    CANCELLED = "by somebody"


End = Ending | Crash | Stillborn | Unstarted | KillSwitch
Ends = Generator[Happening, None, End | None]


class Training:
    """The state of the training between two happenings."""

    def __init__(
        self, scenario: Scenario, world: World, chance: Chance, strikes: Strikes, last: int
    ) -> None:
        self.world, self.chance, self.strikes, self.last = world, chance, strikes, last
        self.flavour, self.target = FLAVOURS[scenario.flavour], scenario.target_iteration
        self.schedule = scenario.schedule
        self.faults = [fault for fault in scenario.faults if isinstance(fault, StepFault)]
        self.iteration = self.furthest = scenario.first_iteration
        self.samples = self.schedule.consumed(self.iteration)
        self.saving = Saving(scenario, world, chance, self.iteration)
        self._active: set[int] = set()  # faults that are at work, by place
        self._unlogged: list[Step] = []
        self._overhead_s = 0.0  # that the next step time will hold
        self._norm = 1.0  # of the last iteration that was not skipped

    def load(self, job: Job) -> Moments:
        """An attempt begins, from the checkpoint that the job loads."""
        self.scenario = job.scenario
        self.curves = Curves(job.scenario, self.chance)
        self.iteration = job.loaded_iteration
        self.samples = self.schedule.consumed(self.iteration)
        self._unlogged, self._overhead_s = [], 0.0
        for index, fault in enumerate(self.faults):
            place = fault.place(self.iteration + 1, job.attempt, job.loaded_iteration)
            if fault.at_start and place == 0:
                yield from self._turned(index, active=True)

    def train(self) -> Generator[Happening, None, End]:
        """Iterations until something ends the attempt."""
        while True:
            end = yield from self._iterate()
            if end is not None:
                return end

    def hang(self, fault: Hang) -> Generator[Happening, None, Ending]:
        """Nothing goes on until somebody, or Slurm, has had enough."""
        yield from self.world.truth.broke(
            self.world.t, fault.rule, iteration=self.iteration, until="progress"
        )
        yield from self.world.reason(fault.reason)
        lasted = yield from self.world.work(fault.hours * 3600)
        return Ending.CANCELLED if lasted else Ending.TIME_LIMIT

    def _iterate(self) -> Ends:
        """One iteration, and what is due after it."""
        world, job = self.world, self.world.job
        if self.iteration in self.strikes.iterations:
            fault = self.strikes.in_phase("train", self.iteration)
            if isinstance(fault, Hang):
                return (yield from self.hang(fault))
            if isinstance(fault, Cancelled):
                return Ending.CANCELLED
            if fault is not None:
                usual = self.curves.step(self.iteration + 1, self.samples, job.attempt, world.t)
                yield from world.wait(0.4 * usual.step_time_s)
                return fault
        step = self.curves.step(self.iteration + 1, self.samples, job.attempt, world.t)
        places = self._places(step.iteration)
        step = self._changed(step, places)
        if not (yield from world.work(step.step_time_s)):
            return Ending.TIME_LIMIT
        yield from self._completed(step, places)
        if step.iteration % self.scenario.eval_interval == 0:
            end = yield from self._evaluate()
            if end is not None:
                return end
        if step.iteration % self.scenario.save_interval == 0:
            end = yield from self._save()
            if end is not None:
                return end
        return (yield from self._due_end())

    # faults of iterations

    def _places(self, iteration: int) -> list[int | None]:
        job = self.world.job
        return [f.place(iteration, job.attempt, job.loaded_iteration) for f in self.faults]

    def _changed(self, step: Step, places: list[int | None]) -> Step:
        """What the iteration measures. A skipped one prints the gradient norm of the last that was not."""
        for fault, place in zip(self.faults, places, strict=True):
            if place is not None:
                step = fault.changed(step, place)
        if step.skipped:
            return replace(step, grad_norm=self._norm)
        self._norm = step.grad_norm
        return step

    def _turned(self, index: int, *, active: bool) -> Moments:
        """A fault begins or stops to be at work."""
        truth, rule, t = self.world.truth, self.faults[index].rule, self.world.t
        if active:
            self._active.add(index)
            yield from truth.broke(t, rule, iteration=self.iteration, until="told")
        else:
            self._active.discard(index)
            yield from truth.healed(t, rule)

    # what a completed iteration brings

    def _completed(self, step: Step, places: list[int | None]) -> Moments:
        further = step.iteration > self.furthest
        yield from self.world.truth.stepped(self.world.t, further=further)
        for index, place in enumerate(places):
            if (place is not None) != (index in self._active):
                yield from self._turned(index, active=place is not None)
        self.iteration, self.samples = step.iteration, step.samples
        self.furthest = max(self.furthest, step.iteration)
        self._unlogged.append(step)
        first = self.flavour.logs_first and step.iteration == 1
        if step.iteration % self.scenario.log_interval == 0 or first:
            yield from self._log()
        yield Stepped(self.world.now, step.iteration)

    def _log(self) -> Moments:
        flavour, job, t = self.flavour, self.world.job, self.world.t
        step = mean(self._unlogged, self._overhead_s)
        self._unlogged, self._overhead_s = [], 0.0
        yield from self.world.say(
            flavour.before(job, t, step)
            + flavour.iteration(job, t, step)
            + flavour.after(job, t, step)
            + chatter.aside(job, t, step.iteration, flavour.said_by)
        )

    def _evaluate(self) -> Ends:
        fault = self.strikes.in_phase("evaluate", self.iteration)
        if isinstance(fault, Hang):
            return (yield from self.hang(fault))
        world, flavour = self.world, self.flavour
        seconds = self.scenario.eval_s * self.saving.luck(self.iteration)
        if not (yield from world.work(seconds)):
            return Ending.TIME_LIMIT
        sets = range(self.scenario.validation_sets)
        losses = [self.curves.validation_loss(self.iteration, index) for index in sets]
        yield from world.say(
            flavour.validations(world.job, world.t, self.iteration, losses, seconds)
        )
        self._overhead_s += seconds if flavour.counts_evaluation else 0.0
        return None

    def _save(self) -> Ends:
        if (yield from self.saving.left_out(self.iteration)):
            return None
        fault = self.strikes.in_phase("save", self.iteration)
        began = self.world.t
        done = yield from self.saving.save(self.iteration, cut=fault is not None)
        if isinstance(fault, Hang):
            return (yield from self.hang(fault))
        if isinstance(fault, Crash):
            return fault
        if not done:
            return Ending.TIME_LIMIT
        self._overhead_s += self.world.t - began if self.flavour.counts_save else 0.0
        return None

    def _due_end(self) -> Ends:
        if self.iteration >= self.target:
            return Ending.COMPLETED
        if self.iteration >= self.last:
            return Ending.ENOUGH
        job = self.world.job
        minutes = (self.world.t - job.began) / 60
        duration_min = self.scenario.exit_duration_min
        if duration_min is None or minutes <= duration_min:
            return None
        saved = yield from self.saving.finish(self.iteration)
        return Ending.EXITED if saved else Ending.TIME_LIMIT
