"""What to send now: at most one message for each receiver, of all that is due, worst first.

The trap: a message that its receiver chokes on. After a failure messages go one at a time and in turn, so
that none blocks the others.
"""

from collections.abc import Collection, Iterator, Sequence

from msgspec.structs import replace

from trainwatch.core.model.alerts import Change
from trainwatch.core.model.telling import Outbox, Queued, Receiver, Rest, Sending
from trainwatch.core.posted import cooling, known, rank

MOST_AT_ONCE = 30  # changes in one message


def due(
    outbox: Outbox, receivers: Sequence[Receiver], now: float, busy: Collection[str] = ()
) -> tuple[Sending, ...]:
    """What to send now to receivers that are not `busy`, critical ones first."""
    free = [r for r in receivers if r.name not in busy and not _rests(outbox, r, now)]
    sendings = [sending for r in free if (sending := _sending(outbox, r, now)) is not None]
    return tuple(sorted(sendings, key=lambda sending: min(map(rank, sending.changes))))


def _rests(outbox: Outbox, receiver: Receiver, now: float) -> bool:
    """A clock that was set back does not make a rest longer."""
    rest = outbox.rests.get(receiver.name)
    return rest is not None and rest.since <= now < rest.until


def _sending(outbox: Outbox, receiver: Receiver, now: float) -> Sending | None:
    chosen = _chosen(_ready(outbox, receiver, now), outbox.rests.get(receiver.name))
    changes = [item.change for item in chosen]
    if receiver.refresh_s is not None:
        fresh = [*_identified(outbox, receiver, changes, now)]
        changes = [*fresh, *_faded(outbox, receiver, changes, now)]
    if not changes:
        return None
    return Sending(
        receiver=receiver.name,
        at=now,
        changes=tuple(changes),
        numbers=tuple(item.number for item in chosen),
        dropped=outbox.dropped.get(receiver.name, 0),
        digest=receiver.digest_s is not None,
        remember=receiver.refresh_s is not None,
    )


def _ready(outbox: Outbox, receiver: Receiver, now: float) -> list[Queued]:
    """What waits for the receiver and may go; of a digest all or nothing."""
    mine = [item for item in outbox.queued if item.receiver == receiver.name]
    ready = [
        i
        for i in mine
        if (i.next_try_at <= now or now < i.queued_at)
        and not cooling(outbox, receiver, i.change, now)
    ]
    if receiver.digest_s is None or receiver.name in outbox.rests:
        return ready
    oldest = min((item.queued_at for item in ready), default=now)
    return ready if now - oldest >= receiver.digest_s else []


def _chosen(ready: Sequence[Queued], rest: Rest | None) -> list[Queued]:
    """All of it; after a failure one; what failed more than once alone and last."""
    if rest is not None:
        return sorted(ready, key=lambda i: (i.attempts, rank(i.change), i.number))[:1]
    worst_first = sorted(ready, key=lambda i: (rank(i.change), i.number))
    together = [item for item in worst_first if item.attempts <= 1]
    return together[:MOST_AT_ONCE] or worst_first[:1]


def _identified(
    outbox: Outbox, receiver: Receiver, changes: Sequence[Change], now: float
) -> Iterator[Change]:
    """Changes for a receiver that knows an alert by its labels: they must be those that it was sent.

    An alert whose labels or severity changed is another one there, and the one before ends.
    """
    for change in changes:
        before = known(outbox, receiver.name, change)
        sent = before.change if before is not None else None
        if sent is None or (sent.labels, sent.severity) == (change.labels, change.severity):
            yield change
        elif change.change == "resolved":
            yield replace(change, labels=sent.labels, severity=sent.severity)
        else:
            yield replace(sent, change="resolved", at=now)
            yield change


def _faded(
    outbox: Outbox, receiver: Receiver, changes: Sequence[Change], now: float
) -> Iterator[Change]:
    """What fires and was sent so long ago that the receiver is about to forget it."""
    fresh = {(change.rule, change.key) for change in changes}
    for one in outbox.told:
        if one.receiver != receiver.name or one.change is None or (one.rule, one.key) in fresh:
            continue
        if not 0 <= now - one.refreshed_at < (receiver.refresh_s or 0.0):
            yield one.change
