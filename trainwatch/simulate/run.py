"""A whole run, as a stream of what happens in it: attempts, iterations, evaluations, saves, ends, waits.

Pure: the same scenario, seed and timeline give the same happenings.
"""

from msgspec.structs import replace

from trainwatch.core.model.observations import AccountingReading, AttemptEnd
from trainwatch.simulate import endings
from trainwatch.simulate.chance import Chance
from trainwatch.simulate.faults.ends import Crash, Hang, KillSwitch, Stillborn, Unstarted
from trainwatch.simulate.faults.queueing import LongWait, NothingQueued
from trainwatch.simulate.faults.saving import ResumeFrom
from trainwatch.simulate.faults.table import Misconfigured
from trainwatch.simulate.flavours.table import FLAVOURS
from trainwatch.simulate.happenings import Observed
from trainwatch.simulate.job import Job
from trainwatch.simulate.queue import Standing
from trainwatch.simulate.scenario import Scenario, on_cluster
from trainwatch.simulate.strikes import Strikes
from trainwatch.simulate.timeline import Timeline
from trainwatch.simulate.training import End, Ending, Ends, Training
from trainwatch.simulate.world import Moments, World

_FIRST_ARRAY = 682_842
_WAIT = 21  # stream of chance
_HOUR_S = 3600.0
_LOOP = 2  # attempts in a row that crashed and brought nothing new


def happenings(
    scenario: Scenario, timeline: Timeline, *, seed: int = 0, iterations: int | None = None
) -> Moments:
    """What happens, in order of time. `iterations` is the last one, else the scenario's own."""
    return _Run(scenario, timeline, seed, iterations or scenario.iterations).play()


class _Run:
    """Attempt after attempt."""

    def __init__(self, scenario: Scenario, timeline: Timeline, seed: int, last: int) -> None:
        self.scenario, self.timeline = scenario, timeline
        self.flavour, self.chance = FLAVOURS[scenario.flavour], Chance(seed)
        self.array_id = _FIRST_ARRAY + self.chance.pick(_WAIT, 0, 100_000)
        self.strikes = Strikes(scenario.faults)
        self.world = World(scenario, timeline, self._job(0, 0.0, 0))
        self.truth = self.world.truth
        self.training = Training(scenario, self.world, self.chance, self.strikes, last)
        self.fruitless = 0  # attempts in a row that crashed and brought nothing new
        self.furthest = 0  # iteration, when this attempt began

    def play(self) -> Moments:
        """Until training is completed, nothing is queued any more, or enough was seen."""
        attempt = 0
        yield from self.training.saving.present()
        while True:
            yield from self._wait_in_queue(attempt)
            end = yield from self._attempt(attempt)
            yield from self._end(end)
            if end is Ending.ENOUGH:
                return
            yield from self._nothing_queued_after(attempt)
            attempt += 1
            if end is Ending.COMPLETED or attempt == self.scenario.attempts:
                yield from self.world.stand(None)
                return

    def _job(self, attempt: int, began: float, loaded_iteration: int) -> Job:
        scenario = on_cluster(self.scenario, attempt)
        return Job(
            scenario=scenario,
            timeline=self.timeline,
            chance=self.chance,
            attempt=attempt,
            began=began,
            first_array_id=self.array_id,
            target_iteration=scenario.target_iteration,
            flops_per_sample=self.flavour.flops_per_sample(scenario),
            loaded_iteration=loaded_iteration,
        )

    # the queue

    def _wait_in_queue(self, attempt: int) -> Moments:
        world = self.world
        loaded = self._loaded(attempt)
        world.job = self._job(attempt, world.t, loaded)
        for fault in self.scenario.faults:
            if isinstance(fault, LongWait) and fault.attempt == attempt:
                yield from self._wait_long(fault)
                break
        else:
            luck = self.chance.uniform(_WAIT, attempt + 1)
            yield from world.stand(Standing())
            yield from world.wait(self.scenario.queue_s * (0.5 + luck))
        world.job = self._job(attempt, world.t, loaded)

    def _wait_long(self, fault: LongWait) -> Moments:
        world = self.world
        if fault.rule:
            yield from self.truth.broke(world.t, fault.rule, iteration=None, until="told")
        yield from world.stand(Standing(reason=fault.reason, starts_in_s=fault.starts_in_s))
        yield from world.wait(fault.hours * _HOUR_S)
        if fault.rule:
            yield from self.truth.healed(world.t, fault.rule)

    def _nothing_queued(self, attempt: int) -> NothingQueued | None:
        faults = (f for f in self.scenario.faults if isinstance(f, NothingQueued))
        return next((fault for fault in faults if fault.attempt == attempt), None)

    def _nothing_queued_after(self, attempt: int) -> Moments:
        fault, world = self._nothing_queued(attempt), self.world
        if fault is None:
            return
        yield from self.truth.healed(world.t, fault.rule)
        yield from self.truth.broke(
            world.t, fault.rule_after, iteration=self.training.iteration, until="told"
        )
        yield from world.stand(None)
        yield from world.wait(fault.hours * _HOUR_S)
        yield from self.truth.healed(world.t, fault.rule_after)

    # an attempt

    def _loaded(self, attempt: int) -> int:
        for fault in self.scenario.faults:
            if isinstance(fault, ResumeFrom) and fault.attempt == attempt:
                return fault.iteration
        return self.training.saving.iteration

    def _attempt(self, attempt: int) -> Ends:
        """From the moment it runs to what ends it."""
        world, alone = self.world, self._nothing_queued(attempt)
        self.truth.restarted()
        self.furthest = self.training.furthest
        yield from world.stand(Standing(running=True, reason="", successor=alone is None))
        if alone is not None:
            yield from self.truth.broke(world.t, alone.rule, iteration=None, until="told")
        yield from self._given(attempt)
        yield from self.training.load(world.job)
        end = yield from self._start_up()
        return end or (yield from self.training.train())

    def _given(self, attempt: int) -> Moments:
        """What is wrong with the attempt from its beginning."""
        for fault in self.scenario.faults:
            if isinstance(fault, Misconfigured) and attempt == 0:
                yield from self.truth.broke(
                    self.world.t, fault.rule, key=fault.key, iteration=None, until="told"
                )
            elif isinstance(fault, ResumeFrom) and fault.attempt == attempt:
                yield from self.truth.broke(
                    self.world.t, fault.rule, iteration=self.furthest, until="attempt"
                )

    def _start_up(self) -> Ends:
        world, job = self.world, self.world.job
        stop = self.strikes.at_start(job.loaded_iteration)
        until = job.began + (stop[1] if stop else 2.0) * job.scenario.startup_s
        for t, text in self.flavour.startup(job):
            if t >= until and not (stop and isinstance(stop[0], KillSwitch)):
                break
            yield from world.wait(t - world.t)
            yield from world.say(text)
        if stop is None:
            return None
        fault = stop[0]
        yield from world.wait(max(0.0, until - world.t))
        return (yield from self.training.hang(fault)) if isinstance(fault, Hang) else fault

    # the end of an attempt

    def _end(self, end: End | None) -> Moments:
        world = self.world
        if end is Ending.ENOUGH:
            yield from world.let_go()
            return
        if isinstance(end, Ending):
            yield from self._ended(end)
        elif isinstance(end, KillSwitch):
            yield from self._switched_off(end)
        elif isinstance(end, Unstarted):
            yield from self._never_began(end)
        elif end is not None:
            yield from self._crashed(end)
        yield from self.training.saving.abandon()
        yield from world.wait(5.0)
        yield from world.let_go()
        if world.standing is not None:
            world.standing = replace(world.standing, running=False, reason="Priority")

    def _ended(self, end: Ending) -> Moments:
        world, job = self.world, self.world.job
        self.fruitless = 0
        if end is Ending.COMPLETED:
            yield from world.say(self.flavour.completed(job, world.t))
            yield from self.training.saving.finish(self.training.iteration)
        elif end is Ending.EXITED:
            minutes = (world.t - job.began) / 60
            yield from world.say(self.flavour.exited(job, world.t, minutes))
        elif end is Ending.TIME_LIMIT:
            yield from world.say(endings.time_limit(job, world.t))
        elif end is Ending.CANCELLED:
            yield from world.say(endings.cancelled(job, world.t))

    def _switched_off(self, fault: KillSwitch) -> Moments:
        world = self.world
        yield from self.truth.broke(
            world.t, fault.rule, iteration=self.training.iteration, until="progress"
        )
        yield from world.say(endings.kill_switch(world.job, world.t, self.flavour.said_by))

    def _never_began(self, fault: Unstarted) -> Moments:
        world, job = self.world, self.world.job
        yield from world.wait(fault.seconds)
        ended = AttemptEnd(
            job_id=f"{job.array_id}_{job.task}",
            state="FAILED",
            exit_code="0:53",
            nodes=job.nodes,
            start=self.timeline.at(job.began),
            end=world.now,
        )
        reading = AccountingReading(at=world.now, state="ok", ended=(ended,))
        yield Observed(world.now, reading)
        self.fruitless += 1
        if self.fruitless >= _LOOP:
            yield from self.truth.broke(
                world.t, fault.rule, iteration=self.training.iteration, until="further"
            )

    def _crashed(self, fault: Crash | Stillborn) -> Moments:
        world, said_by = self.world, self.flavour.said_by
        iteration = self.training.iteration
        yield from self.truth.broke(world.t, fault.rule, iteration=iteration, until="progress")
        self.fruitless = 0 if self.training.furthest > self.furthest else self.fruitless + 1
        if self.fruitless >= _LOOP:
            yield from self.truth.broke(world.t, "crash-loop", iteration=iteration, until="further")
        if isinstance(fault, Stillborn):
            yield from world.say(endings.failed(world.job, fault.cause, fault.rank, said_by))
            yield from world.wait(5.0)
            yield from world.say(endings.torn_down(world.job, world.t, fault.rank))
            return
        for t, text in endings.crash(world.job, world.t, fault, said_by):
            yield from world.wait(t - world.t)
            yield from world.say(text)
        if fault.lingers_h is not None:
            lasted = yield from world.work(fault.lingers_h * _HOUR_S)
            yield from self._ended(Ending.CANCELLED if lasted else Ending.TIME_LIMIT)
