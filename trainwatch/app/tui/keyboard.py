"""The terminal's keys, read so that no input and no end of it can harm us. Textual's driver does the rest.

The traps: a terminal that is gone reads as nothing for ever, and who reads on takes a core until somebody
looks; bytes that are no text, or a key that no character has, would end the program.
"""

import os
import selectors
from codecs import getincrementaldecoder
from collections.abc import Iterable
from typing import Any

from textual._xterm_parser import XTermParser
from textual.drivers.linux_driver import LinuxDriver
from textual.message import Message

_LOOK_S = 0.1  # for the end, and for a lone Escape
_MOST = 4096


class Keyboard(LinuxDriver):
    """A terminal."""

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """As Textual makes it."""
        super().__init__(*arguments, **options)
        self._parser = XTermParser(self._debug)

    def run_input_thread(self) -> None:
        """Read keys until the program ends, or the terminal does: then the program ends, too."""
        text_of = getincrementaldecoder("utf-8")("replace").decode
        with selectors.SelectSelector() as ready:
            ready.register(self.fileno, selectors.EVENT_READ)
            while not self.exit_event.is_set():
                if ready.select(_LOOK_S):
                    data = self._read()
                    if not data:
                        self._loop.call_soon_threadsafe(self._app.exit)
                        return
                    for character in text_of(data):
                        self._take(self._parser.feed(character))
                self._take(self._parser.tick())

    def _take(self, events: Iterable[Message]) -> None:
        """A character at a time: where it makes no key of what came before, the next one begins anew."""
        try:
            for event in events:
                self.process_message(event)
        except (ValueError, OverflowError):
            self._parser = XTermParser(self._debug)

    def _read(self) -> bytes:
        try:
            return os.read(self.fileno, _MOST)
        except OSError:
            return b""
