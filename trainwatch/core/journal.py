"""Events as they come -> the last of them, and what charts mark and the log is found by.

The trap: alerts are rare and saves are not, so that the last alerts are kept apart from the last events.
"""

import math
from array import array
from collections import deque
from collections.abc import Iterable, Sequence
from typing import NamedTuple

from trainwatch.core.model.alerts import Change
from trainwatch.core.model.snapshot import Marks
from trainwatch.core.model.state import Event

KEPT = 1000  # events that are shown; marks are kept of all
_ALERT = "alert-"
FIRING = f"{_ALERT}firing"
_MOST_STARTS = 100_000


def as_event(change: Change) -> Event:
    """An alert change as a line of the journal."""
    name = f"{change.rule} {change.key}".rstrip()
    withheld = f" ({change.muted})" if change.muted else ""
    return Event(
        at=change.at,
        kind=f"{_ALERT}{change.change}",
        iteration=change.iteration,
        text=f"{change.severity} {name}: {change.summary}{withheld}",
    )


def severity_of(event: Event) -> str:
    """How bad the alert is that an event of the journal tells of, as `as_event` wrote it."""
    return event.text.partition(" ")[0]


def by_time(events: Iterable[Event], changes: Iterable[Change]) -> list[Event | Change]:
    """Both in one row by their times, each kind in its own order.

    What has no time stands before what comes next; nothing is later than the one of its kind behind it.
    """
    told = [*_in_order(list(events)), *_in_order(list(changes))]
    return [each for _, each in sorted(told, key=lambda pair: pair[0])]


def _in_order(told: Sequence[Event | Change]) -> list[tuple[float, Event | Change]]:
    ordered, latest = list[tuple[float, Event | Change]](), math.inf
    for each in reversed(told):
        latest = latest if each.at is None else min(latest, each.at)
        ordered.append((latest, each))
    return ordered[::-1]


class Seen(NamedTuple):
    """What a view shows of a journal: the last events, oldest first, the marks of all, the last alerts."""

    events: tuple[Event, ...]
    marks: Marks
    alerts: tuple[Event, ...] = ()  # changes of alerts, oldest first


class Journal:
    """Everything a view needs of a journal of any length, in little memory. Events come in order."""

    def __init__(self) -> None:
        self._last: deque[Event] = deque(maxlen=KEPT)
        self._alerts: deque[Event] = deque(maxlen=KEPT)
        self._fired = {severity: array("d") for severity in ("critical", "warning")}
        self._saved, self._saved_at = array("d"), array("d")
        self._validated, self._losses = array("d"), array("d")
        self._starts: dict[int, int] = {}
        self._seen: Seen | None = Seen((), Marks())

    def add(self, events: Iterable[Event]) -> None:
        """Take further events."""
        for event in events:
            self._last.append(event)
            self._mark(event)
            self._seen = None

    def seen(self) -> Seen:
        """The last events and the marks of all: a copy."""
        if self._seen is None:
            marks = Marks(
                saved=self._saved[:],
                saved_offset=self._saved_at[:],
                validated=self._validated[:],
                validation_loss=self._losses[:],
                attempt_offset=dict(self._starts),
                critical=self._fired["critical"][:],
                warning=self._fired["warning"][:],
            )
            self._seen = Seen(tuple(self._last), marks, tuple(self._alerts))
        return self._seen

    def _mark(self, event: Event) -> None:
        iteration, offset = event.iteration, event.offset
        if event.kind == "saved" and iteration is not None:
            self._saved.append(iteration)
            self._saved_at.append(offset or 0)
        elif event.kind == "validation" and iteration is not None and "loss" in event.values:
            self._validated.append(iteration)
            self._losses.append(event.values["loss"])
        elif event.kind == "attempt-began" and event.attempt is not None:
            self._start(event.attempt, offset)
        elif event.kind.startswith(_ALERT):
            self._alert(event)

    def _alert(self, event: Event) -> None:
        self._alerts.append(event)
        places = self._fired.get(severity_of(event))
        if event.kind == FIRING and event.iteration is not None and places is not None:
            places.append(event.iteration)

    def _start(self, attempt: int, offset: int | None) -> None:
        if offset is not None and len(self._starts) < _MOST_STARTS:
            self._starts[attempt] = offset
