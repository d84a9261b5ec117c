"""The log of a command that we write ourselves: when it cannot be written, its silence says nothing."""

from collections.abc import Callable

from trainwatch.core.model.marks import Mark
from trainwatch.core.ports import Log, LogRead


class OwnLog:
    """A `Log` (core/ports.py) that is blind while `trouble` says why nothing is written to it."""

    def __init__(self, log: Log, trouble: Callable[[], str]) -> None:
        self._log, self._trouble = log, trouble

    @property
    def mark(self) -> Mark:
        """Where the log is read up to."""
        return self._log.mark

    def poll(self, limit: int) -> LogRead:
        """The next complete lines; unreadable once all that was written is read."""
        read = self._log.poll(limit)
        trouble = self._trouble()
        if trouble and read.state == "quiet" and not read.more:
            return LogRead("unreadable", why=trouble)
        return read

    def finish(self) -> LogRead:
        """The last line, where it has no end."""
        return self._log.finish()

    def close(self) -> None:
        """Let go of the file."""
        self._log.close()
