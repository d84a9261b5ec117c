"""What the process that runs the command tells the watcher beside it: a JSON object a line."""

import threading
from collections.abc import Callable, Iterable

import msgspec


class End(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """How the main process ended; `asked` is the last signal that was passed on to it."""

    exit_code: int | None = None
    signal: int | None = None
    asked: int | None = None


class Line(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """One of them: why the log cannot be written (empty: it can), the main process ended, all is over."""

    log: str | None = None
    main: End | None = None
    end: End | None = None


class News:
    """What was told so far."""

    def __init__(self) -> None:
        self.log = ""
        self.main: End | None = None
        self.end: End | None = None
        self.is_cut = False  # nothing more comes: whoever told it is gone
        self._over = threading.Event()

    def listen(self, lines: Iterable[bytes], heed: Callable[[], None]) -> None:
        """Take what comes until it is over; `heed` is called after each."""
        for raw in lines:
            line = msgspec.json.decode(raw, type=Line, strict=False)
            self.log = self.log if line.log is None else line.log
            self.main = line.main or self.main
            if line.end is not None:
                self.main = self.end = line.end
                self._over.set()
            heed()
        self.is_cut = True
        self._over.set()
        heed()

    def wait(self, timeout_s: float) -> bool:
        """Whether it is over, or is by then."""
        return self._over.wait(timeout_s)


def encoded(line: Line) -> bytes:
    """With its line end."""
    return msgspec.json.encode(line) + b"\n"
