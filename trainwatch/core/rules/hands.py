"""Can we see, did our own hands work? Blindness, syncing, scripts."""

from collections.abc import Iterator

from trainwatch.core.model.alerts import Finding
from trainwatch.core.rules.sight import Later, Said, Sight
from trainwatch.core.words import duration


def blind(sight: Sight) -> Iterator[Said]:
    """The log cannot be read, holds no known format, or the scheduler does not answer."""
    hands, queue = sight.memory.hands, sight.memory.queue
    after_s = sight.settings.blind.after_min * 60
    unread = hands.read_since if not sight.state.speaks else None
    reasons = (
        ("log", hands.blind_since, hands.blind),
        ("format", unread, "the log holds no format trainwatch knows"),
        ("queue", queue.unknown_since, f"the scheduler does not answer: {queue.why}"),
    )
    for key, since, why in reasons:
        if since is None:
            continue
        if sight.now < since + after_s:
            yield Later(since + after_s)
            continue
        yield Finding(
            rule="blind",
            key=key,
            summary=f"blind for {duration(sight.now - since)}: {why}",
            since=since,
            advice="Nothing about the run is concluded from this silence: look for yourself.",
        )


def sync_late(sight: Sight) -> Iterator[Said]:
    """What ought to be sent away has not arrived."""
    hands = sight.memory.hands
    for route, since in hands.failing_since.items():
        seen = hands.syncs[route]
        due = since + sight.settings.sync_late.after_h * 3600
        if sight.now < due and not seen.permanent:
            yield Later(due)
            continue
        yield Finding(
            rule="sync-late",
            key=route,
            summary=f"nothing has arrived over {route} for {duration(sight.now - since)}: {seen.why}",
            since=since,
            advice="Trying again will not help." if seen.permanent else "It is tried again.",
        )


def script_failed(sight: Sight) -> Iterator[Said]:
    """An hourly or daily script failed, or was ended after its deadline."""
    for name, seen in sight.memory.hands.scripts.items():
        if seen.exit_code == 0:
            continue
        ended, code = "was ended after its deadline", seen.exit_code
        how = seen.how or (ended if code is None else f"exited {code}")
        yield Finding(
            rule="script-failed",
            key=name,
            summary=f"{name} {how}",
            since=seen.at,
            evidence=(seen.why,) if seen.why else (),
            advice="Run it by hand.",
        )
