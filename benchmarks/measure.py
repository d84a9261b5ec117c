"""Whole processes measured from outside: wall time, CPU time, peak memory, in turn with another command.

Machines drift, so a claim is a ratio of two commands that ran one after the other, several times over.
"""

import os
import statistics
import subprocess
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

TRAINWATCH = (sys.executable, "-m", "trainwatch")
# Python as its users have it: it keeps the bytecode of what it imports, and buffers what it prints.
_NOT_PASSED_ON = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED")


class Usage(NamedTuple):
    """What one run of a command took."""

    wall_s: float
    cpu_s: float
    peak_mb: float
    code: int


class Claim(NamedTuple):
    """One line of the table: what was measured, what came out, what is asked for, whether it holds."""

    what: str
    measured: str
    asked: str
    holds: bool | None  # None: could not be measured here


def environment() -> dict[str, str]:
    """What a measured program finds in its environment."""
    return {name: value for name, value in os.environ.items() if name not in _NOT_PASSED_ON}


def run(command: Sequence[str]) -> Usage:
    """Run a command with its output thrown away."""
    began = time.perf_counter()
    process = subprocess.Popen(
        command,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        env=environment(),
    )
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return Usage(
        time.perf_counter() - began,
        usage.ru_utime + usage.ru_stime,
        usage.ru_maxrss / 1024,
        process.returncode,
    )


def in_turn(
    ours: Callable[[], Usage], theirs: Callable[[], Usage], runs: int = 5, warm: int = 1
) -> tuple[list[Usage], list[Usage]]:
    """Both commands, A B A B ..., after `warm` runs of each that do not count."""
    for _ in range(warm):
        ours(), theirs()
    pairs = [(ours(), theirs()) for _ in range(runs)]
    return [pair[0] for pair in pairs], [pair[1] for pair in pairs]


def median_wall_s(runs: Sequence[Usage]) -> float:
    """The median of the wall times."""
    return statistics.median(run.wall_s for run in runs)


def ratio(slower: Sequence[Usage], faster: Sequence[Usage]) -> float:
    """How many times faster the second is: the median of the pairs."""
    return statistics.median(a.wall_s / b.wall_s for a, b in zip(slower, faster, strict=True))


def peak_mb(runs: Sequence[Usage]) -> float:
    """The largest peak."""
    return max(run.peak_mb for run in runs)


def machine() -> str:
    """What it was measured on."""
    model = "unknown processor"
    for line in Path("/proc/cpuinfo").read_text().splitlines():
        if line.startswith("model name"):
            model = line.partition(":")[2].strip()
            break
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES") / 2**30
    return (
        f"{os.cpu_count()} cores of {model}, {memory:.0f} GiB, Linux {os.uname().release}, "
        f"Python {sys.version.split()[0]}"
    )
