"""Can we see, is there room, did our own hands work? Blindness, disks, syncing, scripts."""

from collections.abc import Iterator

from trainwatch.core.model.alerts import Finding
from trainwatch.core.rules.sight import Later, Said, Sight
from trainwatch.core.words import duration, number, percent

_DAY_S = 86_400.0
_UNDER = 0.99  # room for just so long is not yet too little
_SLACK = (
    1.5  # a disk that is told of must have so much more room, or it would be told again and again
)


def blind(sight: Sight) -> Iterator[Said]:
    """The log cannot be read, holds no known format, or the scheduler does not answer."""
    hands, queue = sight.memory.hands, sight.memory.queue
    after_s = sight.settings.blind.after_min * 60
    unread = hands.read_since if not sight.state.attempts else None
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


def disk_full(sight: Sight) -> Iterator[Said]:
    """A disk is full, or will be soon at the rate at which it fills."""
    chosen = sight.settings.disk_full
    for path, reading in sight.state.disks.items():
        slack = _SLACK if sight.fires("disk-full", path) else 1.0
        for what, free, total in (
            ("bytes", reading.bytes_free, reading.bytes_total),
            ("inodes", reading.inodes_free, reading.inodes_total),
        ):
            if free is not None and total and free / total < chosen.least_free * slack:
                yield Finding(
                    rule="disk-full",
                    key=path,
                    severity="critical",
                    summary=f"{path} has {percent(free / total)} of its {what} left",
                    advice="Remove checkpoints that nobody needs; look for core files.",
                )
                break
        else:
            yield from _filling(sight, path, slack)


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
        how = (
            "was ended after its deadline" if seen.exit_code is None else f"exited {seen.exit_code}"
        )
        yield Finding(
            rule="script-failed",
            key=name,
            summary=f"{name} {how}",
            since=seen.at,
            evidence=(seen.why,) if seen.why else (),
            advice="Run it by hand.",
        )


def _filling(sight: Sight, path: str, slack: float) -> Iterator[Said]:
    found = sight.memory.disks.runway_s(path)
    runway_s = sight.settings.disk_full.runway_days * _DAY_S
    if found is None or found[0] >= runway_s * (slack if slack > 1 else _UNDER):
        return
    left_s, what = found
    reading = sight.state.disks[path]
    free = reading.bytes_free if what == "bytes" else reading.inodes_free
    amount = f"{number((free or 0) / 1e9)} GB" if what == "bytes" else f"{free or 0:,} inodes"
    yield Finding(
        rule="disk-full",
        key=path,
        severity="critical" if left_s < _DAY_S / 4 else None,
        summary=f"{path} is full in {duration(left_s)} as it fills now: {amount} left",
        advice="Remove checkpoints that nobody needs; look for core files.",
    )
