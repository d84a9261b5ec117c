"""From a run's store, or from memory, to the snapshot that the screen shows; watches where nobody does.

The trap: the screen's reader calls this from a thread of its own, and starting to watch may wait seconds
for a lease. So watching begins in another thread, and until then the screen shows what was kept.
"""

import threading
from collections.abc import Callable
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from trainwatch.app import clock, names
from trainwatch.app.accounting import Accounts
from trainwatch.app.comparing import Others
from trainwatch.app.daemon import Daemon, Loop
from trainwatch.core.beat import judged, judged_chain
from trainwatch.core.errors import LeaseHeld, TrainwatchError
from trainwatch.core.journal import Seen
from trainwatch.core.model.cron import CronStatus
from trainwatch.core.model.goodput import Hours
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.snapshot import (
    EMPTY,
    Configured,
    History,
    Page,
    Reading,
    Search,
    Snapshot,
    Wanted,
    Watching,
)
from trainwatch.core.model.status import Status

INTERVAL_S = 2.0  # between looks at the log
_BEHIND_BYTES = 4 * 1024 * 1024  # so much unread is worth a progress bar
_RETRY_S = 60.0  # between attempts to watch what a silent watcher holds
_SILENT_S = 100.0  # three heartbeats: whoever watched may be gone
_UNCOUNTED = "what is kept in memory only is not added up; trainwatch report --goodput does it"
_CRON_S = 5.0  # between looks at what the chain says
_HUSH_S = 0.06  # a key is painted within
_CLOSE_S = 5.0  # a tick that hangs may keep us from leaving this long


class View(Protocol):
    """What is kept of a run. Methods raise OSError."""

    def status(self) -> Status | None: ...

    def history(self, wanted: frozenset[str]) -> History: ...

    def journal(self) -> Seen: ...


class Pages(Protocol):
    """The log itself (adapters/logview.py)."""

    def size(self) -> int | None: ...

    def page(self, place: int | None, lines: int) -> Page: ...

    def find(self, wanted: Search, stop: Callable[[int], bool]) -> int | None: ...


class Kept(View, Protocol):
    """What is kept of a run in this process, where the watcher takes its requests, too."""

    def ask(self, request: AlertRequest) -> None: ...


class Watch(NamedTuple):
    """A daemon over one run, and where it keeps things if not in the run's store."""

    daemon: Daemon
    memory: Kept | None = None
    why_not_kept: str = ""


class Source:
    """One run, for the screen."""

    def __init__(
        self,
        name: str,
        log_path: str,
        view: View,
        log: Pages,
        begin: Callable[[], Watch],
        now: Callable[[], float],
        ask: Callable[[AlertRequest], None],
        cron: Callable[[], CronStatus | None] = lambda: None,
        add_up: Callable[[float], Hours] = lambda _: Hours(why=_UNCOUNTED),
        configured: Configured = Configured(),  # noqa: B008 - frozen
        others: Others | None = None,
    ) -> None:
        """`begin` starts watching; it raises LeaseHeld when another process watches.

        `ask` leaves a request for whoever watches the run's store. `cron` reads what the chain says,
        `add_up` where the hours went; that may take long, and is called in a thread of its own. `others`
        are the runs to compare with.
        """
        self._name, self._log_path = name, log_path
        self._view, self._log, self._configured = view, log, configured
        self._begin, self._now, self._ask = begin, now, ask
        self._chain, self._accounts = _Chain(cron), Accounts(add_up)
        self._others = others or Others()
        self._watching: Watching = "starting"
        self._why_not = ""
        self._tried_at = float("-inf")
        self._beginning: threading.Thread | None = (
            None  # one at a time: two would shut each other out
        )
        self._pace = _Pace()
        self._loop: Loop | None = None
        self._daemon: Daemon | None = None
        self._closed = threading.Event()
        self._hushed_until = 0.0
        self._last = EMPTY
        self._page_of: tuple[int | None, int, int | None] | None = None

    def read(self, wanted: Wanted) -> Snapshot:
        """The run now. Raises nothing; what cannot be read is the snapshot's trouble."""
        now = self._now()
        try:
            self._last = self._read(wanted, now)
        except OSError as error:
            trouble = f"{error.filename or self._name}: {error.strerror or error}"
            self._last = replace(self._last, taken_at=now, trouble=trouble)
        if wanted.watch:
            self._start_watching(now)
        return self._last

    def find(self, wanted: Search, stop: Callable[[int], bool]) -> int | None:
        """Where in the log the next match is. Raises OSError."""
        return self._log.find(wanted, stop)

    def ask(self, request: AlertRequest) -> None:
        """Leave a request for whoever watches, in the name of who looks. Raises OSError, StoreUnusable."""
        self._ask(replace(request, by=names.user()))
        loop = self._loop
        if loop is not None and self._watching in ("here", "memory"):
            loop.wake()

    def hush(self) -> None:
        """Somebody pressed a key: its paint goes first, and reading the log for a moment not on."""
        self._hushed_until = clock.elapsed() + _HUSH_S

    def close(self) -> None:
        """Stop watching."""
        self._closed.set()
        if self._beginning is not None:  # it would die with a traceback if Python ended under it
            self._beginning.join(_CLOSE_S)
        if self._loop is not None:
            ending = threading.Thread(target=self._loop.stop, daemon=True)
            ending.start()
            ending.join(_CLOSE_S)

    def _read(self, wanted: Wanted, now: float) -> Snapshot:
        # Before anything is read: what is shown is then at least as new as what is said of it.
        watching, why_not = self._watching, self._why_not
        seen, reading = self._view.journal(), self._pace.reading(self._daemon, now)
        history = self._view.history(wanted.columns)
        return Snapshot(
            taken_at=now,
            status=self._status(now, reading, watching),
            events=seen.events,
            alerts=seen.alerts,
            marks=seen.marks,
            history=history,
            page=self._page(wanted),
            reading=reading,
            watching=watching,
            trouble=why_not if watching in ("nobody", "memory") else "",
            cron=self._chain.look(now),
            configured=self._configured,
            hours=self._accounts.look(now, history.rows) if wanted.hours else None,
            other=self._others.look(wanted),
            others=self._others.known(now),
        )

    def _status(self, now: float, reading: Reading | None, watching: Watching) -> Status:
        status = self._view.status()
        if status is None:
            reason = "another trainwatch reads the log for the first time"
            if watching != "elsewhere":
                reason = "reading the log"
            return Status(run=self._name, health="unknown", reason=reason, log=self._log_path)
        if reading is not None:
            reason = "the log is being read: this is how it was further up"
        elif watching == "starting":
            reason = f"looking again (when last seen: {status.health}, {status.reason})"
        else:
            return judged(status, now)
        return replace(status, health="unknown", reason=reason, eta_s=None, eta_unknown=None)

    def _page(self, wanted: Wanted) -> Page:
        """The page, read again only when the log grew or another one is wanted; if none is, the last one."""
        if not wanted.lines:
            return self._last.page
        asked = (wanted.place, wanted.lines, self._log.size())
        if asked != self._page_of or self._last.page.trouble:
            self._page_of = asked
            return self._log.page(wanted.place, wanted.lines)
        return self._last.page

    def _start_watching(self, now: float) -> None:
        """Once, and again when the watcher elsewhere seems to be gone."""
        if self._loop is not None and self._loop.error is not None:
            held = isinstance(self._loop.error, LeaseHeld)
            self._watching, self._why_not = "elsewhere" if held else "nobody", str(self._loop.error)
            self._loop = self._daemon = None
        if self._loop is not None:
            self._loop.heed_clock()
        begins = self._beginning is not None and self._beginning.is_alive()
        if (
            self._closed.is_set()
            or begins
            or self._loop is not None
            or now - self._tried_at < _RETRY_S
        ):
            return
        heartbeat = self._last.status.heartbeat_at
        if self._watching == "elsewhere" and now - (heartbeat or now) <= _SILENT_S:
            return
        self._tried_at = now
        self._beginning = threading.Thread(target=self._watch, daemon=True, name="watch")
        self._beginning.start()

    def _watch(self) -> None:
        try:
            watch = self._begin()
        except LeaseHeld as error:
            self._watching, self._why_not = "elsewhere", str(error)
            return
        except TrainwatchError as error:
            self._watching, self._why_not = "nobody", str(error)
            return
        if self._closed.is_set():
            watch.daemon.close()
            return
        self._daemon, self._why_not = watch.daemon, watch.why_not_kept
        watch.daemon.between = self._rest
        self._loop = Loop(watch.daemon, INTERVAL_S, self._ticked, self._now)
        if watch.memory is not None:
            self._view, self._ask = watch.memory, watch.memory.ask
            self._accounts = Accounts(lambda _: Hours(why=_UNCOUNTED))
        self._loop.start()
        if self._closed.is_set():
            self._loop.stop()

    def _rest(self) -> None:
        """Between two blocks of the log. The trap: whoever holds a key down must not keep us from reading."""
        left_s = self._hushed_until - clock.elapsed()
        if left_s > 0:
            self._closed.wait(min(left_s, _HUSH_S))

    def _ticked(self, now: float) -> None:
        """A tick is done: from the first on, what is shown is of now."""
        self._watching = "memory" if self._why_not else "here"


class _Pace:
    """How fast a log is read."""

    def __init__(self) -> None:
        self._began: tuple[float, int] | None = None

    def reading(self, daemon: Daemon | None, now: float) -> Reading | None:
        """How far, how fast and how much longer; None when the log is read up to its end."""
        run = daemon.runs[0] if daemon and daemon.runs else None
        if run is None or run.size is None or run.size - run.read_to < _BEHIND_BYTES:
            self._began = None
            return None
        if self._began is None:
            self._began = (now, run.read_to)
        began_at, began_bytes = self._began
        took_s, took_bytes = now - began_at, run.read_to - began_bytes
        rate = took_bytes / took_s if took_s > 0 and took_bytes > 0 else None
        return Reading(
            done_bytes=run.read_to,
            size_bytes=run.size,
            bytes_per_s=rate,
            left_s=(run.size - run.read_to) / rate if rate else None,
        )


class _Chain:
    """What the chain says, read now and then, judged each time by how old it is."""

    def __init__(self, read: Callable[[], CronStatus | None]) -> None:
        self._read, self._read_at = read, float("-inf")
        self._last: CronStatus | None = None

    def look(self, now: float) -> CronStatus | None:
        """The chain as it is seen from outside; None where none was ever started."""
        if not 0 <= now - self._read_at < _CRON_S:
            self._read_at, self._last = now, self._read()
        return None if self._last is None else judged_chain(self._last, now)
