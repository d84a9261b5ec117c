"""Who is told what of the alert book: repeats, causes that inhibit their effects, silences, flap damping.

The trap: a change that is withheld is not lost. Once the reason is over and the alert still fires, people
are told; so an alarm remembers what people know of it, which is not what it is.
"""

import math
from collections.abc import Callable, Iterable, Iterator, Mapping
from typing import Literal, TypeVar

from msgspec.structs import replace

from trainwatch.core.model.alerts import (
    SEVERITIES,
    Alarm,
    Book,
    Change,
    Severity,
    Terms,
    Told,
    Withheld,
)
from trainwatch.core.muting import acknowledged, silenced, still_muted

# The third firing within six hours, and each later one, is told no more often than if it had fired all the
# time: when its repeat is due, and at least once in six hours. One that is worse than told is told at once.
FLAPS = 3
FLAP_WINDOW_S = 6 * 3600.0
_MOST_REMEMBERED = 500  # alerts whose firings are counted: the latest

Step = Literal["", "fired", "worse"]  # what an alarm did at this verdict
T = TypeVar("T")
_RANK = {severity: rank for rank, severity in enumerate(SEVERITIES)}


class Teller:
    """Tells of the alarms of one book after one verdict, and notes what it told."""

    def __init__(
        self, book: Book, standing: Iterable[Alarm], terms: Mapping[str, Terms], at: float, run: str
    ) -> None:
        """`standing`: the alarms after the verdict; `book` is otherwise as it was before."""
        self.changes: list[Change] = []
        self._book, self._terms, self._at, self._run = book, terms, at, run
        self._causes = _causes(standing, terms, at)
        self._fired, self._told = book.fired, book.told
        self._anew: list[Alarm] = []

    def tell(self, alarm: Alarm, step: Step) -> Alarm:
        """The alarm after people were told of it, or not."""
        if step == "fired":
            self._count(alarm)
        if alarm.fired_at is None or alarm.cleared_at is not None:
            return alarm
        if not _is_owed(alarm):
            return self._say(alarm, "repeated") if self._is_repeated(alarm) else alarm
        why = self._why_not(alarm)
        if not why:
            said = self._say(alarm, "firing")
            self._anew.append(said)
            return said
        if not step:
            return alarm
        self.changes.append(self._change(alarm, "firing", why))
        return replace(alarm, withheld=why)

    def resolve(self, alarm: Alarm) -> None:
        """Say that an alarm is over; to nobody if nobody knows of it, or its rule was switched off."""
        why: Withheld = "" if alarm.told else alarm.withheld
        if alarm.finding.rule not in self._terms or silenced(self._book, alarm):
            why = "silenced"
        self.changes.append(self._change(alarm, "resolved", why))

    def book(self, alarms: tuple[Alarm, ...]) -> Book:
        """The book with these alarms. An acknowledgement ends with its alert, or when that is told anew."""
        known = [alarm for alarm in alarms if alarm not in self._anew]
        muted = still_muted(self._book.muted, known)
        return Book(alarms=alarms, muted=muted, fired=self._fired, told=self._told)

    def _say(self, alarm: Alarm, change: Literal["firing", "repeated"]) -> Alarm:
        self.changes.append(self._change(alarm, change, ""))
        told = Told(at=self._at, severity=alarm.severity)
        self._told = _latest({**self._told, _name(alarm): told}, lambda last: last.at, self._at)
        return replace(alarm, told_at=self._at, told=alarm.severity, withheld="")

    def _count(self, alarm: Alarm) -> None:
        name = _name(alarm)
        times = (*self._fired.get(name, ()), self._at)[-FLAPS:]
        self._fired = _latest({**self._fired, name: times}, lambda times: times[-1], self._at)

    def _why_not(self, alarm: Alarm) -> Withheld:
        """Why nobody is to be told that an alarm fires; empty if they are."""
        if silenced(self._book, alarm):
            return "silenced"
        if self._is_inhibited(alarm):
            return "inhibited"
        book = Book(fired=self._fired, told=self._told)
        ends_at = _flaps_until(alarm, book, self._terms[alarm.finding.rule])
        return "flapping" if ends_at is not None and ends_at > self._at else ""

    def _is_inhibited(self, alarm: Alarm) -> bool:
        rule = alarm.finding.rule
        return any(
            cause in self._causes for cause in self._terms[rule].inhibited_by if cause != rule
        )

    def _is_repeated(self, alarm: Alarm) -> bool:
        due = _repeat_at(alarm, self._terms[alarm.finding.rule])
        if due is None or due > self._at or acknowledged(self._book, alarm):
            return False
        return not silenced(self._book, alarm) and not self._is_inhibited(alarm)

    def _change(
        self, alarm: Alarm, change: Literal["firing", "resolved", "repeated"], muted: Withheld
    ) -> Change:
        finding = alarm.finding
        return Change(
            at=self._at,
            run=self._run,
            rule=finding.rule,
            severity=alarm.severity,
            change=change,
            since=since_of(alarm, self._at),
            summary=finding.summary,
            labels=finding.labels,
            key=finding.key,
            iteration=finding.iteration,
            evidence=finding.evidence,
            cost=finding.cost,
            advice=finding.advice,
            muted=muted,
        )


def next_change(book: Book, terms: Mapping[str, Terms], at: float) -> float | None:
    """When, after `at`, a book may change though the findings stay as they are; None if never."""
    times = [muted.until for muted in book.muted if muted.until is not None]
    for alarm in book.alarms:
        times.extend(_times(alarm, book, terms[alarm.finding.rule]))
    return min((time for time in times if at < time < math.inf), default=None)


def _times(alarm: Alarm, book: Book, own: Terms) -> Iterator[float]:
    """When an alarm may change by itself, or change others."""
    if alarm.fired_at is None:
        yield alarm.noticed_at + own.hold_s
    elif alarm.cleared_at is not None:
        yield alarm.cleared_at + own.clear_s
    elif _is_owed(alarm):
        if (ends_at := _flaps_until(alarm, book, own)) is not None:
            yield ends_at
    elif not acknowledged(book, alarm) and (due := _repeat_at(alarm, own)) is not None:
        yield due


def _causes(alarms: Iterable[Alarm], terms: Mapping[str, Terms], at: float) -> frozenset[str]:
    """Rules that keep their effects from being told: they fire, or are within their hold time.

    Past its hold time a pending one is one that nobody can see any more: it must not hide others for ever.
    """
    return frozenset(
        alarm.finding.rule
        for alarm in alarms
        if alarm.fired_at is not None or at < alarm.noticed_at + terms[alarm.finding.rule].hold_s
    )


def _flaps_until(alarm: Alarm, book: Book, own: Terms) -> float | None:
    """Until when a firing is withheld because the alarm comes and goes; None if it does not."""
    times, last = book.fired.get(_name(alarm), ()), book.told.get(_name(alarm))
    if len(times) < FLAPS or last is None or _is_worse(alarm.severity, last.severity):
        return None
    return min(times[0] + FLAP_WINDOW_S, last.at + min(own.repeat_s or math.inf, FLAP_WINDOW_S))


def _repeat_at(alarm: Alarm, own: Terms) -> float | None:
    """When it is told again: as often as its rule says, and as soon as something was done about it."""
    acted_at = alarm.finding.acted_at
    if alarm.told_at is not None and acted_at is not None and acted_at > alarm.told_at:
        return acted_at
    if alarm.told_at is None or not own.repeat_s or own.repeat_s < 0:
        return None
    return alarm.told_at + own.repeat_s


def _is_owed(alarm: Alarm) -> bool:
    """Whether an alarm fires that nobody knows of, or is worse than people know."""
    return alarm.told is None or _is_worse(alarm.severity, alarm.told)


def _is_worse(severity: Severity, than: Severity) -> bool:
    return _RANK[severity] > _RANK[than]


def since_of(alarm: Alarm, at: float) -> float:
    """When the trouble began: as far as its rule knows, and never in the future; else when it was noticed."""
    since = alarm.finding.since
    return min(since, at) if since is not None and math.isfinite(since) else alarm.noticed_at


def _name(alarm: Alarm) -> str:
    return f"{alarm.finding.rule} {alarm.finding.key}".rstrip()


def _latest(notes: dict[str, T], time: Callable[[T], float], at: float) -> dict[str, T]:
    """Without what is too long ago to matter, and not too many."""
    recent = [name for name, note in notes.items() if time(note) + FLAP_WINDOW_S > at]
    if len(recent) > _MOST_REMEMBERED:
        recent = sorted(recent, key=lambda name: time(notes[name]))[-_MOST_REMEMBERED:]
    return {name: notes[name] for name in recent}
