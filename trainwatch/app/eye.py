"""Looks at one log, a block at a time, in a thread of its own; says when it cannot be seen.

The trap: what could not be looked at is not silence. `blind` says why, until a look succeeds.
"""

from typing import NamedTuple

from trainwatch.app.probe import Probe
from trainwatch.core.logs.scan import Marked, Scanner
from trainwatch.core.model.marks import Mark
from trainwatch.core.ports import Log, LogRead

BLOCK_BYTES = 1024 * 1024
DEADLINE_S = 20.0  # a look at a log that takes longer hangs
PATIENCE_S = 120.0  # a last line without an end is read after so long a silence


class Look(NamedTuple):
    """A look at the log, prepared for the fold in the probe's thread."""

    read: LogRead
    marked: Marked | None
    mark: Mark


class Eye:
    """On one log."""

    def __init__(self, path: str, log: Log, scanner: Scanner) -> None:
        self.blind = ""  # why the log cannot be seen, in a sentence
        self.size: int | None = None  # of the log, in bytes
        self._path, self._log, self._scanner = path, log, scanner
        self._probe = Probe(self._poll)
        self._grew_at = float("-inf")

    def look(self, now: float) -> Look | None:
        """The next block, perhaps empty; None where the log cannot be seen, and `blind` says why.

        Raises what is a bug in reading.
        """
        look = self._probe.answer(DEADLINE_S)
        if look is None:
            self.blind = f"{self._path}: reading it hangs; does its filesystem answer?"
            return None
        if look.read.more:
            self._probe.ask()  # the next block is read and searched while this one is folded
        if look.read.state in ("missing", "unreadable"):
            self.blind = look.read.why
            return None
        self.blind = ""
        self.size = look.read.size if look.read.size is not None else self.size
        return self._seen(look, now)

    def rest(self, look: Look, now: float) -> Look | None:
        """After that look: a last line that never got its end, once the log has long been silent."""
        read = look.read
        unread = read.size is not None and read.size > look.mark.offset
        if unread and not read.data and PATIENCE_S < now - self._grew_at < float("inf"):
            return self.finish(now)
        return None

    def finish(self, now: float) -> Look:
        """The last line where it has no end."""
        return self._seen(Look(self._log.finish(), None, self._log.mark), now)

    def close(self) -> None:
        """Let go of the log."""
        self._probe.close()
        self._log.close()

    def _poll(self) -> Look:
        read = self._log.poll(BLOCK_BYTES)
        return Look(read, self._scanner.mark(read.data) if read.data else None, self._log.mark)

    def _seen(self, look: Look, now: float) -> Look:
        if look.read.data:
            self._grew_at = now
        return look
