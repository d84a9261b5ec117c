"""When each rule must have spoken at the latest: the numbers that the score is held to."""

from collections.abc import Callable
from typing import NamedTuple

from trainwatch.app.scoring.playing import POLL_S, Break
from trainwatch.core.model.alerts import Change
from trainwatch.simulate.scenario import Scenario

_MIN_S, _HOUR_S = 60.0, 3600.0
_NOISY = 0.1  # share of throughput noise from which on a drop is told from drift


class Deadline(NamedTuple):
    """`within(break, change, scenario, delay_s, delay_iterations)`: whether it was told in time."""

    asked: str
    within: Callable[[Break, Change, Scenario, float, int], bool]


def _stall(broke: Break, told: Change, scenario: Scenario, delay_s: float, _: int) -> bool:
    phase = told.labels.get("phase", "train")
    longest_s = broke.longest_s.get(phase)
    step_s = broke.step_time_s or 0.0
    if phase == "train":
        # Output that is held back hides the last iteration for so long.
        most_s = max(10 * step_s, 15 * _MIN_S) + 3 * scenario.held_back_s
    elif phase == "startup":
        most_s = max(3 * (longest_s or 0.0), _HOUR_S)
    else:
        most_s = _HOUR_S if longest_s is None else max(3 * longest_s, 30 * _MIN_S)
    return delay_s <= most_s + POLL_S


def _throughput(broke: Break, told: Change, scenario: Scenario, delay_s: float, steps: int) -> bool:
    return delay_s <= 4 * _HOUR_S if scenario.throughput_noise > _NOISY else steps <= 10


def _overdue(broke: Break, told: Change, scenario: Scenario, delay_s: float, steps: int) -> bool:
    """It breaks where a save is missed, an interval after the last complete one."""
    since_saved = steps + scenario.save_interval
    return 1.1 * scenario.save_interval <= since_saved <= 2 * scenario.save_interval


def _after(seconds: float) -> Callable[[Break, Change, Scenario, float, int], bool]:
    return lambda broke, told, scenario, delay_s, steps: delay_s <= seconds + POLL_S


def _iterations(count: int) -> Callable[[Break, Change, Scenario, float, int], bool]:
    return lambda broke, told, scenario, delay_s, steps: steps <= count


DEADLINES: dict[str, Deadline] = {
    "stall": Deadline(
        "10 iterations or 15 min; other phases 3 times the longest, 30 or 60 min", _stall
    ),
    "crash": Deadline("10 min", _after(10 * _MIN_S)),
    "crash-loop": Deadline("the third attempt", _after(10 * _MIN_S)),
    "throughput-drop": Deadline("10 iterations; 4 h in 40 % noise", _throughput),
    "grad-norm-surge": Deadline("that iteration", _iterations(1)),
    "loss-nan": Deadline("5 iterations", _iterations(5)),
    "overflow-streak": Deadline("3 in 5 or 5 in 10", _iterations(10)),
    "lr-jump": Deadline("10 iterations", _iterations(10)),
    "resume-mismatch": Deadline("10 iterations", _iterations(10)),
    "checkpoint-overdue": Deadline("1.1 to 2 save intervals", _overdue),
    "no-successor": Deadline("30 min", _after(30 * _MIN_S)),
    "not-queued": Deadline("30 min", _after(30 * _MIN_S)),
    "job-held": Deadline("30 min", _after(30 * _MIN_S)),
    "blind": Deadline("30 min", _after(30 * _MIN_S)),
    "round-done": Deadline("the save at its target", _after(_MIN_S)),
    "disk-full": Deadline("an hour of readings", _after(_HOUR_S)),
}
