"""Of the time that nodes were held, how much trained new tokens, and where the rest went.

Every second between the first allocation and `until` belongs to one part, so that the parts add up to the
whole.

The trap: without a scheduler's word nobody knows how long nodes were held before the first line and after the
last one: then an attempt begins and ends with its log.
"""

import math
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from typing import NamedTuple

import msgspec

from trainwatch.core import allocations, ending
from trainwatch.core.columns import Columns
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.state import Attempt, Event

# part -> what it is, in the order of a report
PARTS = {
    "train": "new iterations",
    "retrain": "iterations that were trained before, and lost",
    "startup": "nodes held before the first iteration",
    "evaluate": "evaluation",
    "save": "saving checkpoints",
    "stall": "no iteration for long",
    "overhead": "between iterations",
    "after": "nodes held after the last iteration",
    "waiting": "no nodes: in the queue, or not submitted",
}
STALL_S = 900.0  # a pause between two iterations that nothing explains; shorter ones are overhead
_STALL_STEPS = 3.0  # or so many iterations, where they take long
FAILURES = frozenset({"crashed", "node-failure", "out-of-memory", "killed", "failed", "unknown"})


class Window(NamedTuple):
    """An attempt and its time, s since the epoch. `place`: its index, None where no log tells of it."""

    place: int | None
    gpus: int | None
    begin: float
    end: float
    end_word: str  # how it ended; empty while it runs


class Goodput(msgspec.Struct, kw_only=True):
    """Seconds, and GPU-seconds, by part; and of failed attempts what they cost, by how they ended.

    A failure costs what was trained again after it, and the nodes held after its last iteration.
    """

    begin: float
    end: float
    seconds: dict[str, float] = msgspec.field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))
    gpu_seconds: dict[str, float] = msgspec.field(default_factory=lambda: dict.fromkeys(PARTS, 0.0))
    lost_gpu_s: dict[str, float] = {}
    attempts: int = 0
    failures: int = 0

    @property
    def held_s(self) -> float:
        """How long nodes were held."""
        return math.fsum(s for part, s in self.seconds.items() if part != "waiting")

    @property
    def goodput(self) -> float | None:
        """The share of the held time that trained new iterations, 0 to 1."""
        return self.seconds["train"] / self.held_s if self.held_s else None

    @property
    def mtbf_s(self) -> float | None:
        """Held time for each failure; None without any."""
        return self.held_s / self.failures if self.failures else None

    def spend(self, part: str, seconds: float, gpus: int) -> None:
        """Charge a part."""
        self.seconds[part] += seconds
        self.gpu_seconds[part] += seconds * gpus


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
    windows = sorted(_windows(attempts, rows, given, until), key=lambda w: w.begin)
    if not windows:
        return None
    told, pauses = Goodput(begin=windows[0].begin, end=until), _Pauses(events)
    of_attempt = _by_attempt(rows)
    cursor, high, before = windows[0].begin, 0, ""
    for window in windows:
        count = window.gpus or gpus
        begin, end = max(window.begin, cursor), max(window.end, cursor)
        told.spend("waiting", begin - cursor, 0)
        spent = told.gpu_seconds["retrain"], told.gpu_seconds["after"]
        mine = of_attempt.get(window.place, ()) if window.place is not None else ()
        reached = _attempt(told, window, mine, pauses, (begin, end), high, count)
        _charge(told, before, told.gpu_seconds["retrain"] - spent[0])
        _charge(told, window.end_word, told.gpu_seconds["after"] - spent[1])
        told.attempts += 1
        told.failures += window.end_word in FAILURES
        high, cursor = max(high, reached), end
        before = window.end_word if mine else before  # who reached nothing lost nothing
    told.spend("waiting", max(0.0, until - cursor), 0)
    return told


class _Row(NamedTuple):
    at: float
    iteration: int
    step_s: float


def _attempt(
    told: Goodput,
    window: Window,
    rows: Sequence[_Row],
    pauses: "_Pauses",
    span: tuple[float, float],
    high: int,
    gpus: int,
) -> int:
    """Charge all of an attempt's time; the furthest iteration it reached."""
    at, end = span
    if not rows:
        told.spend("startup", end - at, gpus)
        return 0
    last = None
    for row in rows:
        until = min(max(row.at, at), end)
        steps = row.iteration - last if last is not None and row.iteration > last else 1
        train_s = min(until - at, steps * row.step_s if row.step_s == row.step_s else until - at)
        told.spend("retrain" if row.iteration <= high else "train", train_s, gpus)
        rest_s = until - at - train_s
        if last is None:
            told.spend("startup", rest_s, gpus)
        else:
            _pause(told, pauses, (at, until), rest_s, row.step_s, gpus)
        at, last = until, row.iteration
    if window.end_word:
        told.spend("after", end - at, gpus)
    else:
        _pause(told, pauses, (at, end), end - at, rows[-1].step_s, gpus)
    return max(row.iteration for row in rows)


def _pause(
    told: Goodput,
    pauses: "_Pauses",
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


class _Pauses:
    """When checkpoints were saved and validation was done, by the journal."""

    def __init__(self, events: Iterable[Event]) -> None:
        self._evaluated, self._saved = list[float](), list[float]()
        self._begins, self._ends = list[float](), list[float]()
        began: float | None = None
        for event in events:
            if event.at is None:
                continue
            if event.kind == "validation":
                self._evaluated.append(event.at)
            elif event.kind == "save-started":
                began = event.at
            elif event.kind == "saved":
                self._saved.append(event.at)
                if began is not None and began <= event.at:
                    self._begins.append(began)
                    self._ends.append(event.at)
                began = None
        for times in (self._evaluated, self._saved):
            times.sort()

    def evaluated(self, begin: float, end: float) -> bool:
        return _any_in(self._evaluated, begin, end)

    def saved(self, begin: float, end: float) -> bool:
        return _any_in(self._saved, begin, end)

    def saving_s(self, begin: float, end: float) -> float:
        """How much of a time was spent between a save's begin and its end."""
        first, total_s = bisect_right(self._ends, begin), 0.0
        for began, ended in zip(self._begins[first:], self._ends[first:], strict=True):
            if began >= end:
                break
            total_s += max(0.0, min(ended, end) - max(began, begin))
        return total_s


def _any_in(times: Sequence[float], begin: float, end: float) -> bool:
    """Whether one is later than the begin, and not later than the end."""
    return bisect_right(times, end) > bisect_right(times, begin)


def _charge(told: Goodput, end_word: str, gpu_s: float) -> None:
    if end_word in FAILURES and gpu_s > 0:
        told.lost_gpu_s[end_word] = told.lost_gpu_s.get(end_word, 0.0) + gpu_s


def _by_attempt(rows: Columns) -> dict[int, list[_Row]]:
    found: dict[int, list[_Row]] = {}
    columns = [rows.column(name) for name in ("at_s", "iteration", "step_time_s", "attempt")]
    for at, iteration, step_s, attempt in zip(*columns, strict=True):
        if at == at:
            found.setdefault(int(attempt), []).append(_Row(at, int(iteration), step_s))
    return found


def _windows(
    attempts: Sequence[Attempt], rows: Columns, given: Sequence[Allocation], until: float
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
        word = _end_word(attempt, mine, rows, is_last=is_last)
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


def _end_word(attempt: Attempt, given: Allocation | None, rows: Columns, *, is_last: bool) -> str:
    """How it ended: by its log, else by the books; empty while it runs."""
    moved = attempt.tally.records > 0
    word = ending.end_of(attempt, moved=moved) or (allocations.end_of(given) if given else None)
    if word is None and given is not None and given.end is not None:
        return "unknown"
    return word or ("" if is_last else "unknown")


def _edges(rows: Columns) -> tuple[dict[int, float], dict[int, float]]:
    """When the first iteration of each attempt began, and when its last was completed."""
    first, last = dict[int, float](), dict[int, float]()
    for index, found in _by_attempt(rows).items():
        step_s = found[0].step_s
        first[index] = found[0].at - (step_s if step_s == step_s else 0.0)
        last[index] = found[-1].at
    return first, last
