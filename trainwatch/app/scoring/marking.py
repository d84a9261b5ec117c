"""What was played, against what broke: caught or not, how late, and what nothing was the matter for."""

from bisect import bisect_right
from typing import NamedTuple

from trainwatch.app.scoring.deadlines import DEADLINES
from trainwatch.app.scoring.playing import Break, Played
from trainwatch.core.model.alerts import Change
from trainwatch.simulate.scenario import Scenario

_SLACK_S = 60.0  # a trouble that is over may be told at the next look
_EARLY_S = 3_600.0  # a trend may be told that much before it crosses its line


class Mark(NamedTuple):
    """One break of one scenario. `told` None: it was not caught."""

    scenario: str
    broke: Break
    told: Change | None
    delay_s: float
    delay_iterations: int
    in_time: bool


class Marked(NamedTuple):
    """One scenario: its breaks, and the alerts that none of them explains."""

    name: str
    hours: float
    iterations: int
    marks: tuple[Mark, ...]
    unexpected: tuple[Change, ...]


def mark(
    name: str, scenario: Scenario, played: Played, right: frozenset[str], *, quiet: bool
) -> Marked:
    """`right` are the rules that may fire there. In a `quiet` scenario whatever is told is a false alarm."""
    marks = tuple(_mark(name, scenario, played, broke, right) for broke in played.breaks)
    bad = [c for c in played.changes if c.change == "firing" and c.severity != "info"]
    unexpected = tuple(c for c in bad if quiet or c.rule not in right)
    return Marked(name, played.hours, played.iterations, marks, unexpected)


def _mark(
    name: str, scenario: Scenario, played: Played, broke: Break, right: frozenset[str]
) -> Mark:
    told = next((c for c in played.changes if _tells(c, broke)), None) or _stands(played, broke)
    if told is not None and told.muted == "inhibited" and not _cause_told(played, broke, right):
        told = None
    if told is None:
        return Mark(name, broke, None, 0.0, 0, in_time=False)
    delay_s = max(0.0, told.at - broke.at)
    times = [at for at, _ in played.stepped]
    steps = bisect_right(times, told.at) - bisect_right(times, broke.at)
    deadline = DEADLINES.get(broke.rule)
    in_time = deadline is None or deadline.within(broke, told, scenario, delay_s, steps)
    return Mark(name, broke, told, delay_s, steps, in_time)


def _tells(change: Change, broke: Break) -> bool:
    in_time = broke.at - 1 <= change.at <= broke.until + _SLACK_S
    return _is_of(change, broke) and change.change == "firing" and in_time


def _is_of(change: Change, broke: Break) -> bool:
    return change.rule == broke.rule and (not broke.key or change.key in ("", broke.key))


def _stands(played: Played, broke: Break) -> Change | None:
    """What was told just before it counts as broken, and is not over by then."""
    own = [c for c in played.changes if _is_of(c, broke) and c.at <= broke.at]
    last = own[-1] if own else None
    if last is None or last.change == "resolved" or last.at < broke.at - _EARLY_S:
        return None
    return last


def _cause_told(played: Played, broke: Break, right: frozenset[str]) -> bool:
    """Whether people were told of what is the cause of it."""
    return any(
        c.rule in right and not c.muted and c.change == "firing" and c.at <= broke.until + _SLACK_S
        for c in played.changes
    )
