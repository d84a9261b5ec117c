"""A bounded rate of calls to a filesystem whose metadata servers are shared, or of bytes through a network.

The trap: after a pause of its own a process must not make up for lost time in one burst.
"""

from collections.abc import Callable

_LEAST_S = 0.02  # shorter sleeps cost more than they hold back


class Pace:
    """At most so many calls (or bytes) a second. `now` is a monotonic clock in s, `pause` sleeps."""

    def __init__(
        self, per_s: float, now: Callable[[], float], pause: Callable[[float], None]
    ) -> None:
        self._gap_s, self._now, self._pause = 1 / per_s, now, pause
        self._due = now()

    def step(self, count: int = 1) -> None:
        """Wait until the next call may be made; or so many bytes may be moved."""
        now = self._now()
        self._due = max(self._due + count * self._gap_s, now)
        if self._due - now >= _LEAST_S:
            self._pause(self._due - now)
