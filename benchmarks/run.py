"""How much a command is held up that writes through `trainwatch run`, against the same through `tee`.

The trap: it is the command that must not wait, so its own time is measured, from its first byte to its last.
The watcher reads the same log meanwhile; where there are two processors, four processes want them.
"""

import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path

from benchmarks.measure import (
    TRAINWATCH,
    Claim,
    Usage,
    environment,
    in_turn,
    median_wall_s,
    ratio,
)
from trainwatch.simulate.bulk import REALISTIC, blocks
from trainwatch.simulate.scenarios import SCENARIOS

MB = 1024 * 1024
SIZE = 1024 * MB
_RUNS = 3

_WRITER = """
import os, sys, time
began = time.perf_counter()
with open(sys.argv[1], "rb") as file:
    while data := file.read(65536):
        left = memoryview(data)
        while left:
            left = left[os.write(1, left):]
with open(sys.argv[2], "w") as file:
    file.write(str(time.perf_counter() - began))
"""
_ECHO = """
import sys, time
began = time.perf_counter()
for number in range(int(sys.argv[1])):
    print(number, flush=True)
with open(sys.argv[2], "w") as file:
    file.write(str(time.perf_counter() - began))
"""
LINES = 200_000


def claims() -> Iterator[Claim]:
    """A log of many blocks, and one of single lines that are flushed."""
    with tempfile.TemporaryDirectory() as folder:
        place = Path(folder)
        source = place / "source.log"
        with source.open("wb") as file:
            file.writelines(blocks(SCENARIOS["demo"], SIZE, share=REALISTIC))
        yield _claim(place, f"a command writes {SIZE // MB:,} MB of log", _WRITER, str(source), 3.0)
        yield _claim(place, f"a command prints and flushes {LINES:,} lines", _ECHO, str(LINES), 1.5)


def _claim(place: Path, what: str, program: str, argument: str, most_times: float) -> Claim:
    took, log = place / "took", place / "run.log"
    writer = [sys.executable, "-c", program, argument, str(took)]
    state = ["--state-dir", str(place / "state"), "--log", str(log)]

    def ours() -> Usage:
        return _timed([*TRAINWATCH, "run", *state, "--", *writer], took, log)

    def theirs() -> Usage:
        piped = ["sh", "-c", '"$@" | tee "$0"', str(log), *writer]
        return _timed(piped, took, log)

    runs = in_turn(ours, theirs, _RUNS)
    times = ratio(*runs)
    medians = [median_wall_s(each) for each in runs]
    return Claim(
        f"{what}, through us, against | tee",
        f"{times:.2f} x ({medians[0]:.2f} s; {medians[1]:.2f} s)",
        f"under {most_times:g} x",
        times < most_times,
    )


def _timed(command: Sequence[str], took: Path, log: Path) -> Usage:
    """The command's own time. Raises CalledProcessError where it fails."""
    log.unlink(missing_ok=True)
    quiet = subprocess.DEVNULL
    subprocess.run(command, stdout=quiet, stderr=quiet, env=environment(), check=True)
    return Usage(float(took.read_text()), 0.0, 0.0, 0)
