"""The watcher as a process of its own, beside the command: it may fail, hang or be killed.

It is told things over its standard input, a line each; at the end of it, it knows that we are gone.
"""

import os
import signal
from collections.abc import Sequence
from contextlib import suppress


class Beside:
    """A process in a session of its own, so that no ctrl+c is for it."""

    def __init__(self, argv: Sequence[str]) -> None:
        """Raises OSError where it cannot be started."""
        theirs, ours = os.pipe2(os.O_CLOEXEC)
        os.set_blocking(ours, False)
        quiet = os.open(os.devnull, os.O_WRONLY | os.O_CLOEXEC)
        try:
            self.pid = os.posix_spawnp(
                argv[0],
                list(argv),
                os.environ,
                file_actions=[(os.POSIX_SPAWN_DUP2, theirs, 0), (os.POSIX_SPAWN_DUP2, quiet, 1)],
                setsid=True,
                setsigdef=[signal.SIGPIPE, signal.SIGXFSZ],
            )
        except OSError:
            os.close(ours)
            raise
        finally:
            os.close(theirs)
            os.close(quiet)
        self._told: int | None = ours

    def tell(self, news: bytes) -> None:
        """Tell it something. One that does not listen is not waited for."""
        if self._told is not None:
            with suppress(OSError):
                os.write(self._told, news)

    def close(self) -> None:
        """Nothing more is told."""
        if self._told is not None:
            os.close(self._told)
        self._told = None
