"""The watcher beside a command: a daemon over one run, which ends when the command is over.

The trap: the end is judged last. Before it, all that the command wrote is read, also a line without an end.
"""

import threading
from collections.abc import Callable, Iterable, Sequence
from contextlib import AbstractContextManager
from pathlib import Path

from trainwatch.app import clock
from trainwatch.app.daemon import Daemon, Loop
from trainwatch.app.running.news import News
from trainwatch.app.running.source import Processes
from trainwatch.core.errors import LeaseHeld, StoreFull, StoreUnusable, TrainwatchError

Hints = Callable[[Sequence[Path], Callable[[], None]], AbstractContextManager[object]]
PATIENCE_S = 60.0  # for messages to people
_AGAIN_S = 10.0  # until a store that another holds, or that is full, is tried again


def watch(
    begin: Callable[[], Daemon],
    source: Processes,
    news: News,
    lines: Iterable[bytes],
    *,
    interval_s: float,
    say: Callable[[str], None],
    hints: Hints,
) -> None:
    """Watch until the command is over, and say how it ended. Raises what the daemon's ticks raise.

    `hints` calls what it is given when a log is written to.
    """
    ear = Ear(news, lines)
    daemon = _begun(begin, news, say)
    if daemon is None:
        return
    for each in daemon.runs:
        if each.warning:
            say(each.warning)
    loop = Loop(daemon, interval_s, lambda _: _heed_gone(source, loop))
    ear.heed = lambda: loop.stop_soon() if news.end is not None else loop.wake()
    loop.start()
    if news.end is not None:
        loop.stop_soon()
    loop.wake()  # what was there before is read by itself
    with hints([Path(run.log_path) for run in daemon.runs], loop.wake):
        loop.wait()
    loop.stop(last=lambda: _finish(daemon, source))
    if loop.error is not None:
        raise loop.error


class Ear:
    """Listens in a thread of its own."""

    def __init__(self, news: News, lines: Iterable[bytes]) -> None:
        self.heed: Callable[[], None] = lambda: None
        self._news, self._lines = news, lines
        threading.Thread(target=self._listen, daemon=True, name="news").start()

    def _listen(self) -> None:
        self._news.listen(self._lines, self._heed)

    def _heed(self) -> None:
        self.heed()  # as it is by then


def _begun(begin: Callable[[], Daemon], news: News, say: Callable[[str], None]) -> Daemon | None:
    """A daemon, as soon as there can be one; None if the command is over before."""
    told = ""
    while True:
        try:
            return begin()
        except (LeaseHeld, StoreFull, StoreUnusable) as error:
            told = _told_once(error, told, say)
        if news.wait(_AGAIN_S):
            return None


def _told_once(error: TrainwatchError, told: str, say: Callable[[str], None]) -> str:
    if str(error) != told:
        say(f"the command is not watched: {error}")
    return str(error)


def _heed_gone(source: Processes, loop: Loop) -> None:
    """Whoever ran the command was killed, and so were its processes: nobody will say that it is over."""
    if source.is_gone:
        loop.stop_soon()


def _finish(daemon: Daemon, source: Processes) -> None:
    now = clock.now()
    while daemon.tick(now):
        pass
    for run in daemon.runs:
        if run not in daemon.given_up:
            run.finish(now)
    source.end(now)
    daemon.tick(now)
    daemon.tell_out(clock.now(), PATIENCE_S)
