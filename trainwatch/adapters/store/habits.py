"""What somebody chose on the screen, in a small file of his own in the state folder.

Nothing here raises: a screen must not fail because its colours cannot be kept. What is broken, of somebody
else, or written by a newer trainwatch is not read; the last two are not written over, either.
"""

import os
import stat
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import msgspec

from trainwatch.adapters.store.files import UNDECODABLE, make_private, replace_file

VERSION = 1
_MOST_BYTES = 64 * 1024


class _File(msgspec.Struct):
    version: int
    chosen: dict[str, Any] = {}


class Habits:
    """The file of whoever runs this."""

    def __init__(self, state_dir: Path) -> None:
        self.path = state_dir / f"screen-{os.geteuid()}.json"

    def read(self) -> dict[str, object]:
        """What was kept, by name; nothing if there is nothing to be had."""
        try:
            found = _decoded(_bytes_of(self.path))
        except (OSError, RecursionError, *UNDECODABLE):
            return {}
        return found.chosen if found.version == VERSION else {}

    def keep(self, changed: Mapping[str, object]) -> bool:
        """Keep these besides what is kept. Says whether it is: a disk may be full, a folder read-only."""
        try:
            return bool(changed) and self._keep(changed)
        except (OSError, RecursionError):
            return False

    def _keep(self, changed: Mapping[str, object]) -> bool:
        try:
            before = _decoded(_bytes_of(self.path))
        except FileNotFoundError:
            before = _File(VERSION)
            make_private(self.path.parent)
        except (RecursionError, *UNDECODABLE):
            before = _File(VERSION)  # broken: of no use to anybody
        if before.version > VERSION:
            return False
        made = _File(VERSION, {**before.chosen, **changed})
        data = msgspec.json.format(msgspec.json.encode(made), indent=1)
        replace_file(self.path, data, sync=False, mode=0o600)
        return True


def _decoded(data: bytes) -> _File:
    return msgspec.json.decode(data, type=_File)


def _bytes_of(path: Path) -> bytes:
    """What stands in a file of ours. Raises OSError; PermissionError where it is none."""
    with os.fdopen(os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK), "rb") as file:
        about = os.fstat(file.fileno())
        if not stat.S_ISREG(about.st_mode) or about.st_uid != os.geteuid():
            raise PermissionError(f"{path} is not a file of ours")
        return file.read(_MOST_BYTES + 1)
