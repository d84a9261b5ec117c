"""Keeps the watcher beside a command alive, from the process that runs the command.

The trap: this is the process that must never wait. A watcher that ends is started again later, and said.
"""

from collections.abc import Callable
from typing import Protocol

from trainwatch.app.running.news import End, Line, encoded

_PAUSES_S = (2.0, 30.0, 300.0)  # before it is started again; the last one from then on


class Helper(Protocol):
    """A watcher that was started."""

    pid: int

    def tell(self, news: bytes) -> None:
        """Tell it something. Never waits, raises nothing."""
        ...

    def close(self) -> None:
        """Nothing more is told."""
        ...


class Minder:
    """One watcher, again and again if need be. Raises nothing."""

    def __init__(
        self,
        start: Callable[[], Helper],
        say: Callable[[str], None],
        elapsed: Callable[[], float],
    ) -> None:
        """`start` raises OSError where there can be none."""
        self._start, self._say, self._elapsed = start, say, elapsed
        self._helper: Helper | None = None
        self._failed = 0
        self._due: float | None = elapsed()
        self._log = ""
        self._main: End | None = None
        self._is_over = False
        self.beat("")

    @property
    def watches(self) -> bool:
        """Whether there is one now."""
        return self._helper is not None

    def beat(self, log: str, main: End | None = None) -> None:
        """About once a second: what is there to be told, and whether it is to be started again."""
        if self._helper is None and self._due is not None and self._elapsed() >= self._due:
            self._begin()
        elif (log, main) != (self._log, self._main):
            self._log, self._main = log, main
            self._tell(Line(log=log, main=main))

    def gone(self, pid: int, said: str) -> None:
        """A child of ours ended: if it is the watcher, the command goes on without."""
        if self._helper is None or pid != self._helper.pid:
            return
        self._helper.close()
        self._helper = None
        if not self._is_over:
            self._again(f"the watcher ended ({said})")

    def end(self, end: End) -> None:
        """The command is over: it is not started again."""
        self._due, self._is_over = None, True
        self._tell(Line(end=end))
        if self._helper is not None:
            self._helper.close()

    def _begin(self) -> None:
        try:
            self._helper = self._start()
        except OSError as error:
            self._again(f"the watcher cannot be started: {error.strerror}")
            return
        self._due = None
        if self._log or self._main is not None:
            self._tell(Line(log=self._log, main=self._main))

    def _again(self, why: str) -> None:
        pause_s = _PAUSES_S[min(self._failed, len(_PAUSES_S) - 1)]
        self._failed += 1
        self._due = self._elapsed() + pause_s
        self._say(f"{why}; the command goes on, and it is started again in {pause_s:g} s")

    def _tell(self, line: Line) -> None:
        if self._helper is not None:
            self._helper.tell(encoded(line))
