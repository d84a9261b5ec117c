"""What the rules cost: a log replayed with all of them on, and the rules of one tick.

The trap: this machine may be stopped at any moment, so pieces of some 20 ms are timed one by one; the
quietest tells what it costs, the median what was measured.
"""

import statistics
import time

from benchmarks.measure import Claim
from trainwatch.core.facts import Facts
from trainwatch.core.judge import Judge
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.observations import LogChunk
from trainwatch.core.model.state import RunState
from trainwatch.core.rules.settings import AlertSettings
from trainwatch.core.run import Reader
from trainwatch.simulate.bulk import DENSE, blocks
from trainwatch.simulate.scenarios import SCENARIOS

_LOG_BYTES = 48_000_000
_NOW = 1_790_000_040.0  # a point of the judge's grid of minutes
_LOOKS = 400


def claims() -> list[Claim]:
    """Iterations a second, and seconds a look."""
    log = list(blocks(SCENARIOS["healthy"], _LOG_BYTES, share=DENSE))
    judged, judge, state = _rates(log, judged=True)
    alone, _, _ = _rates(log, judged=False)
    best, median = max(judged), statistics.median(judged)
    measured = (
        f"{best:,.0f} iterations/s (median {median:,.0f}; without rules {max(alone):,.0f}, "
        f"{max(alone) / best:.1f} x)"
    )
    looks = _looks(judge, state)
    least, middle = min(looks) * 1e3, statistics.median(looks) * 1e3
    return [
        Claim("replay of a log with all rules on", measured, "> 50,000/s", best > 50_000),
        Claim(
            "the rules of a tick, of one run",
            f"{least:.2f} ms of CPU (median {middle:.2f} ms)",
            "< 2 ms",
            least < 2,
        ),
    ]


def _rates(log: list[bytes], *, judged: bool) -> tuple[list[float], Judge, RunState]:
    """Iterations a second of each block."""
    reader, judge, state = (
        Reader(Scanner()),
        Judge("run", AlertSettings(), Facts()),
        RunState(run="run"),
    )
    rates, offset = list[float](), 0
    for data in log:
        seen = LogChunk(at=_NOW, path="log", data=data, offset=offset, live=False)
        before, began = state.rows, time.process_time()
        steps = reader.steps(state, seen)
        for step in judge.see(seen, state, steps) if judged else steps:
            state = step.state
        took_s = time.process_time() - began
        offset += len(data)
        if state.rows > before and took_s > 0:
            rates.append((state.rows - before) / took_s)
    return rates, judge, state


def _looks(judge: Judge, state: RunState) -> list[float]:
    """Seconds of each look of all rules and the alert book."""
    times, now = list[float](), _NOW
    for _ in range(_LOOKS):
        now += 60.0
        judge.memory.due = now
        began = time.process_time()
        judge.pass_time(state, now)
        times.append(time.process_time() - began)
        if judge.memory.due == now:
            raise RuntimeError("nothing was judged")
    return times
