"""trainwatch status --watch: how runs are, until ctrl+c; for slow lines and simple terminals.

On a terminal one screen stays in its place, elsewhere each change is a line. The trap: ages ("43 s ago")
change by themselves. Painted anew with each look they would never leave a line quiet, so that they
are as of the time in the first line, which is of the last change, or a minute old.
"""

import os
import select
import signal
import sys
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from typing import Protocol

from trainwatch.app import clock, looking, words
from trainwatch.app.commands.shared import leaving_in_order
from trainwatch.app.commands.status import page
from trainwatch.app.config import RunSettings
from trainwatch.app.oneline import line
from trainwatch.app.painting import Painting, Size
from trainwatch.app.wire import Site
from trainwatch.core.errors import ExitCode, UsageError
from trainwatch.core.model.status import Status

EVERY_S = 5.0
_STALE_S = 60.0  # ages on the screen are never older
_LINE_CELLS = 200
_USUAL = Size(80, 24)


class View(Protocol):
    """What to send, now that runs are like this."""

    def shows(self, statuses: Sequence[Status], now: float) -> str: ...

    def ends(self) -> str: ...


class Lines:
    """A line at each change, with its time."""

    def __init__(self) -> None:
        self._told = ""

    def shows(self, statuses: Sequence[Status], now: float) -> str:
        """See View."""
        told = "\n".join(line([status], _LINE_CELLS) for status in statuses)
        if told == self._told:
            return ""
        before, self._told = set(self._told.splitlines()), told
        stamp = clock.local(now).strftime("%Y-%m-%d %H:%M:%S")
        return "".join(f"{stamp}  {one}\n" for one in told.splitlines() if one not in before)

    def ends(self) -> str:
        """See View."""
        return ""


class Screen:
    """One screen, of which only what changed is sent."""

    def __init__(
        self,
        page: Callable[[Sequence[Status], float], str],
        size: Callable[[], Size],
        every_s: float,
    ) -> None:
        self._page, self._size, self._every_s = page, size, every_s
        self._painting, self._painted_at = Painting(), 0.0
        self._shown = ""

    def shows(self, statuses: Sequence[Status], now: float) -> str:
        """See View."""
        fresh = 0 <= now - self._painted_at < _STALE_S
        if not fresh or self._page(statuses, self._painted_at) != self._shown:
            self._painted_at, self._shown = now, self._page(statuses, now)
        return self._paint(self._painted_at, self._shown)

    def begins(self, runs: Sequence[RunSettings], now: float) -> str:
        """What to send while the first look, which may be at a long log, goes on."""
        names = ", ".join(words.clean(run.name or run.log) for run in runs)
        return self._paint(now, f"looking at {names} ...")

    def forget(self) -> None:
        """Something else was on the screen."""
        self._painting.forget()

    def ends(self) -> str:
        """See View."""
        return self._painting.leave()

    def _paint(self, at: float, text: str) -> str:
        stamp = clock.local(at).strftime("%H:%M:%S")
        head = f"{stamp}   a look every {self._every_s:g} s, ctrl+c ends it"
        return self._painting.change([head, "", *text.split("\n")], self._size())


def watch(site: Site, log_or_run: str | None, every_s: float) -> int:
    """Show how runs are until it is interrupted, or nobody reads any more. Raises UsageError."""
    runs = _runs(site, log_or_run)
    try:
        with leaving_in_order():
            if not paints():
                return keep_on(site, log_or_run, Lines(), every_s)
            screen = Screen(lambda statuses, now: page(site, statuses, now), _size, every_s)
            _send(screen.begins(runs, clock.now()))
            with _continued(screen.forget):
                return keep_on(site, log_or_run, screen, every_s)
    except KeyboardInterrupt:
        return ExitCode.INTERRUPTED  # without a word: it is how this ends


def keep_on(
    site: Site,
    log_or_run: str | None,
    view: View,
    every_s: float,
    *,
    now: Callable[[], float] = clock.now,
    wait: Callable[[float], bool] | None = None,
    send: Callable[[str], None] | None = None,
) -> ExitCode:
    """Look, show, wait, until KeyboardInterrupt.

    `wait` says whether anybody still reads; `send` puts text out at once. Raises UsageError.
    """
    send, wait = send or _send, wait or _waited
    runs = _runs(site, log_or_run)
    try:
        while True:
            at = now()
            view_of = [looking.status_or_why_not(site, run, at) for run in runs]
            if text := view.shows(view_of, at):
                send(text)
            if not wait(every_s):
                return ExitCode.OK
            runs = _runs(site, log_or_run, runs)
    except KeyboardInterrupt:
        with suppress(OSError):  # the terminal may be what went away
            send(view.ends())
        raise


def paints() -> bool:
    """Whether stdout is a terminal that knows where its cursor is."""
    return sys.stdout.isatty() and os.environ.get("TERM", "dumb") not in ("", "dumb", "unknown")


def _runs(
    site: Site, log_or_run: str | None, before: list[RunSettings] | None = None
) -> list[RunSettings]:
    """Those that are meant now: a glob may match more by and by, or for a moment nothing."""
    try:
        return [site.run_of(log_or_run)] if log_or_run else site.runs()
    except UsageError:
        if before is None:
            raise
        return before


def _size() -> Size:
    try:
        found = os.get_terminal_size(sys.stdout.fileno())
    except (OSError, ValueError):
        return _USUAL
    return Size(found.columns, found.lines) if found.columns and found.lines else _USUAL


def _send(text: str) -> None:
    sys.stdout.write(text)
    sys.stdout.flush()


def _waited(seconds: float) -> bool:
    """Let time pass; False, and at once, when whoever reads goes away: a pipe tells only those who write."""
    reader = select.poll()
    reader.register(sys.stdout.fileno(), 0)
    return not reader.poll(seconds * 1000)


@contextmanager
def _continued(back: Callable[[], None]) -> Iterator[None]:
    """Calls `back` when the process goes on after ctrl+z."""
    before = signal.signal(signal.SIGCONT, lambda *_: back())
    try:
        yield
    finally:
        signal.signal(signal.SIGCONT, before)
