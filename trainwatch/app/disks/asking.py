"""A question to the world that is asked again and again: in a thread of its own, less often while it fails.

The trap: a question that hangs is not asked a second time. It is said to hang, and its answer is taken
whenever it comes.
"""

from collections.abc import Callable
from typing import Generic, TypeVar

from trainwatch.app.probe import Probe
from trainwatch.core.errors import TrainwatchError

T = TypeVar("T")

_LONGEST_GAP_S = 3600.0  # between questions, however often they failed
_MOST_DOUBLED = 10


class Question(Generic[T]):
    """One question. `look` is called with the time at which it is asked, and raises TrainwatchError."""

    def __init__(
        self, look: Callable[[float], T], interval_s: float, deadline_s: float, hangs: str
    ) -> None:
        """`hangs`: what is said when there is no answer within the deadline."""
        self._asked_at = float("-inf")
        self._probe = Probe(lambda: look(self._asked_at))
        self._interval_s, self._deadline_s, self._hangs = interval_s, deadline_s, hangs
        self._failed = 0
        self.answer: T | None = None
        self.answers = 0  # how many there were
        self.trouble = ""  # why there is none, in a sentence

    def begin(self, now: float) -> None:
        """Ask if it is time to."""
        if self._probe.asked or 0 <= now - self._asked_at < self._gap_s():
            return
        self._asked_at = now
        self._probe.ask()

    def take(self, now: float, patience_s: float = 0.0, *, last: bool = False) -> None:
        """Wait so long for an answer that is under way. `last`: nobody looks again. Raises nothing."""
        if not self._probe.asked:
            return
        try:
            answer = self._probe.answer(patience_s)
        except TrainwatchError as error:
            self._fail(str(error))
        except Exception as error:  # noqa: BLE001 - a bug in asking must not end the watch of the logs
            self._fail(f"asking failed with {type(error).__name__}: {error}")
        else:
            if answer is not None:
                self.answer, self.trouble, self._failed = answer, "", 0
                self.answers += 1
            elif last or not 0 <= now - self._asked_at < self._deadline_s:
                self.trouble = self._hangs

    def close(self) -> None:
        """Let go of the thread, unless it hangs."""
        self._probe.close()

    def _fail(self, why: str) -> None:
        self.trouble = why
        self._failed += 1

    def _gap_s(self) -> float:
        longer = self._interval_s * float(1 << min(self._failed, _MOST_DOUBLED))
        return min(longer, max(_LONGEST_GAP_S, self._interval_s))
