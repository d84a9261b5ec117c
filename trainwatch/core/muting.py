"""Who asked not to be told: acknowledgements and silences of the alert book, and when they end.

The trap: clocks jump. What the book holds of a time to come is taken as of now, so that a clock that is set
back neither fires, resolves nor repeats anything, and a silence of four hours stays one of four hours.
"""

from collections.abc import Collection

from msgspec.structs import replace

from trainwatch.core.model.alerts import Alarm, Book, Muted, Told
from trainwatch.core.model.observations import AlertRequest

_MOST = 200  # mutes that a book keeps: the newest


def asked(book: Book, request: AlertRequest) -> Book:
    """The book after somebody asked to acknowledge, silence or unmute. The next `settle` tells of it.

    A silence without an end, and whatever ended before it began, is not taken. Only what fires can be
    acknowledged; who does it knows of it, so people count as told.
    """
    if request.until is not None and not request.until > request.at:
        return book
    asked_for = {"ack": _acknowledged, "silence": _silenced, "unmute": _unmuted}.get(request.ask)
    return book if asked_for is None else asked_for(book, request)


def silenced(book: Book, alarm: Alarm) -> bool:
    """Whether nobody is to be told anything of an alarm."""
    return any(muted.kind == "silenced" and _covers(muted, alarm) for muted in book.muted)


def acknowledged(book: Book, alarm: Alarm) -> bool:
    """Whether somebody knows of an alarm, and need not be told again that it still fires."""
    return any(muted.kind == "acknowledged" and _is_of(muted, alarm) for muted in book.muted)


def still_muted(muted: tuple[Muted, ...], alarms: Collection[Alarm]) -> tuple[Muted, ...]:
    """Without the acknowledgements of alarms that are not among these."""
    return tuple(
        each
        for each in muted
        if each.kind == "silenced" or any(_is_of(each, alarm) for alarm in alarms)
    )


def in_force(book: Book, at: float) -> Book:
    """The book with nothing in it that has ended, or is still to come."""
    muted = tuple(
        _mute_at(each, at) for each in book.muted if each.until is None or each.until > at
    )
    alarms = tuple(_alarm_at(alarm, at) for alarm in book.alarms)
    fired, told = book.fired, book.told
    if any(times[-1] > at for times in fired.values()):
        fired = {name: tuple(min(time, at) for time in times) for name, times in fired.items()}
    if any(last.at > at for last in told.values()):
        told = {name: Told(at=min(t.at, at), severity=t.severity) for name, t in told.items()}
    return Book(alarms=alarms, muted=muted, fired=fired, told=told)


def _acknowledged(book: Book, request: AlertRequest) -> Book:
    meant = [alarm for alarm in book.alarms if alarm.fired_at is not None and _asks(request, alarm)]
    for alarm in meant:
        muted = Muted(
            kind="acknowledged",
            at=request.at,
            rule=alarm.finding.rule,
            key=alarm.finding.key,
            until=request.until,
            by=request.by,
            why=request.why,
        )
        book = _with(book, muted)
    alarms = (_known(alarm, request.at) if alarm in meant else alarm for alarm in book.alarms)
    return replace(book, alarms=tuple(alarms))


def _known(alarm: Alarm, at: float) -> Alarm:
    """The alarm when somebody knows of it, as bad as it is now."""
    told_at = at if alarm.told_at is None else alarm.told_at
    return replace(alarm, told=alarm.severity, told_at=told_at)


def _silenced(book: Book, request: AlertRequest) -> Book:
    if request.until is None:
        return book
    muted = Muted(
        kind="silenced",
        at=request.at,
        rule=request.rule,
        key=request.key,
        until=request.until,
        by=request.by,
        why=request.why,
    )
    return _with(book, muted)


def _unmuted(book: Book, request: AlertRequest) -> Book:
    left = (
        muted
        for muted in book.muted
        if request.rule not in ("", muted.rule) or request.key not in ("", muted.key)
    )
    return replace(book, muted=tuple(left))


def _with(book: Book, new: Muted) -> Book:
    """The book with one more, in place of one of the same."""
    same = (new.kind, new.rule, new.key)
    others = [muted for muted in book.muted if (muted.kind, muted.rule, muted.key) != same]
    return replace(book, muted=(*others, new)[-_MOST:])


def _asks(request: AlertRequest, alarm: Alarm) -> bool:
    return alarm.finding.rule == request.rule and request.key in ("", alarm.finding.key)


def _covers(muted: Muted, alarm: Alarm) -> bool:
    return muted.rule in ("", alarm.finding.rule) and muted.key in ("", alarm.finding.key)


def _is_of(muted: Muted, alarm: Alarm) -> bool:
    return (muted.rule, muted.key) == (alarm.finding.rule, alarm.finding.key)


def _mute_at(muted: Muted, at: float) -> Muted:
    if muted.at <= at:
        return muted
    until = None if muted.until is None else muted.until - muted.at + at
    return replace(muted, at=at, until=until)


def _alarm_at(alarm: Alarm, at: float) -> Alarm:
    times = (alarm.noticed_at, alarm.fired_at, alarm.cleared_at, alarm.told_at)
    if all(time is None or time <= at for time in times):
        return alarm
    return replace(
        alarm,
        noticed_at=min(alarm.noticed_at, at),
        fired_at=_earlier(alarm.fired_at, at),
        cleared_at=_earlier(alarm.cleared_at, at),
        told_at=_earlier(alarm.told_at, at),
    )


def _earlier(time: float | None, at: float) -> float | None:
    return None if time is None else min(time, at)
