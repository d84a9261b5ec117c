"""Which alert change waits for whom, and what was told: decided here, done elsewhere (app/telling.py).

The trap: what is queued is not told. A receiver counts as told only after its message went out, so a crash in
between tells twice rather than never; and a resolve goes only to those who know of the firing, or soon would.
"""

from collections.abc import Collection, Iterable, Sequence

from msgspec.structs import replace

from trainwatch.core.model.alerts import Change
from trainwatch.core.model.telling import Outbox, Outcome, Queued, Receiver, Rest, Sending, Told
from trainwatch.core.posted import cooling, fits, known, waiting, without

OLD_S = 6 * 3600.0  # a firing read so much later is history: nobody is woken for it
FIRST_WAIT_S, LONGEST_WAIT_S = 30.0, 3600.0  # after a failure, doubled with each one more
DAY_S = 86_400.0  # so rarely a receiver is tried that refuses for good; the longest Retry-After
MOST_QUEUED = 100  # for one receiver
FORGET_S = 14 * DAY_S  # what was told so long ago and does not fire is forgotten


def queue(
    outbox: Outbox, changes: Iterable[Change], receivers: Sequence[Receiver], now: float
) -> Outbox:
    """The outbox with these changes in it, for those who want to know of them.

    A receiver that no longer exists is forgotten.
    """
    outbox = _without_strangers(outbox, {receiver.name for receiver in receivers})
    for change in changes:
        put = _resolve if change.change == "resolved" else _fire
        for receiver in receivers:
            outbox = _bounded(put(outbox, change, receiver, now), receiver.name)
    return outbox


def told(outbox: Outbox, sending: Sending, outcome: Outcome, now: float) -> Outbox:
    """The outbox after a message went out, or did not."""
    if outcome.result == "ok":
        return _went(outbox, sending, now)
    return _failed(outbox, sending, outcome, now)


def told_late(outbox: Outbox, sending: Sending, now: float) -> Outbox:
    """The outbox when a message that was given up went out after all: it need not go again.

    What became of its alerts since then is not undone by it.
    """
    waits = {item.number: item.change for item in outbox.queued if item.number in sending.numbers}
    if not waits:
        return outbox
    still = replace(sending, numbers=tuple(waits), changes=tuple(waits.values()))
    return _went(outbox, still, now)


def settled(outbox: Outbox, firing: Collection[tuple[str, str]]) -> Outbox:
    """The outbox without what was told to fire and does not any more: (rule, key) of `firing` do.

    Changes tell that; this is for one that was lost, or that nobody was to hear of.
    """
    waits = {(item.receiver, item.change.rule, item.change.key) for item in outbox.queued}
    for one in outbox.told:
        if (one.rule, one.key) not in firing and (one.receiver, one.rule, one.key) not in waits:
            outbox = _closed(outbox, one)
    return outbox


def refreshed(outbox: Outbox) -> Outbox:
    """The outbox of a watcher that starts: somebody may have mended what was refused for good."""
    again = {name for name, rest in outbox.rests.items() if rest.permanent}
    if not again:
        return outbox
    rests = {name: rest for name, rest in outbox.rests.items() if name not in again}
    queued = (replace(i, next_try_at=0.0) if i.receiver in again else i for i in outbox.queued)
    return replace(outbox, rests=rests, queued=tuple(queued))


def troubles(outbox: Outbox) -> dict[str, str]:
    """By receiver: why it does not get its messages, in a sentence."""
    found = {}
    for name, rest in outbox.rests.items():
        count = sum(item.receiver == name for item in outbox.queued)
        waits = {0: "", 1: "; 1 message waits"}.get(count, f"; {count} messages wait")
        found[name] = rest.why + waits
    return found


def wait_s(failures: int, outcome: Outcome) -> float:
    """How long a receiver is left alone after so many failures in a row, in s."""
    if outcome.result == "never":
        return DAY_S
    if outcome.retry_after_s is not None:
        return min(max(outcome.retry_after_s, 1.0), DAY_S)
    doubled: float = FIRST_WAIT_S * 2.0 ** min(failures - 1, 16)
    return min(doubled, LONGEST_WAIT_S)


def _without_strangers(outbox: Outbox, names: Collection[str]) -> Outbox:
    found = {item.receiver for item in outbox.queued} | {one.receiver for one in outbox.told}
    if found.union(outbox.rests, outbox.dropped).issubset(names):
        return outbox
    return replace(
        outbox,
        queued=tuple(item for item in outbox.queued if item.receiver in names),
        told=tuple(one for one in outbox.told if one.receiver in names),
        rests={name: rest for name, rest in outbox.rests.items() if name in names},
        dropped={name: count for name, count in outbox.dropped.items() if name in names},
    )


def _fire(outbox: Outbox, change: Change, receiver: Receiver, now: float) -> Outbox:
    """A newer change of an alert takes the place of one that still waits."""
    if change.muted or not fits(receiver, change) or now - change.at > OLD_S:
        return outbox
    return _put(outbox, change, receiver, now)


def _resolve(outbox: Outbox, change: Change, receiver: Receiver, now: float) -> Outbox:
    """A resolve takes the place of the firing that waits: it says how long it was, one message is enough."""
    waits, before = waiting(outbox, receiver.name, change), known(outbox, receiver.name, change)
    knows = before is not None and before.firing
    if change.muted:
        return _closed(without(outbox, waits), before)
    if waits is None and not knows:
        return outbox
    if waits is not None and not knows and cooling(outbox, receiver, waits.change, now):
        return without(outbox, waits)
    return _put(outbox, change, receiver, now)


def _put(outbox: Outbox, change: Change, receiver: Receiver, now: float) -> Outbox:
    old = waiting(outbox, receiver.name, change)
    item = Queued(
        number=outbox.next_number,
        receiver=receiver.name,
        change=change,
        queued_at=old.queued_at if old else now,
        attempts=old.attempts if old else 0,
        next_try_at=old.next_try_at if old else 0.0,
    )
    outbox = without(outbox, old)
    return replace(outbox, queued=(*outbox.queued, item), next_number=item.number + 1)


def _closed(outbox: Outbox, before: Told | None) -> Outbox:
    """What was told as firing is over, without a word."""
    if before is None or not before.firing:
        return outbox
    over = replace(before, firing=False, change=None)
    return replace(outbox, told=tuple(over if one is before else one for one in outbox.told))


def _bounded(outbox: Outbox, name: str) -> Outbox:
    """The queue of a receiver with no more than it may hold: the oldest that is not critical goes first."""
    mine = [item for item in outbox.queued if item.receiver == name]
    if len(mine) <= MOST_QUEUED:
        return outbox
    goes = min(mine, key=lambda item: (item.change.severity == "critical", item.number))
    count = outbox.dropped.get(name, 0) + 1
    return replace(without(outbox, goes), dropped={**outbox.dropped, name: count})


def _went(outbox: Outbox, sending: Sending, now: float) -> Outbox:
    name = sending.receiver
    all_told = {(one.receiver, one.rule, one.key): one for one in outbox.told}
    for change in sending.changes:
        place = (name, change.rule, change.key)
        all_told[place] = _told(all_told.get(place), change, sending, now)
    kept = (one for one in all_told.values() if one.firing or now - one.at < FORGET_S)
    left = outbox.dropped.get(name, 0) - sending.dropped
    dropped = {other: count for other, count in outbox.dropped.items() if other != name}
    return replace(
        outbox,
        queued=tuple(item for item in outbox.queued if item.number not in sending.numbers),
        told=tuple(kept),
        rests={other: rest for other, rest in outbox.rests.items() if other != name},
        dropped={**dropped, name: left} if left > 0 else dropped,
    )


def _told(before: Told | None, change: Change, sending: Sending, now: float) -> Told:
    """A refresh is no news: the cool-down goes on."""
    firing = change.change != "resolved"
    refresh = before is not None and before.firing and before.change == change
    at = before.at if before is not None and (refresh or not firing) else now
    return Told(
        receiver=sending.receiver,
        rule=change.rule,
        key=change.key,
        at=at,
        severity=change.severity,
        firing=firing,
        change=change if firing and sending.remember else None,
        refreshed_at=now,
    )


def _failed(outbox: Outbox, sending: Sending, outcome: Outcome, now: float) -> Outbox:
    """The receiver rests, and so does the message: another one has its turn before it."""
    before = outbox.rests.get(sending.receiver)
    failures = before.failures + 1 if before else 1
    rest = Rest(
        since=before.since if before else now,
        until=now + wait_s(failures, outcome),
        failures=failures,
        why=outcome.why,
        permanent=outcome.result == "never",
    )

    def tried(item: Queued) -> Queued:
        return replace(item, attempts=item.attempts + 1, next_try_at=rest.until)

    queued = (tried(i) if i.number in sending.numbers else i for i in outbox.queued)
    return replace(outbox, queued=tuple(queued), rests={**outbox.rests, sending.receiver: rest})
