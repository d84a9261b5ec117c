"""The file that a node_exporter collects: whole or not there, and readable for whoever runs that."""

import os
from pathlib import Path

_MODE = 0o644  # node_exporter is another user, whatever our umask says


class Textfile:
    """One file, which nobody else should write."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._ours: tuple[int, int] | None = None  # what we last put there

    def write(self, data: bytes) -> str:
        """Put `data` in its place, at once. Returns what is amiss, in a sentence; empty if nothing is.

        Raises OSError. It is not forced onto the disk: what a power cut takes is written again.
        """
        amiss = ""
        if self._ours is not None and self._there() not in (None, self._ours):
            amiss = f"{self.path}: another process writes it, too; each watcher needs a textfile of its own"
        temporary = self.path.with_name(f".{self.path.name}.{os.getpid()}.tmp")
        temporary.unlink(missing_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
        try:
            with open(os.open(temporary, flags, 0o600), "wb") as file:  # noqa: PTH123 - a descriptor
                file.write(data)
                file.flush()
                os.fchmod(file.fileno(), _MODE)
            temporary.replace(self.path)
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
        self._ours = self._there()
        return amiss

    def _there(self) -> tuple[int, int] | None:
        try:
            found = self.path.lstat()
        except FileNotFoundError:
            return None
        return found.st_ino, found.st_mtime_ns
