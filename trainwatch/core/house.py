"""What a status says of the house: checkpoints, disks, what is sent away. Pure."""

from typing import TypedDict

from trainwatch.core.checkpoints.summary import summary
from trainwatch.core.model.housekeeping import CheckpointsStatus, SyncStatus
from trainwatch.core.model.state import RunState
from trainwatch.core.model.status import DiskStatus
from trainwatch.core.rules import disks
from trainwatch.core.rules.sight import Sight


class Views(TypedDict):
    """Fields of a status."""

    checkpoints: CheckpointsStatus | None
    disks: tuple[DiskStatus, ...]
    syncs: tuple[SyncStatus, ...]


def views(sight: Sight) -> Views:
    """All of it."""
    interval, step_s = sight.facts.save_interval, sight.memory.speed.typical_s()
    period_s = period_of(sight.state, interval, step_s)
    return Views(
        checkpoints=summary(sight.state, sight.settings.purge_risk, period_s, interval, sight.now),
        disks=disks.views(sight),
        syncs=syncs(sight),
    )


def period_of(state: RunState, interval: int | None, step_s: float | None) -> float | None:
    """From one save to the next: the iterations between them, and the save itself."""
    if not interval or not step_s:
        return None
    save = state.save
    return interval * step_s + (save.duration_sum_s / save.timed if save.timed else 0.0)


def syncs(sight: Sight) -> tuple[SyncStatus, ...]:
    """Every route that was ever tried, by name."""
    hands = sight.memory.hands
    return tuple(
        SyncStatus(
            route=route,
            at=seen.at,
            ok=seen.ok,
            to=seen.to,
            last_ok_at=seen.last_ok_at,
            permanent=seen.permanent,
            why=seen.why,
            failing_since=hands.failing_since.get(route),
            sent_bytes=seen.sent_bytes,
            sent_files=seen.sent_files,
            waiting_bytes=seen.waiting_bytes,
            commits=seen.commits,
            most_commits=seen.most_commits,
            next_at=seen.next_at,
        )
        for route, seen in sorted(hands.syncs.items())
    )
