"""What our own hands did and cannot do: syncing, scripts, the look at the log itself."""

import msgspec

from trainwatch.core.model.observations import ScriptReading, SyncReading, WatcherReading


class HandSense(msgspec.Struct, kw_only=True, omit_defaults=True):
    """The last word of each route and script, and since when it is a bad one."""

    syncs: dict[str, SyncReading] = {}
    failing_since: dict[str, float] = {}  # by route
    scripts: dict[str, ScriptReading] = {}
    blind: str = ""
    blind_since: float | None = None
    sees_since: float | None = None  # when it could be seen again
    read_since: float | None = None  # when the log was first read

    def synced(self, seen: SyncReading) -> None:
        """A route was tried."""
        self.syncs[seen.route] = seen
        if seen.ok:
            self.failing_since.pop(seen.route, None)
        else:
            since = seen.last_ok_at if seen.last_ok_at is not None else seen.at
            self.failing_since.setdefault(seen.route, since)

    def ran(self, seen: ScriptReading) -> None:
        """A script ran."""
        self.scripts[seen.script] = seen

    def looked(self, seen: WatcherReading) -> None:
        """The log could be seen, or not."""
        if not seen.blind:
            self.sees_since = seen.at if self.blind_since is not None else self.sees_since
            self.blind_since = None
        elif self.blind_since is None:
            self.blind_since = seen.at
        self.blind = seen.blind
