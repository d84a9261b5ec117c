"""One history of a run's attempts: those of its log, and the allocations that never wrote a line in it.

The trap: only the last allocations are known, and a log may hold ten thousand attempts. Only those as late as
the first known allocation are looked for.
"""

from collections.abc import Sequence
from itertools import zip_longest
from typing import NamedTuple

from trainwatch.core import allocations
from trainwatch.core.model.allocations import Allocation
from trainwatch.core.model.status import AttemptStatus

_SLACK_S = 300.0  # as clocks of nodes differ
_MOST_JOINED = (
    200  # attempts that are looked for among allocations: a crash loop within them has more
)


class Entry(NamedTuple):
    """An attempt, what Slurm says of it, or both. Times: s since the epoch; counts: iterations."""

    attempt: AttemptStatus | None
    given: Allocation | None
    begin: float | None
    end: float | None  # when its nodes were given back, or its last line; None while it runs
    gap_s: float | None  # without nodes, or without a line, before it
    new: int | None  # iterations that nobody had trained before
    again: int | None  # iterations that were trained before
    lost: int | None  # iterations that the next one had to train again


def history(attempts: Sequence[AttemptStatus], given: Sequence[Allocation]) -> list[Entry]:
    """All of them, in order of their begin."""
    entries = _counted(attempts)
    if given:
        entries = _joined(entries, given)
    return _with_gaps(entries)


def _counted(attempts: Sequence[AttemptStatus]) -> list[Entry]:
    """What each trained, and lost: what it reached less where the next one with any iteration began."""
    entries, high, follower = list[Entry](), 0, None
    spans = [_span(attempt) for attempt in attempts]
    losses: list[int | None] = []
    for span in reversed(spans):
        resumed = follower
        losses.append(max(0, span[1] - resumed) if span and resumed is not None else None)
        follower = span[0] if span else follower
    for attempt, span, lost in zip(attempts, spans, reversed(losses), strict=True):
        new = max(0, span[1] - max(high, span[0])) if span else None
        again = max(0, min(span[1], high) - span[0]) if span else None
        high = max(high, span[1]) if span else high
        running = attempt.end is None
        end = None if running else attempt.last_at
        begin = attempt.began_at
        entries.append(Entry(attempt, None, begin, end, None, new, again, lost))
    return entries


def _span(attempt: AttemptStatus) -> tuple[int, int] | None:
    """After which iteration it began, and the last it completed; where logs skip some, by their pace."""
    first, last = attempt.first_iteration, attempt.last_iteration
    if first is None or last is None:
        return None
    pace = round((last - first) / (attempt.records - 1)) if attempt.records > 1 else 1
    return max(0, first - max(1, pace)), last


def _joined(entries: list[Entry], given: Sequence[Allocation]) -> list[Entry]:
    """With what Slurm says of the last ones; those that wrote nothing between them."""
    earliest = min(allocation.start for allocation in given) - _SLACK_S
    found, used = list[Entry](), set[Allocation]()
    before = max(0, len(entries) - _MOST_JOINED)
    for entry in entries[before:]:
        attempt = entry.attempt
        at = entry.begin if entry.begin is not None else entry.end
        if attempt is None or at is None or at < earliest:
            found.append(entry)
            continue
        one = allocations.of_attempt(given, attempt.job_id or "", attempt.began_at, attempt.last_at)
        found.append(entry if one is None else _had(entry, one, first=one not in used))
        if one is not None:
            used.add(one)
    found = [_alone(entry, behind) for entry, behind in zip_longest(found, found[1:])]
    silent = [
        Entry(None, a, a.start, a.end, None, None, None, None) for a in given if a not in used
    ]
    return entries[:before] + _by_begin(found, silent)


def _alone(entry: Entry, behind: Entry | None) -> Entry:
    """Of several attempts in one allocation, only the last ended with it."""
    shared = behind is not None and entry.given is not None and behind.given == entry.given
    return entry._replace(end=entry.attempt.last_at) if shared and entry.attempt else entry


def _had(entry: Entry, given: Allocation, *, first: bool) -> Entry:
    """Of several attempts in one allocation, only the first began with it."""
    begin = given.start if first else entry.begin
    over = entry.attempt is not None and entry.attempt.end is not None
    end = given.end if given.end is not None and over else entry.end
    return entry._replace(given=given, begin=begin, end=end)


def _by_begin(entries: list[Entry], silent: list[Entry]) -> list[Entry]:
    """Attempts keep their order; an allocation that wrote nothing stands before the next later one."""
    found, waiting = list[Entry](), sorted(silent, key=lambda e: e.begin or 0.0, reverse=True)
    for entry in entries:
        while waiting and entry.begin is not None and (waiting[-1].begin or 0.0) < entry.begin:
            found.append(waiting.pop())
        found.append(entry)
    return [*found, *reversed(waiting)]


def _with_gaps(entries: list[Entry]) -> list[Entry]:
    ended: float | None = None
    found = list[Entry]()
    for entry in entries:
        known = ended is not None and entry.begin is not None
        gap_s = max(0.0, (entry.begin or 0.0) - (ended or 0.0)) if known else None
        found.append(entry._replace(gap_s=gap_s) if known else entry)
        ended = entry.end
    return found
