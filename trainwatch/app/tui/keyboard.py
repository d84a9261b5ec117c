"""The terminal, so that nothing it sends and no end of it can harm us. Textual's driver does the rest.

The traps: a terminal that is gone reads as nothing for ever, and who reads on takes a core until somebody
looks; what is written to it fails, Textual's writer dies of that, and after thirty more writes the program
waits for ever. Bytes that are no text, or a key that no character has, would end the program.
"""

import os
import selectors
from codecs import getincrementaldecoder
from collections.abc import Iterable
from contextlib import suppress
from typing import IO, Any

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
        self._file: Any = _Unread(self._file)
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

    def _sigcont_application(self, *_: object) -> None:
        """Go on. Textual begins anew even where nothing had been ended: two would read the keys, each a part.

        So it is where another has stopped us (`kill -STOP`), and where the terminal is gone: SIGCONT follows
        SIGHUP.
        """
        self._loop.call_soon_threadsafe(self._go_on)

    def _go_on(self) -> None:
        if not self._auto_restart:
            return
        if not self._must_signal_resume:  # set by ctrl+z
            if not os.isatty(self.fileno):
                return
            self.suspend_application_mode()
            self._must_signal_resume = True
        self.resume_application_mode()

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


class _Unread:
    """Where nobody reads any more, what is written is lost: no reason to end in disorder, or never."""

    def __init__(self, file: IO[str]) -> None:
        self._file = file

    def write(self, text: str) -> None:
        with suppress(OSError):
            self._file.write(text)

    def flush(self) -> None:
        with suppress(OSError):
            self._file.flush()

    def fileno(self) -> int:
        return self._file.fileno()
