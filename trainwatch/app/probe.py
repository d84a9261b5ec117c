"""Looking at the world from another thread, so that a look that hangs can be given up on.

A hung `read` on a network filesystem cannot be interrupted. The tick waits for a deadline, says that
it does not know, and asks again next time; the hanging call keeps its one thread.
"""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

from trainwatch.app.crew import CREW, Crew

T = TypeVar("T")


class Probe(Generic[T]):
    """Calls one function, one call at a time, in a thread that is borrowed for each call."""

    def __init__(self, look: Callable[[], T], crew: Crew = CREW) -> None:
        self._look, self._crew = look, crew
        self._done = threading.Event()
        self._closed = False
        self._answer: T | None = None
        self._error: BaseException | None = None
        self.asked = False

    def ask(self) -> None:
        """Start a call, unless one is under way."""
        if self.asked:
            return
        self.asked = True
        self._done.clear()
        self._crew.do(self._call)

    def answer(self, deadline_s: float) -> T | None:
        """The answer of the call under way, or None if it hangs beyond the deadline.

        Raises what the call raised.
        """
        self.ask()
        if not self._done.wait(deadline_s):
            return None
        self.asked = False
        answer, error = self._answer, self._error
        self._answer = self._error = None
        if error is not None:
            raise error
        return answer

    def close(self) -> None:
        """Let go. A call under way goes on, and nobody hears of it; one that has not begun does not."""
        self._closed = True

    def _call(self) -> Callable[[], None]:
        try:
            self._answer = None if self._closed else self._look()
        except BaseException as error:  # noqa: BLE001 - it is raised where the answer is taken
            self._error = error
        return self._done.set
