"""What pauses between iterations were for: when checkpoints were saved and validation was done."""

import math
from bisect import bisect_right
from collections.abc import Iterable, Sequence

from trainwatch.core.model.state import Event

KINDS = frozenset({"validation", "save-started", "saved"})  # events that tell of pauses


class Pauses:
    """Asked once for each pause that is one; `quiet_until` says for how long nobody has to ask."""

    def __init__(self, events: Iterable[Event]) -> None:
        """Events in order; those of other kinds, and without a time, are passed over."""
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
        self._marks = sorted([*self._evaluated, *self._saved, *self._begins])

    def quiet_until(self, at: float) -> float:
        """Up to when, from `at` on, nothing is known to have happened; `at` itself within a save."""
        place = bisect_right(self._ends, at)
        if place < len(self._begins) and self._begins[place] <= at:
            return at
        place = bisect_right(self._marks, at)
        return self._marks[place] if place < len(self._marks) else math.inf

    def evaluated(self, begin: float, end: float) -> bool:
        """Whether a validation ended then."""
        return _any_in(self._evaluated, begin, end)

    def saved(self, begin: float, end: float) -> bool:
        """Whether a save ended then."""
        return _any_in(self._saved, begin, end)

    def saving_s(self, begin: float, end: float) -> float:
        """How much of a time was spent between a save's begin and its end."""
        first, total_s = bisect_right(self._ends, begin), 0.0
        for place in range(first, len(self._ends)):
            if self._begins[place] >= end:
                break
            total_s += max(0.0, min(self._ends[place], end) - max(self._begins[place], begin))
        return total_s


def _any_in(times: Sequence[float], begin: float, end: float) -> bool:
    """Whether one is later than the begin, and not later than the end."""
    return bisect_right(times, end) > bisect_right(times, begin)
