"""What an outbox says of one alert and one receiver: small questions that outbox.py and sending.py share."""

from fnmatch import fnmatchcase

from msgspec.structs import replace

from trainwatch.core.model.alerts import SEVERITIES, Change
from trainwatch.core.model.telling import Outbox, Queued, Receiver, Told


def fits(receiver: Receiver, change: Change) -> bool:
    """Whether the receiver wants to know when this fires."""
    named = any(fnmatchcase(change.run, pattern) for pattern in receiver.runs)
    return named and change.severity in receiver.severities


def waiting(outbox: Outbox, receiver: str, change: Change) -> Queued | None:
    """The change of the same alert that waits; there is one at most."""
    place = (receiver, change.rule, change.key)
    items = (i for i in outbox.queued if (i.receiver, i.change.rule, i.change.key) == place)
    return next(items, None)


def known(outbox: Outbox, receiver: str, change: Change) -> Told | None:
    """What the receiver was told of the alert."""
    place = (receiver, change.rule, change.key)
    return next((t for t in outbox.told if (t.receiver, t.rule, t.key) == place), None)


def cooling(outbox: Outbox, receiver: Receiver, change: Change, now: float) -> bool:
    """Whether the receiver was told of the alert so lately that it is left alone, unless this is worse."""
    if change.change == "resolved":
        return False
    before = known(outbox, receiver.name, change)
    if before is None or rank(change) < SEVERITIES[::-1].index(before.severity):
        return False
    return 0 <= now - before.at < receiver.cooldown_s


def without(outbox: Outbox, item: Queued | None) -> Outbox:
    """The outbox without a message that waits."""
    if item is None:
        return outbox
    return replace(outbox, queued=tuple(i for i in outbox.queued if i.number != item.number))


def rank(change: Change) -> int:
    """0 for the worst."""
    return SEVERITIES[::-1].index(change.severity)
