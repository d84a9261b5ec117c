"""Memory of the daemon on a run with 1,000,000 iterations of history, while the run goes on."""

import signal
import subprocess
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.long_run import ROWS, line, prepare
from benchmarks.measure import TRAINWATCH, Claim, environment, held_mb
from trainwatch.adapters.store import StoreReader
from trainwatch.app.config import Settings
from trainwatch.app.wire import Site

_MOST_MB = 64.0
_MORE = 2000  # iterations that are appended, in so many parts
_PARTS = 10
_DEADLINE_S = 60.0


def claims() -> Iterator[Claim]:
    """The peak, from the start until it read what was appended."""
    what = "memory of `watch` on a run of 1,000,000 iterations"
    with tempfile.TemporaryDirectory() as folder:
        log, state_dir = Path(folder) / "main_log.txt", Path(folder) / "state"
        prepare(log, state_dir)
        (config := Path(folder) / "config.toml").write_text("poll_interval_s = 0.5\n")
        options = ["--config", str(config), "--state-dir", str(state_dir)]
        process = subprocess.Popen(
            [*TRAINWATCH, "watch", *options, str(log)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            env=environment(),
        )
        site = Site(Settings(), state_dir)
        try:
            peak_mb = _grow(process.pid, log, site.reader(site.run_of(str(log))))
        finally:
            process.send_signal(signal.SIGTERM)
            process.wait(30)
    measured = "it did not read what was appended" if peak_mb is None else f"{peak_mb:.0f} MB"
    holds = peak_mb is not None and peak_mb < _MOST_MB
    yield Claim(what, measured, f"under {_MOST_MB:g} MB", holds)


def _grow(pid: int, log: Path, store: StoreReader) -> float | None:
    """Peak memory in MB, once the daemon has read the run's last iteration; None if it never does."""
    step = _MORE // _PARTS
    for first in range(ROWS + 1, ROWS + _MORE, step):
        with log.open("a") as file:
            file.writelines(line(n, ROWS) for n in range(first, first + step))
        if not _reached(store, first + step - 1):
            return None
    return held_mb(pid)


def _reached(store: StoreReader, iteration: int) -> bool:
    end = time.monotonic() + _DEADLINE_S
    while time.monotonic() < end:
        status = store.status()
        if status is not None and status.iteration == iteration:
            return True
        time.sleep(0.1)
    return False
