"""Routes to targets and ledgers in memory, with a clock wound by hand."""

import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

import msgspec

from trainwatch.adapters.sync import look
from trainwatch.app.sources import EVERY
from trainwatch.app.syncing.needs import Means
from trainwatch.app.syncing.settings import SyncSettings
from trainwatch.app.syncing.source import Syncing
from trainwatch.app.syncing.turn import Route
from trainwatch.core.errors import LeaseHeld
from trainwatch.core.model.observations import SyncReading
from trainwatch.core.model.syncing import Answer, Ledger, Order, Outcome, Taken

NOW = time.time() + 3600.0  # everything on the disk has come to rest
MIN = 60.0


class MemoryTarget:
    """A target that does as a test says, and writes down what it was asked."""

    def __init__(self) -> None:
        self.outcome = Outcome(result="sent")
        self.answer: Answer | Outcome = Answer(arrived=True)
        self.orders = list[Order]()
        self.closed = False
        self.wait: Callable[[], object] = lambda: None

    def send(
        self,
        order: Order,
        deadline_s: float,
        begun: Callable[[tuple[Taken, ...]], Sequence[int]],
        beat: Callable[[], None] = lambda: None,
    ) -> Outcome:
        self.orders.append(order)
        begun(tuple(Taken(end=piece.end) for piece in order.pieces))
        self.wait()
        beat()
        return self.outcome

    def arrived(
        self, order: Order, deadline_s: float, beat: Callable[[], None] = lambda: None
    ) -> Answer | Outcome:
        self.orders.append(order)
        return self.answer

    def close(self) -> None:
        self.closed = True


class MemoryFiles:
    """A ledger in memory."""

    warning = ""

    def __init__(self, tmp_path: Path) -> None:
        self.spool = tmp_path / "spool"
        self.ledger: Ledger | None = None
        self.trouble: Exception | None = None
        self.written = list[Ledger]()

    def read(self) -> Ledger | None:
        return self.ledger

    def write(self, ledger: Ledger) -> None:
        if self.trouble is not None:
            raise self.trouble
        self.ledger = msgspec.json.decode(msgspec.json.encode(ledger), type=Ledger)
        self.written.append(ledger)

    @contextmanager
    def hold(self) -> Iterator[Callable[[], None]]:
        if isinstance(self.trouble, LeaseHeld):
            raise self.trouble
        yield lambda: None

    def clear_spool(self) -> None:
        self.spool = self.spool


class Rig:
    """A source over routes to memory, with a clock wound by hand."""

    def __init__(self, tmp_path: Path) -> None:
        self.tmp_path, self.now = tmp_path, NOW
        self.root = tmp_path / "run"
        self.root.mkdir()
        (self.root / "main_log.txt").write_text("a line\n")
        self.targets, self.files = dict[str, MemoryTarget](), dict[str, MemoryFiles]()
        self.source = self.begin("hub")

    def begin(self, *names: str, once: bool = False) -> Syncing:
        self.source = Syncing([self._route(name) for name in names], once=once)
        return self.source

    def _route(self, name: str) -> Route:
        settings = SyncSettings(
            name=name, root=str(self.root), what=("**",), to="hf://models/me/x", into="logs"
        )
        target = self.targets.setdefault(name, MemoryTarget())
        files = self.files.setdefault(name, MemoryFiles(self.tmp_path))
        token = iter(f"t{number}" for number in range(10_000)).__next__
        return Route(settings, Means(look, files, target, token, lambda: self.now, lambda: 0.5))

    def tick(self, minutes: float = 0.0) -> Mapping[str, Sequence[object]]:
        """A tick, once what is under way has ended; then one that hears of it."""
        self.now += minutes * MIN
        told = dict(self.source.tick(self.now))
        for one in self.source._routes:
            until = time.monotonic() + 10
            while one.probe.asked and not one.probe._done.is_set() and time.monotonic() < until:
                time.sleep(0.002)
        for run, seen in self.source.tick(self.now).items():
            told[run] = [*told.get(run, ()), *seen]
        return told

    def reading(self, minutes: float = 0.0) -> SyncReading:
        (seen,) = self.tick(minutes)[EVERY]
        assert isinstance(seen, SyncReading)
        return seen
