"""Threads that calls borrow: whoever is idle takes the next one, and where nobody is another begins.

The trap: a call that hangs keeps its thread, and no other call may wait for it. So calls never queue up, and
there are as many threads as calls were under way at once: one, while 500 logs are looked at in turn.
"""

import os
import threading
from collections.abc import Callable
from queue import SimpleQueue

_MOST_IDLE = 8  # threads that wait for a call; more end
_Call = Callable[[], Callable[[], None]]


class Crew:
    """Does calls, each in a daemon thread."""

    def __init__(self) -> None:
        """Nobody yet."""
        self.begin_anew()

    def begin_anew(self) -> None:
        """Forget who was there: a process that was forked off has none of the threads."""
        self._idle = list[SimpleQueue[_Call]]()
        self._lock = threading.Lock()

    def do(self, call: _Call) -> None:
        """Begin a call. What it returns is called in the same thread, which by then may be lent again.

        Neither may raise.
        """
        with self._lock:
            idle = self._idle.pop() if self._idle else None
        if idle is None:
            idle = SimpleQueue()
            work = threading.Thread(target=self._work, args=(idle,), daemon=True, name="crew")
            work.start()
        idle.put(call)

    def _work(self, calls: "SimpleQueue[_Call]") -> None:
        stays = True
        while stays:
            tell = calls.get()()
            with self._lock:
                stays = len(self._idle) < _MOST_IDLE
                if stays:
                    self._idle.append(calls)
            tell()
            del tell  # and all that it holds: the next call may be long in coming


CREW = Crew()  # of this process
os.register_at_fork(after_in_child=CREW.begin_anew)
