"""The checkpoints of a simulated run: at once or beside the training, cut short, left out, too large."""

from collections.abc import Generator

from msgspec.structs import replace

from trainwatch.simulate.chance import Chance
from trainwatch.simulate.faults.saving import Overshot, Oversized, Unread, Unsaved
from trainwatch.simulate.flavours.table import FLAVOURS
from trainwatch.simulate.happenings import Checkpoint, Happening, Present, SaveBegan, SaveFinished
from trainwatch.simulate.scenario import Scenario
from trainwatch.simulate.world import Moments, World

_LENGTH, _SLOW = 22, 23  # streams of chance
_DAY_S = 86_400.0
_OVERDUE, _INCOMPLETE, _SIZE = "checkpoint-overdue", "checkpoint-incomplete", "checkpoint-size"


class _Writing:
    """A save that goes on beside the training."""

    def __init__(self, checkpoint: Checkpoint, seconds: float, until: float) -> None:
        self.checkpoint, self.seconds, self.until = checkpoint, seconds, until


class Saving:
    """What is saved. `iteration` is that of the last complete checkpoint."""

    def __init__(
        self, scenario: Scenario, world: World, chance: Chance, first_iteration: int
    ) -> None:
        self._scenario, self._world, self._chance = scenario, world, chance
        self._flavour = FLAVOURS[scenario.flavour]
        self.iteration = first_iteration
        self._writing: _Writing | None = None
        self._cut: int | None = None  # the checkpoint that was left incomplete
        self._unread = [f for f in scenario.faults if isinstance(f, Unread)]
        self._unsaved = [f for f in scenario.faults if isinstance(f, Unsaved)]
        self._oversized = [f for f in scenario.faults if isinstance(f, Oversized)]
        self._overshot = [f for f in scenario.faults if isinstance(f, Overshot)]

    def present(self) -> Moments:
        """What lies there when the run is looked at first: the checkpoint to go on from, and one before."""
        for fault in self._unread:
            age_s = fault.age_days * _DAY_S
            yield Present(self._world.now, self._checkpoint(fault.iteration), age_s)
            yield from self._broke(fault.rule, self.iteration)
        earlier = self.iteration - self._scenario.save_interval
        for iteration in (earlier, self.iteration):
            if iteration > 0:
                yield Present(self._world.now, self._checkpoint(iteration))

    def luck(self, iteration: int) -> float:
        """A little longer or shorter than usual, or many times as long where the filesystem is slow."""
        usual = 1 + 0.05 * self._chance.normal(_LENGTH, iteration)
        share = self._chance.uniform(_SLOW, iteration)
        if share >= self._scenario.slow_share:
            return usual
        return usual * (5 + 5 * share / self._scenario.slow_share)

    def left_out(self, iteration: int) -> Generator[Happening, None, bool]:
        """Whether a save that is due is not made."""
        for fault in self._unsaved:
            if fault.first <= iteration <= fault.last:
                yield from self._broke(fault.rule, iteration)
                return True
        return False

    def save(self, iteration: int, *, cut: bool = False) -> Generator[Happening, None, bool]:
        """Write a checkpoint. False if it is cut short half-way, or by Slurm's time limit."""
        world, scenario = self._world, self._scenario
        seconds = scenario.save_s * self.luck(iteration)
        checkpoint = self._checkpoint(iteration)
        yield from world.say(self._flavour.save_began(world.job, world.t, iteration))
        yield SaveBegan(world.now, checkpoint)
        done = yield from world.work(0.5 * seconds if cut else seconds)
        if cut or not done:
            yield from self._left(iteration)
            return False
        if scenario.async_save_s is None:
            yield from self._finished(checkpoint, seconds)
            return True
        beside_s = scenario.async_save_s * self.luck(iteration)
        writing = _Writing(checkpoint, seconds + beside_s, world.t + beside_s)
        self._writing = writing
        world.schedule(writing.until, lambda: self._written(writing))
        return True

    def finish(self, iteration: int) -> Generator[Happening, None, bool]:
        """Before the job leaves: the newest iteration is saved, and nothing is being written any more."""
        newest = self.iteration == iteration or self._is_writing(iteration)
        if not newest and not (yield from self.save(iteration)):
            return False
        if self._writing is None:
            return True
        return (yield from self._world.work(self._writing.until - self._world.t))

    def abandon(self) -> Moments:
        """The job is gone: what was being written stays as it is."""
        writing, self._writing = self._writing, None
        if writing is not None:
            yield from self._left(writing.checkpoint.iteration)

    def _checkpoint(self, iteration: int) -> Checkpoint:
        checkpoint = self._flavour.checkpoint(self._scenario, iteration)
        fault = self._too_large(iteration)
        if fault is None:
            return checkpoint
        return replace(checkpoint, bytes=round(checkpoint.bytes * fault.factor))

    def _too_large(self, iteration: int) -> Oversized | None:
        due = (f for f in self._oversized if f.first <= iteration <= f.last)
        return next(due, None)

    def _is_writing(self, iteration: int) -> bool:
        return self._writing is not None and self._writing.checkpoint.iteration == iteration

    def _written(self, writing: _Writing) -> Moments:
        if self._writing is writing:
            self._writing = None
            yield from self._finished(writing.checkpoint, writing.seconds)

    def _finished(self, checkpoint: Checkpoint, seconds: float) -> Moments:
        world, self.iteration = self._world, checkpoint.iteration
        yield SaveFinished(world.now, checkpoint)
        yield from world.say(
            self._flavour.save_done(world.job, world.t, checkpoint.iteration, seconds)
        )
        yield from world.truth.healed(world.t, _OVERDUE)
        if self._cut == checkpoint.iteration:
            yield from world.truth.healed(world.t, _INCOMPLETE)
        for target in self._overshot:
            if checkpoint.iteration >= target.iteration:
                yield from self._broke(target.rule, target.iteration)
        fault = self._too_large(checkpoint.iteration)
        if fault is not None:
            yield from self._broke(fault.rule, checkpoint.iteration)
        else:
            yield from world.truth.healed(world.t, _SIZE)

    def _left(self, iteration: int) -> Moments:
        self._cut = iteration
        yield from self._broke(_INCOMPLETE, iteration)

    def _broke(self, rule: str, iteration: int) -> Moments:
        world = self._world
        yield from world.truth.broke(world.t, rule, iteration=iteration, until="told")
