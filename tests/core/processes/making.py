"""Readings of the processes of a command, and a run that is seen through them."""

from typing import Any

from tests.core.judging import T0, Judged
from trainwatch.core.ending import end_of as end_of_attempt
from trainwatch.core.model.observations import ProcessReading

KILL, TERM, INT, HUP, SEGV = 9, 15, 2, 1, 11
FAULT = "RuntimeError: CUDA error: an illegal memory access was encountered"
BY_HAND = "KeyboardInterrupt"


def living(at: float, *, began_at: float = T0, **more: Any) -> ProcessReading:
    usual = {"count": 9, "workers": 8, "zombies": 0, "cpu_s": 8 * (at - T0), "rss_bytes": 1}
    return ProcessReading(at=at, began_at=began_at, alive=True, **(usual | more))


def over(at: float, *, began_at: float = T0, **more: Any) -> ProcessReading:
    return ProcessReading(at=at, began_at=began_at, alive=False, count=0, zombies=0, **more)


def trained(last: int = 30) -> Judged:
    """A command that has completed some iterations."""
    run = Judged()
    return run.see(living(run.at)).train(1, last)


def seen_through(run: Judged, seconds: float, every_s: float = 15.0, **more: Any) -> Judged:
    """Readings now and then, and nothing else."""
    for _ in range(int(seconds / every_s)):
        run.wait(every_s)
        run.see(living(run.at, **more))
    return run


def end(run: Judged) -> str | None:
    return end_of_attempt(run.state.attempts[-1], moved=run.state.open is not None)
