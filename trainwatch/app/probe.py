"""Looking at the world from a thread of its own, so that a look that hangs can be given up on.

A hung `read` on a network filesystem cannot be interrupted. The tick waits for a deadline, says that
it does not know, and asks again next time; the hanging call keeps its one thread.
"""

import threading
from collections.abc import Callable
from typing import Generic, TypeVar

T = TypeVar("T")


class Probe(Generic[T]):
    """Calls one function, one call at a time, in a daemon thread that is started when needed."""

    def __init__(self, look: Callable[[], T]) -> None:
        self._look = look
        self._wanted = threading.Event()
        self._done = threading.Event()
        self._closed = False
        self._answer: T | None = None
        self._error: BaseException | None = None
        self._thread: threading.Thread | None = None
        self.asked = False

    def ask(self) -> None:
        """Start a call, unless one is under way."""
        if self.asked:
            return
        self.asked = True
        self._done.clear()
        if self._thread is None:
            self._thread = threading.Thread(target=self._serve, daemon=True, name="probe")
            self._thread.start()
        self._wanted.set()

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
        """Let the thread end."""
        self._closed = True
        self._wanted.set()

    def _serve(self) -> None:
        while True:
            self._wanted.wait()
            self._wanted.clear()
            if self._closed:
                return
            try:
                self._answer = self._look()
            except BaseException as error:  # noqa: BLE001 - it is raised where the answer is taken
                self._error = error
            self._done.set()
