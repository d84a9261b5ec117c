"""Happenings -> the observations that a watcher would have made of them: what a recording holds.

The traps: a checkpoint is in the listing from its first shard on, and complete only when it is. While the
watcher is blind nothing of the log comes through; afterwards it is read at once, as what is caught up.
"""

from collections.abc import Iterator

from trainwatch.core.model.observations import (
    Checkpoint,
    CheckpointReading,
    LogChunk,
    Observation,
    WatcherReading,
)
from trainwatch.core.model.policies import Round
from trainwatch.simulate.happenings import (
    Happening,
    Observed,
    Present,
    QueueAnswered,
    SaveBegan,
    SaveFinished,
    Wrote,
)


class Observer:
    """Watches one simulated run."""

    def __init__(self, path: str = "main_log.txt", rounds: tuple[Round, ...] = ()) -> None:
        self._path, self._offset = path, 0
        self._blind, self._unread = False, list[bytes]()
        self._found: dict[str, Checkpoint] = {}
        self._latest: str | None = None
        self._rounds = rounds

    def see(self, happening: Happening) -> Iterator[Observation]:
        """What can be seen of it."""
        match happening:
            case Wrote(_, text) if self._blind:
                self._unread.append(text)
            case Wrote(at, text):
                yield self._chunk(at, text, live=True)
            case QueueAnswered(_, reading):
                yield reading
            case SaveBegan():
                yield self._listed(happening, complete=False)
            case Observed(at, seen):
                yield seen
                if isinstance(seen, WatcherReading):
                    yield from self._sight(at, blind=bool(seen.blind))
            case SaveFinished() | Present():
                if happening.checkpoint.trackers:
                    self._latest = happening.checkpoint.name
                yield self._listed(happening, complete=True)

    def _chunk(self, at: float, text: bytes, *, live: bool) -> LogChunk:
        place, self._offset = self._offset, self._offset + len(text)
        return LogChunk(at=at, path=self._path, data=text, offset=place, live=live)

    def _sight(self, at: float, *, blind: bool) -> Iterator[Observation]:
        self._blind = blind
        if not blind and self._unread:
            text, self._unread = b"".join(self._unread), []
            yield self._chunk(at, text, live=False)

    def _listed(
        self, save: SaveBegan | SaveFinished | Present, *, complete: bool
    ) -> CheckpointReading:
        plan, age_s = save.checkpoint, save.age_s if isinstance(save, Present) else 0.0
        files = begun = len(plan.shards) // 2
        if complete:
            files = len(plan.shards) + len(plan.closing)
        self._found[plan.name] = Checkpoint(
            name=plan.name,
            iteration=plan.iteration,
            bytes=plan.bytes if complete else plan.bytes * begun // len(plan.shards),
            files=files,
            complete=complete,
            mtime=save.at - age_s,
            atime=save.at - age_s,
        )
        return CheckpointReading(
            at=save.at,
            latest=self._latest,
            found=tuple(self._found.values()),
            rounds=self._rounds,
        )
