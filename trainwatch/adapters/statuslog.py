"""Appends one line at a time to a log of logs: a file that people tail beside their other logs.

The trap: the file may be a training log (only when asked). Our lines begin with `trainwatch: `, which the
scanner skips.
"""

import os
import stat
from collections.abc import Callable
from pathlib import Path

from trainwatch.core.message import line
from trainwatch.core.model.telling import OK, Outcome, Sending


class StatusLog:
    """A file that grows by a line for each change and each status."""

    def __init__(self, path: Path, utc_offset_s: Callable[[float], float] = lambda at: 0.0) -> None:
        self._path, self._utc_offset_s = path, utc_offset_s

    def send(self, sending: Sending, now: float) -> Outcome:
        """A line for each change."""
        offset_s = self._utc_offset_s(now)
        return self._append([line(change, offset_s) for change in sending.changes])

    def say(self, text: str) -> Outcome:
        """One more line, which begins as ours do."""
        return self._append([text])

    def _append(self, texts: list[str]) -> Outcome:
        """In one write: other writers' lines stay whole. Raises nothing."""
        data = "".join(f"{text}\n" for text in texts).encode()
        flags = os.O_RDWR | os.O_APPEND | os.O_CREAT | os.O_CLOEXEC | os.O_NONBLOCK
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            file = os.open(self._path, flags, 0o600)
            try:
                if not stat.S_ISREG(os.fstat(file).st_mode):
                    return Outcome(result="never", why=f"{self._path} is not a file")
                os.write(file, b"\n" + data if _open_line(file) else data)
            finally:
                os.close(file)
        except OSError as error:
            return Outcome(result="again", why=f"{self._path}: {error.strerror}")
        return OK


def _open_line(file: int) -> bool:
    """Whether the file's last line has no end yet: ours must not become a part of it."""
    size = os.fstat(file).st_size
    return size > 0 and os.pread(file, 1, size - 1) != b"\n"
