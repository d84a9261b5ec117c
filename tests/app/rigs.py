"""A watched run on a log and a store that obey, with a clock wound by hand."""

from tests.fakes import MemoryLog, MemoryStore
from trainwatch.app.watched import Watched
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.observations import Observation

NOW = 1_790_000_000.0
SCANNER = Scanner()


def iteration(number: int, loss: str = "lm loss: 2.500000E+00 | ") -> bytes:
    return (
        f" iteration {number:8d}/    1000 | consumed samples: {number * 16:12d} | "
        f"elapsed time per iteration (ms): 2000.0 | learning rate: 1.000E-04 | "
        f"global batch size:    16 | {loss}loss scale: 1.0 | grad norm: 1.000 | "
        f"number of skipped iterations:   0 | number of nan iterations:   0 |\n"
    ).encode()


class Rig:
    """A watched run and what it stands on."""

    def __init__(self, store: MemoryStore | None = None) -> None:
        self.log, self.store = MemoryLog(), store or MemoryStore()
        self.recorded: list[Observation] = []
        self.run = self.open()

    def open(self) -> Watched:
        saved = self.store.load()
        if saved is not None:
            self.log.mark = saved.mark
        return Watched(
            "tr11",
            "main_log.txt",
            self.log,
            self.store,
            SCANNER,
            saved=saved,
            record=self.recorded.append,
        )

    def tick(self, now: float) -> None:
        while self.run.tick(now, heartbeat_s=30.0):
            pass
