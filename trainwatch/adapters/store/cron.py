"""`cron/status.json`: what the job that watches says of its chain, for views on any node.

The trap: a file that is there and cannot be read is not a chain that was never started. `read` gives None
for both, for whoever goes on from it; `look` tells them apart, for people.
"""

import stat
from pathlib import Path

import msgspec

from trainwatch.adapters.store import files
from trainwatch.core.model.cron import CronStatus

FOLDER, STATUS = "cron", "status.json"
VERSION = 1
_MOST_BYTES = 16 * 1024 * 1024  # a thousand scripts take a fiftieth of it


class _File(msgspec.Struct, frozen=True):
    """What is in the file."""

    version: int
    cron: CronStatus


_decode = msgspec.json.Decoder(_File, strict=False).decode


class CronReader:
    """Needs no lease, and may read on another node while the file is replaced."""

    def __init__(self, state_dir: Path) -> None:
        self._path = state_dir / FOLDER / STATUS

    def read(self) -> CronStatus | None:
        """What was last written; None before anything was, or where it cannot be read. Raises nothing."""
        try:
            return self._read()
        except (OSError, *files.UNDECODABLE):
            return None

    def look(self) -> CronStatus | None:
        """As `read`; where it cannot be read, a status of which nothing is known but why. Raises nothing."""
        try:
            return self._read()
        except OSError as error:
            why = error.strerror or str(error)
        except files.UNDECODABLE:
            why = "it is damaged, or of a newer trainwatch"
        return CronStatus(at=0.0, why=f"{self._path} cannot be read: {why}")

    def _read(self) -> CronStatus | None:
        """None where there is no file. Raises OSError, UNDECODABLE."""
        try:
            if not stat.S_ISREG(self._path.stat().st_mode):
                raise msgspec.DecodeError("no plain file")  # opening a pipe could wait for ever
            with self._path.open("rb") as file:
                data = file.read(_MOST_BYTES + 1)
        except (FileNotFoundError, NotADirectoryError):
            return None
        if len(data) > _MOST_BYTES:
            raise msgspec.DecodeError("far too long")
        found = _decode(data)
        if found.version > VERSION:
            raise msgspec.DecodeError("newer")
        return found.cron


class CronWriter:
    """For the one that holds the chain's lease."""

    def __init__(self, state_dir: Path) -> None:
        self._path = state_dir / FOLDER / STATUS

    def write(self, status: CronStatus) -> None:
        """Put it in the place of what was written before, at once. Raises OSError."""
        files.make_private(self._path.parent)
        data = files.encode_exactly(_File(VERSION, status))
        files.replace_file(self._path, data, sync=False)
