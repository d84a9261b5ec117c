"""Happenings -> the observations that a watcher would have made of them: what a recording holds.

The trap: a checkpoint is in the listing from its first shard on, and complete only when it is.
"""

from collections.abc import Iterator

from trainwatch.core.model.observations import (
    Checkpoint,
    CheckpointReading,
    LogChunk,
    Observation,
)
from trainwatch.simulate.happenings import (
    Happening,
    QueueAnswered,
    SaveBegan,
    SaveFinished,
    Wrote,
)


class Observer:
    """Watches one simulated run."""

    def __init__(self, path: str = "main_log.txt") -> None:
        self._path, self._offset = path, 0
        self._found: dict[str, Checkpoint] = {}
        self._latest: str | None = None

    def see(self, happening: Happening) -> Iterator[Observation]:
        """What can be seen of it."""
        match happening:
            case Wrote(at, text):
                yield LogChunk(at=at, path=self._path, data=text, offset=self._offset)
                self._offset += len(text)
            case QueueAnswered(_, reading):
                yield reading
            case SaveBegan():
                yield self._listed(happening, complete=False)
            case SaveFinished():
                if happening.checkpoint.trackers:
                    self._latest = happening.checkpoint.name
                yield self._listed(happening, complete=True)

    def _listed(self, save: SaveBegan | SaveFinished, *, complete: bool) -> CheckpointReading:
        plan = save.checkpoint
        files = begun = len(plan.shards) // 2
        if complete:
            files = len(plan.shards) + len(plan.closing)
        self._found[plan.name] = Checkpoint(
            name=plan.name,
            iteration=plan.iteration,
            bytes=plan.bytes if complete else plan.bytes * begun // len(plan.shards),
            files=files,
            complete=complete,
            mtime=save.at,
            atime=save.at,
        )
        return CheckpointReading(at=save.at, latest=self._latest, found=tuple(self._found.values()))
