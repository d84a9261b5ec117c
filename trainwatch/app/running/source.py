"""The processes of a command, as one more source of observations (app/sources.py)."""

from collections.abc import Callable, Mapping, Sequence

from msgspec.structs import replace

from trainwatch.app.config import RunSettings
from trainwatch.app.running.news import End, News
from trainwatch.core.model.observations import Observation, ProcessReading

_LEAST_S = 1.0  # between looks


class Processes:
    """Looks at them now and then. How the main process ended, only its parent can say (`news`)."""

    def __init__(
        self, run: str, look: Callable[[float], ProcessReading], news: News, *, every_s: float
    ) -> None:
        self._run, self._look, self._news = run, look, news
        self._every_s = max(every_s, _LEAST_S)
        self._looked_at = float("-inf")
        self._ended: ProcessReading | None = None
        self.is_gone = False  # nobody is left, and nobody said how they ended

    def end(self, now: float) -> None:
        """The command is over: the next tick says so."""
        seen = replace(self._look(now), alive=False, state="ok", why="")
        self._ended = _with(seen, self._news.end)

    def tick(self, now: float) -> Mapping[str, Sequence[Observation]]:
        """See Source."""
        if self._ended is not None:
            seen, self._ended = self._ended, None
            self._looked_at = float("inf")
            return {self._run: [seen]}
        if 0 <= now - self._looked_at < self._every_s or self._looked_at == float("inf"):
            return {}
        self._looked_at = now
        seen = self._look(now)
        if seen.alive is False:
            self.is_gone = True
            return {}  # `end` says it, when the log is read to its end
        return {self._run: [_with(seen, self._news.main)]}

    def add(self, run: RunSettings) -> None:
        """See Source: a command is of one run."""

    def remarks(self, run: str) -> Sequence[str]:
        """See Source."""
        return ()

    def troubles(self, run: str) -> Mapping[str, str]:
        """See Source."""
        return {}

    def finish(self, now: float, patience_s: float) -> None:
        """See Source."""

    def close(self) -> None:
        """See Source."""


def _with(seen: ProcessReading, end: End | None) -> ProcessReading:
    """With how the main process ended, if it did."""
    if end is None:
        return seen
    return replace(seen, exit_code=end.exit_code, signal=end.signal, asked=end.asked)
