"""How long it takes to start: with nothing to do, and on a 10 GB log that was read before."""

import statistics
import sys
import tempfile
from collections.abc import Iterator
from pathlib import Path

from benchmarks.long_run import line
from benchmarks.measure import TRAINWATCH, Claim, Usage, in_turn, median_wall_s, ratio, run

_SIZE = 10 * 1024**3
_LINES = 2000
_MOST_TIMES, _MOST_MORE_S = 8.0, 0.150
_RUNS = 15


def claims() -> Iterator[Claim]:
    """Cold imports and a warm start."""
    ours, python = in_turn(_version, lambda: run([sys.executable, "-c", "pass"]), _RUNS)
    times = ratio(ours, python)
    yield Claim(
        "trainwatch --version, against python -c pass",
        f"{times:.1f} x ({median_wall_s(ours) * 1e3:.0f} ms; {median_wall_s(python) * 1e3:.0f} ms)",
        f"under {_MOST_TIMES:g} x",
        times < _MOST_TIMES,
    )
    with tempfile.TemporaryDirectory() as folder:
        yield _warm(Path(folder))


def _warm(folder: Path) -> Claim:
    """Everything that `watch --once` does when nothing was appended, over `--version`."""
    log = folder / "main_log.txt"
    text = "".join(line(n, _LINES) for n in range(1, _LINES + 1)).encode()
    with log.open("wb") as file:
        file.write(text)
        file.seek(_SIZE - len(text))
        file.write(text)
    once = [*TRAINWATCH, "watch", "--once", "--state-dir", str(folder / "state"), str(log)]
    first = run(once)
    warm, version = in_turn(lambda: run(once), _version, _RUNS)
    pairs = zip(warm, version, strict=True)
    median_s = statistics.median(ours.wall_s - theirs.wall_s for ours, theirs in pairs)
    # What a busy machine adds is not the start's: the quickest of each counts.
    more_s = min(usage.wall_s for usage in warm) - min(usage.wall_s for usage in version)
    failed = first.code or any(usage.code for usage in warm)
    return Claim(
        "warm start on a 10 GB log, over --version",
        "a command failed"
        if failed
        else f"{more_s * 1e3:.0f} ms more (median {median_s * 1e3:.0f} ms)",
        f"under {_MOST_MORE_S * 1e3:g} ms more",
        not failed and more_s < _MOST_MORE_S,
    )


def _version() -> Usage:
    return run([*TRAINWATCH, "--version"])
