"""The end of the log on the terminal as soon as it is read: half a second before Textual can draw a screen.

The trap: from the moment Textual begins, the terminal is its own. What is being written then is waited for,
and nothing is written later.
"""

import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Self, TextIO

from trainwatch.app.tui.feed import Seen
from trainwatch.core.model.snapshot import Snapshot
from trainwatch.core.words import clean

_RISE = (
    "\x1b[?1049h\x1b[?25l\x1b[?7l\x1b[H\x1b[2J"  # no cursor, and lines end where the terminal does
)
_RISEN = "\x1b[?7h"
_FALL = "\x1b[?1049l\x1b[?25h"
_TAB = 8


class Curtain:
    """What stands on a terminal until its screen does. `terminal` is None where there is none."""

    def __init__(self, terminal: TextIO | None, width: int, height: int) -> None:
        self._terminal, self._size = terminal, (width, height)
        self._lock = threading.Lock()
        self._is_up = self._is_over = False

    @classmethod
    def of_textual(cls, width: int, height: int) -> Self:
        """Where Textual will draw: on stderr, if that is a terminal."""
        terminal = sys.__stderr__
        return cls(terminal if terminal and terminal.isatty() else None, width, height)

    def show(self, seen: Seen) -> None:
        """Draw the end of the log, once. In whatever thread read it."""
        with self._lock:
            if self._is_over or self._is_up or not seen.snapshot.page.lines:
                return
            self._is_up = self._write(_RISE + picture(seen.snapshot, *self._size) + _RISEN)

    @contextmanager
    def until_the_screen(self) -> Iterator[None]:
        """It may be drawn within; where that fails, the terminal is given back."""
        try:
            yield
        except BaseException:
            self._end()
            if self._is_up:
                self._write(_FALL)
            raise
        self._end()

    def _end(self) -> None:
        with self._lock:
            self._is_over = True

    def _write(self, text: str) -> bool:
        if self._terminal is None:
            return False
        with suppress(OSError, ValueError):  # gone: who draws next finds out
            self._terminal.write(text)
            self._terminal.flush()
        return True


def picture(snapshot: Snapshot, width: int, height: int) -> str:
    """The name of the run, and the last lines of its log; foreign text without what a terminal obeys."""
    room = max(0, height - 2)
    lines = [line.text.expandtabs(_TAB) for line in snapshot.page.lines[-room:]] if room else []
    rows = [f"trainwatch  {snapshot.status.run}", "", *lines]
    return "\r\n".join(clean(row, 2 * width) for row in rows[:height])
