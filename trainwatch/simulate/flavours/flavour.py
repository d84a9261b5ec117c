"""What a framework's way of printing a run is: functions from values to lines.

All are pure, and give whole lines. `t` is the simulated second at which the line is printed.
"""

from collections.abc import Callable, Iterator, Sequence

import msgspec

from trainwatch.simulate.happenings import Checkpoint
from trainwatch.simulate.job import Job
from trainwatch.simulate.scenario import Scenario
from trainwatch.simulate.step import Step

Said = tuple[float, str]  # when, and what


class Flavour(msgspec.Struct, frozen=True, kw_only=True):
    """One framework."""

    said_by: str  # what a rank's lines begin with; {rank} and {local} are put in
    flops_per_sample: Callable[[Scenario], float]  # for the TFLOPs that it prints
    startup: Callable[[Job], Iterator[Said]]  # up to the first iteration
    before: Callable[[Job, float, Step], str]  # lines before an iteration's own
    iteration: Callable[[Job, float, Step], str]  # the line
    after: Callable[[Job, float, Step], str]  # timers and the like
    # (job, t, iteration, loss of each validation set, seconds it took)
    validations: Callable[[Job, float, int, Sequence[float], float], str]
    save_began: Callable[[Job, float, int], str]
    save_done: Callable[[Job, float, int, float], str]  # with the seconds it took
    exited: Callable[[Job, float, float], str]  # after so many minutes, by its own clock
    completed: Callable[[Job, float], str]
    checkpoint: Callable[[Scenario, int], Checkpoint]
    logs_first: bool = False  # step 1 is printed whatever the log interval
    counts_evaluation: bool = False  # the next step time holds the evaluation's
    counts_save: bool = False
