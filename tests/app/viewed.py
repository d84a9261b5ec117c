"""What the screen's source is asked for and hands out, and waiting until it does."""

import time
from collections.abc import Callable

from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.snapshot import Snapshot, Wanted
from trainwatch.core.model.status import Status

NOW = 1_773_277_380.0
WANTED = Wanted(columns=frozenset({"iteration", "loss"}), lines=20)
STATUS = Status(run="tr1", health="ok", reason="training", iteration=7, heartbeat_at=NOW - 1)


def iteration(number: int) -> str:
    return (
        f" iteration {number:8d}/    1000 | consumed samples: {number * 16:12d} | "
        f"elapsed time per iteration (ms): 2000.0 | learning rate: 1.000E-04 | "
        f"global batch size:    16 | lm loss: 2.500000E+00 | loss scale: 1.0 | grad norm: 1.000 | "
        f"number of skipped iterations:   0 | number of nan iterations:   0 |\n"
    )


def until(look: Callable[[], Snapshot], true: Callable[[Snapshot], bool]) -> Snapshot:
    """The first snapshot that is as expected; a thread works at it."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        seen = look()
        if true(seen):
            return seen
        time.sleep(0.01)
    raise AssertionError(f"never: {seen}")


ASKED = AlertRequest(at=NOW, ask="silence", rule="stall", until=4e9)
