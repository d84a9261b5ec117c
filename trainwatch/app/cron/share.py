"""Which runs a job of the chain watches: its own share, and those that nobody watches any more.

The trap: a run whose watcher is busy must not be taken for lost. It is tried only when its store has had no
heartbeat for minutes, and then the store's lease decides.
"""

from collections.abc import Container, Iterable, Sequence
from typing import NamedTuple, Protocol

from trainwatch.app.config import RunSettings
from trainwatch.app.watched import Watched
from trainwatch.core.chain import share_of
from trainwatch.core.errors import TrainwatchError

LOST_S = (
    240.0  # without a heartbeat of its store for so long a run of another shard is taken for lost
)
_EVERY_S = 60.0
_MOST_TRIED = 20  # a look: each asks a network filesystem for a lease


class Runs(Protocol):
    """The runs of the configuration, as app/wire.py finds them now."""

    def runs(self) -> Sequence[RunSettings]:
        """A run for each log that matches. Raises UsageError."""
        ...

    def key(self, run: RunSettings) -> str:
        """What a run is told apart by: the name of its store's folder."""
        ...

    def heartbeat(self, run: RunSettings) -> float | None:
        """When its watcher last wrote; None if there is no telling."""
        ...

    def watch(self, run: RunSettings) -> Watched:
        """Watch it from now on. Raises LeaseHeld, StoreFull, StoreUnusable."""
        ...


class Found(NamedTuple):
    """A run that is ours to watch from now on."""

    settings: RunSettings
    watched: Watched


class Share:
    """Shard `index` of `shards`."""

    def __init__(self, runs: Runs, index: int, shards: int, began_at: float, lost_s: float) -> None:
        """`began_at`: since when we watch; a run that nobody ever watched is lost `lost_s` later."""
        self._runs, self._index, self.shards = runs, index, shards
        self._began_at, self._lost_s = began_at, lost_s
        self._looked_at = float("-inf")
        self._next = 0
        self._have = dict[str, Watched]()  # by key
        self.left = dict[str, str]()  # by run: why it is not watched by us
        self.taken = set[str]()  # names of another shard's runs

    def first(self) -> list[Found]:
        """All of our own share that can be had. Raises UsageError where no run is configured."""
        return self._take(run for run in self._runs.runs() if self._is_ours(run))

    def renewed(self, runs: Runs, now: float, lost_s: float) -> "Share":
        """The same share of these runs, with those of them that we have; who is lost is seen anew."""
        share = Share(runs, self._index, self.shards, now, lost_s)
        keys = {runs.key(run) for run in runs.runs()}
        share._have = {key: run for key, run in self._have.items() if key in keys}
        share.taken = self.taken & {run.name for run in share._have.values()}
        return share

    def more(self, now: float, lost: Container[Watched] = ()) -> list[Found]:
        """Each minute: runs that came since, that are free again, or whose shard is lost. Raises nothing.

        `lost`: those that we had and that another process took.
        """
        if 0 <= now - self._looked_at < _EVERY_S:
            return []
        self._looked_at = now
        self._have = {key: run for key, run in self._have.items() if run not in lost}
        try:
            missing = [run for run in self._runs.runs() if self._runs.key(run) not in self._have]
        except TrainwatchError:
            return []
        due = [run for run in missing if self._is_ours(run) or self._is_lost(run, now)]
        self._next = self._next if self._next < len(due) else 0
        tried = due[self._next : self._next + _MOST_TRIED]
        self._next += _MOST_TRIED
        return self._take(tried)

    def elsewhere(self) -> dict[str, float | None]:
        """The runs that others ought to watch, and when their watchers last wrote. Raises nothing."""
        try:
            runs = [run for run in self._runs.runs() if self._runs.key(run) not in self._have]
        except TrainwatchError:
            return {}
        return {run.name or run.log: self._runs.heartbeat(run) for run in runs}

    def _take(self, runs: Iterable[RunSettings]) -> list[Found]:
        found = []
        for run in runs:
            name = run.name or run.log
            try:
                watched = self._runs.watch(run)
            except TrainwatchError as error:
                self.left[name] = str(error)
                continue
            found.append(Found(run, watched))
            self._have[self._runs.key(run)] = watched
            self.left.pop(name, None)
            if not self._is_ours(run):
                self.taken.add(name)
        return found

    def _is_ours(self, run: RunSettings) -> bool:
        return share_of(self._runs.key(run), self.shards) == self._index

    def _is_lost(self, run: RunSettings, now: float) -> bool:
        beat = self._runs.heartbeat(run)
        since = self._began_at if beat is None else max(beat, self._began_at)
        return now - since >= self._lost_s
