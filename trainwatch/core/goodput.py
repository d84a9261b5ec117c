"""Of the time that nodes were held, how much trained new tokens, and where the rest went.

Every second between the first allocation and `until` belongs to one part, so that the parts add up to the
whole.

The trap: without a scheduler's word nobody knows how long nodes were held before the first line and after the
last one: then an attempt begins and ends with its log.
"""

import math
from array import array
from collections.abc import Iterable, Iterator, Sequence
from itertools import compress, pairwise
from operator import add
from typing import NamedTuple

from trainwatch.core import allocations, ending
from trainwatch.core.columns import Columns
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.goodput import Goodput
from trainwatch.core.model.state import Attempt, Event, RunState
from trainwatch.core.pauses import Pauses

STALL_S = 900.0  # a pause between two iterations that nothing explains; shorter ones are overhead
_FRESH_S = 600.0  # an answer of the scheduler so young says that now is known
_STALL_STEPS = 3.0  # or so many iterations, where they take long
FAILURES = frozenset({"crashed", "node-failure", "out-of-memory", "killed", "failed", "unknown"})


class Window(NamedTuple):
    """An attempt and its time, s since the epoch. `place`: its index, None where no log tells of it."""

    place: int | None
    gpus: int | None
    begin: float
    end: float
    end_word: str  # how it ended; empty while it runs


def account(
    attempts: Sequence[Attempt],
    rows: Columns,
    events: Iterable[Event],
    given: Sequence[Allocation],
    *,
    gpus: int,
    until: float,
) -> Goodput | None:
    """Where the time up to `until` went; None where no clock is known.

    `gpus` are those of attempts that do not say theirs.
    """
    of_attempt = _by_attempt(rows)
    windows = sorted(_windows(attempts, of_attempt, given, until), key=lambda w: w.begin)
    if not windows:
        return None
    told, pauses = Goodput(begin=windows[0].begin, end=until), Pauses(events)
    cursor, high, before = windows[0].begin, 0.0, ""
    for window in windows:
        count = window.gpus or gpus
        begin, end = max(window.begin, cursor), max(window.end, cursor)
        told.spend("waiting", begin - cursor, 0)
        spent = told.gpu_seconds["retrain"], told.gpu_seconds["after"]
        mine = of_attempt.get(window.place, _NONE) if window.place is not None else _NONE
        reached = _attempt(told, window, mine, pauses, (begin, end), high, count)
        _charge(told, before, told.gpu_seconds["retrain"] - spent[0])
        _charge(told, window.end_word, told.gpu_seconds["after"] - spent[1])
        told.attempts += 1
        told.failures += window.end_word in FAILURES
        high, cursor = max(high, reached), end
        before = window.end_word if mine.at else before  # who reached nothing lost nothing
    told.spend("waiting", max(0.0, until - cursor), 0)
    return told


class _Rows(NamedTuple):
    """What an attempt completed, and when; only what has a time."""

    at: "array[float]"
    iteration: "array[float]"
    step_s: "array[float]"


_NONE = _Rows(array("d"), array("d"), array("d"))


def _attempt(
    told: Goodput,
    window: Window,
    rows: _Rows,
    pauses: Pauses,
    span: tuple[float, float],
    high: float,
    gpus: int,
) -> float:
    """Charge all of an attempt's time; the furthest iteration it reached.

    A million iterations pass here: what is usual is added up in place, and only pauses are looked into.
    """
    at, end = span
    if not rows.at:
        told.spend("startup", end - at, gpus)
        return 0
    new_s = again_s = overhead_s = 0.0
    last, quiet_from, quiet_until = math.nan, at, at
    for logged, iteration, step_s in zip(*rows, strict=True):
        until = logged if at < logged < end else min(max(logged, at), end)
        steps = iteration - last if iteration > last else 1.0
        rest_s = until - at - steps * step_s if step_s == step_s else 0.0
        rest_s = min(max(rest_s, 0.0), until - at)
        if iteration <= high:
            again_s += until - at - rest_s
        else:
            new_s += until - at - rest_s
        if last != last:
            told.spend("startup", rest_s, gpus)
        elif rest_s <= STALL_S and quiet_from <= at and until < quiet_until:
            overhead_s += rest_s
        else:
            _pause(told, pauses, (at, until), rest_s, step_s, gpus)
            quiet_from, quiet_until = until, pauses.quiet_until(until)
        at, last = until, iteration
    for part, seconds in (("train", new_s), ("retrain", again_s), ("overhead", overhead_s)):
        told.spend(part, seconds, gpus)
    _after(told, window, pauses, (at, end), rows.step_s[-1], gpus)
    return max(rows.iteration)


def _after(
    told: Goodput,
    window: Window,
    pauses: Pauses,
    span: tuple[float, float],
    step_s: float,
    gpus: int,
) -> None:
    """What followed the last iteration: of an attempt that runs, it is a pause like others."""
    at, end = span
    if window.end_word:
        told.spend("after", end - at, gpus)
    else:
        _pause(told, pauses, span, end - at, step_s, gpus)


def _pause(
    told: Goodput,
    pauses: Pauses,
    span: tuple[float, float],
    rest_s: float,
    step_s: float,
    gpus: int,
) -> None:
    """What was between two iterations, as far as events tell."""
    save_s = min(rest_s, pauses.saving_s(*span))
    told.spend("save", save_s, gpus)
    rest_s -= save_s
    steps_s = _STALL_STEPS * step_s if step_s == step_s else 0.0
    if pauses.evaluated(*span):
        part = "evaluate"
    elif not save_s and pauses.saved(*span):
        part = "save"  # of which nobody said when it began
    else:
        part = "stall" if rest_s > max(STALL_S, steps_s) else "overhead"
    told.spend(part, rest_s, gpus)


def _charge(told: Goodput, end_word: str, gpu_s: float) -> None:
    if end_word in FAILURES and gpu_s > 0:
        told.lost_gpu_s[end_word] = told.lost_gpu_s.get(end_word, 0.0) + gpu_s


def _by_attempt(rows: Columns) -> dict[int, _Rows]:
    """The rows of each attempt, which stand together in all but odd histories."""
    found: dict[int, _Rows] = {}
    names = ("at_s", "iteration", "step_time_s", "attempt")
    *values, attempts = (rows.column(name) for name in names)
    breaks = [place for place, (a, b) in enumerate(pairwise(attempts), 1) if a != b]
    for start, stop in pairwise([0, *breaks, len(attempts)] if len(attempts) else []):
        if math.isnan(attempts[start]):
            continue
        part = _Rows(*(column[start:stop] for column in values))
        known = [at == at for at in part.at]
        if not all(known):
            part = _Rows(*(array("d", compress(column, known)) for column in part))
        before = found.get(int(attempts[start]))
        found[int(attempts[start])] = part if before is None else _Rows(*map(add, before, part))
    return {attempt: part for attempt, part in found.items() if part.at}


def _windows(
    attempts: Sequence[Attempt],
    rows: dict[int, _Rows],
    given: Sequence[Allocation],
    until: float,
) -> Iterator[Window]:
    """What each attempt is charged with: its allocation, or its share of one that others had too."""
    first, last = _edges(rows)
    had = [_given(attempt, given) for attempt in attempts]
    for place, attempt in enumerate(attempts):
        mine = had[place]
        begin = attempt.began_at.at if attempt.began_at else first.get(attempt.index)
        end = attempt.last_at.at if attempt.last_at else last.get(attempt.index, begin)
        if mine is not None and (place == 0 or had[place - 1] != mine):
            begin = mine.start
        if begin is None or end is None:
            continue
        is_last = place == len(attempts) - 1
        word = _end_word(attempt, mine, is_last=is_last)
        follower = attempts[place + 1] if not is_last else None
        if mine is not None and not is_last and had[place + 1] == mine:
            end = follower.began_at.at if follower and follower.began_at else end
        elif mine is not None:
            end = until if mine.end is None else mine.end
        elif not word:
            end = until
        begin = min(begin, until)
        yield Window(attempt.index, attempt.facts.gpus, begin, max(begin, min(end, until)), word)
    for one in given:
        if one not in had and one.start < until:  # it never wrote a line
            end = until if one.end is None else min(one.end, until)
            word = allocations.end_of(one) or ("unknown" if one.end is not None else "")
            word = "failed" if word == "crashed" else word
            yield Window(None, None, one.start, max(one.start, end), word)


def _given(attempt: Attempt, given: Sequence[Allocation]) -> Allocation | None:
    began = attempt.began_at.at if attempt.began_at else None
    last = attempt.last_at.at if attempt.last_at else None
    return allocations.of_attempt(given, attempt.job_id, began, last)


def _end_word(attempt: Attempt, given: Allocation | None, *, is_last: bool) -> str:
    """How it ended: by its log, else by the books; empty while it runs."""
    moved = attempt.tally.records > 0
    word = ending.end_of(attempt, moved=moved) or (allocations.end_of(given) if given else None)
    if word is None and given is not None and given.end is not None:
        return "unknown"
    return word or ("" if is_last else "unknown")


def _edges(rows: dict[int, _Rows]) -> tuple[dict[int, float], dict[int, float]]:
    """When the first iteration of each attempt began, and when its last was completed."""
    first, last = dict[int, float](), dict[int, float]()
    for index, found in rows.items():
        step_s = found.step_s[0]
        first[index] = found.at[0] - (step_s if step_s == step_s else 0.0)
        last[index] = found.at[-1]
    return first, last


def until_of(state: RunState, now: float) -> float:
    """Up to when time counts: a log that ended last year has not been waiting since."""
    known = [a.end for a in state.allocations if a.end is not None]
    if state.clock is not None:
        known.append(state.clock.at)
    if state.queue is not None and state.queue.state == "ok":
        known.append(now if now - state.queue.at <= _FRESH_S else state.queue.at)
    return max(known, default=now)
