"""What a tick of the daemon costs: with a line appended to a 1 GB log, and with nothing new.

The trap: CPU time of the whole process counts, as a helper thread does the reading.
"""

import statistics
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.long_run import line
from benchmarks.measure import Claim
from benchmarks.scan import MB, make
from trainwatch.app.config import Settings
from trainwatch.app.daemon import Daemon
from trainwatch.app.wire import Site
from trainwatch.simulate.bulk import REALISTIC

_SIZE = 1024 * MB
_APPENDED = 1024  # bytes
_TICKS, _QUIET_TICKS = 300, 3000
_STRETCH = 30  # ticks, with all the heartbeats that fall into them
_INTERVAL_S = 10.0
_MOST_BUSY_S, _MOST_QUIET_S = 5e-3, 0.5e-3


def claims() -> Iterator[Claim]:
    """A busy tick and a quiet one."""
    with tempfile.TemporaryDirectory() as folder:
        log = Path(folder) / "main_log.txt"
        make(log, _SIZE, REALISTIC)
        site = Site(Settings(), Path(folder) / "state")
        daemon = site.daemon([site.run_of(str(log))])
        now = time.time()
        while daemon.tick(now):
            pass
        yield from _measured(daemon, log, now)
        daemon.close()


def _measured(daemon: Daemon, log: Path, now: float) -> Iterator[Claim]:
    run = daemon.runs[0]
    before, busy = run.state.rows, []
    with log.open("ab", buffering=0) as file:
        for number in range(_TICKS):
            text = line(1_000_000 + number, 2_000_000).encode()
            file.write(b"x" * (_APPENDED - len(text) - 1) + b"\n" + text)
            now += _INTERVAL_S
            busy.append(_cpu_s(daemon, now))
    read = run.state.rows - before
    yield _claim("a tick with 1 KB appended to a 1 GB log", busy, _MOST_BUSY_S, read == _TICKS)
    quiet = [_cpu_s(daemon, now + _INTERVAL_S * number) for number in range(_QUIET_TICKS)]
    yield _claim("a tick with nothing new", quiet, _MOST_QUIET_S, read == _TICKS)


def _cpu_s(daemon: Daemon, now: float) -> float:
    began = time.process_time()
    daemon.tick(now)
    return time.process_time() - began


def _claim(what: str, times: list[float], most_s: float, sound: bool) -> Claim:
    """The quietest stretch counts, heartbeats included: what a busy machine adds is not the tick's."""
    stretches = [times[at : at + _STRETCH] for at in range(0, len(times), _STRETCH)]
    means = sorted(map(statistics.mean, stretches))
    least, median = means[0], statistics.median(means)
    measured = f"{least * 1e3:.2f} ms of CPU (median {median * 1e3:.2f} ms)"
    if not sound:
        measured = "the appended iterations were not all read"
    return Claim(what, measured, f"under {most_s * 1e3:g} ms", sound and least < most_s)
