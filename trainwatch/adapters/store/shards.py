"""The heartbeat of each watcher of a chain: one file a shard, written by its own job alone."""

from contextlib import suppress
from pathlib import Path

import msgspec

from trainwatch.adapters.store import files
from trainwatch.adapters.store.chain import FOLDER
from trainwatch.core.model.cron import ShardStatus

_decode = msgspec.json.Decoder(ShardStatus).decode


class ShardFiles:
    """Of a state folder."""

    def __init__(self, state_dir: Path) -> None:
        self._folder = state_dir / FOLDER

    def write(self, shard: ShardStatus) -> None:
        """Replace what this shard said before. Raises OSError."""
        files.make_private(self._folder)
        path = self._folder / f"shard-{shard.index}.json"
        files.replace_file(path, msgspec.json.encode(shard), sync=False)

    def read(self) -> tuple[ShardStatus, ...]:
        """What each last said, by index; what cannot be read is left out. Raises nothing."""
        found = []
        for path in self._paths():
            with suppress(OSError, *files.UNDECODABLE):
                found.append(_decode(path.read_bytes()))
        return tuple(sorted(found, key=lambda shard: shard.index))

    def clear(self) -> None:
        """Forget them all: the chain was stopped. Raises nothing."""
        for path in self._paths():
            with suppress(OSError):
                path.unlink()

    def _paths(self) -> list[Path]:
        try:
            return list(self._folder.glob("shard-*.json"))
        except OSError:
            return []
