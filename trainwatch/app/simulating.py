"""A simulated run as it is written: by the clock or as fast as possible, here or in a thread beside us.

Live, the run begins now and its stamps go with the clock it is given, however fast simulated time passes.
As fast as possible it begins at a fixed date: the same seed gives the same bytes.
"""

import threading
from collections.abc import Callable, Iterator
from pathlib import Path
from types import TracebackType
from typing import Self

from trainwatch.app import clock
from trainwatch.core.errors import TrainwatchError, UsageError
from trainwatch.core.model.observations import Observation
from trainwatch.simulate.folder import Folder
from trainwatch.simulate.happenings import Happening, Stepped
from trainwatch.simulate.observe import Observer
from trainwatch.simulate.run import happenings
from trainwatch.simulate.scenario import Scenario, hurried
from trainwatch.simulate.scenarios import SCENARIOS
from trainwatch.simulate.timeline import Timeline

DEMO, DEMO_SPEED = "demo", 60.0
_LEAD = 40  # iterations before its first fault at which a live run is when somebody begins to watch
_PAST = 160  # and before those that its log tells of: rules learn from them what is usual
_PATIENCE_S = 10.0  # for the past to be written
_MOST_RATE = 60.0  # of a clock: a look every two seconds is then one every two minutes
_LOCAL_START = 1_740_988_800.0  # 2025-03-03 08:00 on the wall, of runs that are not live


def scenario_of(name: str) -> Scenario:
    """The scenario of this name. Raises UsageError, which names the nearest."""
    import difflib

    if name in SCENARIOS:
        return SCENARIOS[name]
    begun = [known for known in SCENARIOS if known.startswith(name)]
    near = begun or difflib.get_close_matches(name, SCENARIOS, n=1)
    hint = f"did you mean '{near[0]}'?" if near else f"there are {', '.join(SCENARIOS)}"
    raise UsageError(f"no scenario is called '{name}'; {hint}")


def timeline(
    speed: float | None, now: clock.Passing | None = None, past_s: float = 0.0
) -> Timeline:
    """The times of a run at so many simulated seconds a second; None: as fast as possible.

    `now` is the clock of who watches, else the one on the wall; the run began `past_s` before it.
    """
    now = now or clock.Passing()
    offset_s = clock.local_utc_offset_s(clock.now())
    if speed is None:
        return Timeline(_LOCAL_START - offset_s, utc_offset_s=offset_s)
    return Timeline(now() - past_s, pace=speed / now.rate, utc_offset_s=offset_s)


def past_of(scenario: Scenario, iteration: int, seed: int, pace: float) -> float:
    """How many seconds a run takes to complete an iteration; nothing if it never does."""
    if iteration <= scenario.first_iteration:
        return 0.0
    told = happenings(scenario, Timeline(0.0, pace=pace), seed=seed)
    steps = (each for each in told if isinstance(each, Stepped))
    return next((step.at for step in steps if step.iteration >= iteration), 0.0)


def clock_of(speed: float) -> clock.Passing:
    """The clock for watching a run at a speed as in life: its hours are ours, up to a speed of 60.

    Rules wait for minutes and hours. With the clock on the wall, a simulated hang would be over before one
    speaks.
    """
    return clock.Passing(min(speed, _MOST_RATE))


def paced(
    source: Iterator[Happening],
    speed: float | None,
    stopped: threading.Event,
    now: clock.Passing | None = None,
    caught_up: Callable[[], object] = lambda: None,
) -> Iterator[Happening]:
    """Each happening when its time has come by the clock `now`, until it is stopped.

    `caught_up` is told when all that is past has happened.
    """
    now = now or clock.Passing()
    for happening in source:
        wait_s = 0.0 if speed is None else (happening.at - now()) / now.rate
        if wait_s > 0:
            caught_up()
        if stopped.wait(wait_s) if wait_s > 0 else stopped.is_set():
            return
        yield happening


def play(
    scenario: Scenario,
    folder: Folder,
    *,
    speed: float | None,
    seed: int,
    iterations: int | None,
    stopped: threading.Event,
    record: Callable[[Observation], None] | None = None,
    told: Callable[[Happening], None] | None = None,
    now: clock.Passing | None = None,
    past_s: float = 0.0,
    caught_up: Callable[[], object] = lambda: None,
) -> None:
    """Write a run until it is over or stopped.

    `record` takes what a watcher would observe, `told` everything that happens. What happened in the
    `past_s` before it begins is written at once; then `caught_up` is told. Raises TrainwatchError when the
    disk does not take it.
    """
    observer = Observer(rounds=scenario.rounds)
    source = happenings(scenario, timeline(speed, now, past_s), seed=seed, iterations=iterations)
    for happening in paced(source, speed, stopped, now, caught_up):
        folder.write(happening)
        if record is not None:
            for seen in observer.see(happening):
                record(seen)
        if told is not None:
            told(happening)


class LiveRun:
    """A simulated run that a thread writes into a folder until it is stopped.

    `log` exists once `start` has returned. `error` says why the thread ended early, if it did.
    """

    def __init__(
        self,
        folder: Path,
        scenario: str | Scenario = DEMO,
        *,
        speed: float = DEMO_SPEED,
        seed: int = 0,
        iterations: int | None = None,
        now: clock.Passing | None = None,
    ) -> None:
        """`iterations`: the last one, else that of the end of training, which is months away.

        `now`: the clock of who watches, else the one on the wall.
        Raises UsageError for a folder that may not be written into, or an unknown scenario.
        """
        known = scenario_of(scenario) if isinstance(scenario, str) else scenario
        self._scenario = hurried(known, _LEAD + _PAST)  # who watches live does not wait for hours
        self._at = hurried(known, lead=0).first_iteration - _LEAD  # the iteration it is at now
        self._last = iterations or self._scenario.target_iteration
        self._speed, self._seed, self._now = speed, seed, now or clock.Passing()
        self._folder = Folder(folder)
        self._stopped, self._caught_up = threading.Event(), threading.Event()
        self._thread = threading.Thread(target=self._write, daemon=True, name="simulation")
        self.log = self._folder.log
        self.error: TrainwatchError | None = None

    def start(self) -> None:
        """Begin to write. What is past is written then: who looks would take it for a burst of output."""
        self._thread.start()
        self._caught_up.wait(_PATIENCE_S)

    def stop(self) -> None:
        """End, with the last line complete."""
        self._stopped.set()
        if self._thread.is_alive():
            self._thread.join()

    def wait(self, timeout_s: float | None = None) -> bool:
        """Wait until nothing more will be written, or for a time. True if it is over."""
        self._thread.join(timeout_s)
        return not self._thread.is_alive()

    def __enter__(self) -> Self:
        self.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()

    def _write(self) -> None:
        pace = self._speed / self._now.rate
        past_s = past_of(self._scenario, self._at, self._seed, pace)
        try:
            with self._folder as folder:
                play(
                    self._scenario,
                    folder,
                    speed=self._speed,
                    seed=self._seed,
                    iterations=self._last,
                    stopped=self._stopped,
                    now=self._now,
                    past_s=past_s,
                    caught_up=self._caught_up.set,
                )
        except TrainwatchError as error:
            self.error = error
        finally:
            self._caught_up.set()
