"""Whole processes measured from outside: wall time, CPU time, peak memory, in turn with another command.

Machines drift, so a claim is a ratio of two commands that ran one after the other, several times over.
"""

import os
import statistics
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

TRAINWATCH = (sys.executable, "-m", "trainwatch")
# Python as its users have it: it keeps the bytecode of what it imports, and buffers what it prints.
# A terminal has the size that it was given, and not the one of who started us.
_NOT_PASSED_ON = ("PYTHONDONTWRITEBYTECODE", "PYTHONUNBUFFERED", "COLUMNS", "LINES")

# A process counts what the one that started it held as its own peak: so a small one starts it.
_MEASURE = """
import os, sys, time
null = os.open(os.devnull, os.O_RDWR)
actions = [(os.POSIX_SPAWN_DUP2, null, number) for number in (0, 1, 2)]
began = time.perf_counter()
pid = os.posix_spawnp(sys.argv[1], sys.argv[1:], os.environ, file_actions=actions)
_, status, used = os.wait4(pid, 0)
wall_s, cpu_s = time.perf_counter() - began, used.ru_utime + used.ru_stime
print(wall_s, cpu_s, used.ru_maxrss, os.waitstatus_to_exitcode(status))
"""


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
    """Run a command with its output thrown away. Raises CalledProcessError if it cannot be started."""
    small = [sys.executable, "-ISc", _MEASURE, *command]
    said = subprocess.run(small, stdout=subprocess.PIPE, env=environment(), text=True, check=True)
    wall_s, cpu_s, peak_kib, code = said.stdout.split()
    return Usage(float(wall_s), float(cpu_s), int(peak_kib) / 1024, int(code))


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


def held_mb(pid: int | str = "self") -> float:
    """The most memory that a process had. What `getrusage` says of a child began with its parent's."""
    lines = Path(f"/proc/{pid}/status").read_text().splitlines()
    return next(int(line.split()[1]) / 1024 for line in lines if line.startswith("VmHWM"))


def cpu_s(pid: int) -> float:
    """CPU time that a process took so far."""
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")


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
