"""A cold scan of a whole log, every field of it, against tools that look for one.

The trap: ours is a whole process with its imports, and reads with a second thread; CPU time is told, too.
"""

import shutil
import statistics
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from benchmarks.measure import TRAINWATCH, Claim, Usage, in_turn, median_wall_s, peak_mb, ratio, run
from trainwatch.simulate.bulk import DENSE, REALISTIC, blocks
from trainwatch.simulate.scenarios import SCENARIOS

MB = 1024 * 1024
SIZE = 256 * MB
LARGE = 4096 * MB
_MOST_MB = 80.0
_RUNS = 7
_SLOW_RUNS = 2  # of a tool that takes many seconds

_PERL = r"print $1 if /elapsed time per iteration \(s\): ([\d.]+)/"
_PYTHON = r"""
import re, sys
find = re.compile(r"elapsed time per iteration \(s\): ([\d.]+)").search
for line in open(sys.argv[1], errors="replace"):
    found = find(line)
    if found:
        print(found[1])
"""
_MTAIL = r"""
gauge step_time_s
/elapsed time per iteration \(s\): (?P<s>[\d.]+)/ {
  step_time_s = $s
}
"""


class Rival(NamedTuple):
    """Another way to look for one field in a log."""

    name: str
    command: Callable[[Path], Sequence[str]]
    at_least: dict[str, float | None]  # how many times as fast as it we are to be, per kind of log
    slow: bool = False


RIVALS = (
    Rival(
        "perl -lne, one field",
        lambda log: ["perl", "-lne", _PERL, str(log)],
        {"realistic": 1.0, "dense": 0.6},
    ),
    Rival(
        "a Python loop, one field",
        lambda log: [sys.executable, "-c", _PYTHON, str(log)],
        {"realistic": 1.0, "dense": 1.0},
    ),
    Rival(
        "mtail, one field",
        lambda log: ["mtail", "-one_shot", "-progs", str(log.parent / "progs"), "-logs", str(log)],
        {"realistic": 15.0, "dense": None},
        slow=True,
    ),
    Rival(
        "rg -c, lines only",
        lambda log: ["rg", "-c", "elapsed time per iteration", str(log)],
        {"realistic": None, "dense": None},
    ),
)


def claims() -> Iterator[Claim]:
    """Speed and memory of a scan."""
    with tempfile.TemporaryDirectory() as folder:
        progs = Path(folder) / "progs"
        progs.mkdir()
        (progs / "step_time.mtail").write_text(_MTAIL)
        for kind, share in (("realistic", REALISTIC), ("dense", DENSE)):
            log = Path(folder) / f"{kind}.log"
            make(log, SIZE, share)
            yield from _against(kind, log)
            log.unlink()
        log = Path(folder) / "large.log"
        make(log, LARGE, REALISTIC)
        yield _memory("peak memory, 4 GB log", [_ours(log)])


def make(log: Path, size: int, share: float) -> None:
    """A simulated log of so many bytes."""
    with log.open("wb") as file:
        file.writelines(blocks(SCENARIOS["demo"], size, share=share))


def _against(kind: str, log: Path) -> Iterator[Claim]:
    for rival in RIVALS:
        at_least = rival.at_least[kind]
        what = f"scan of 256 MB ({kind}), all fields, against {rival.name}"
        asked = f"at least {at_least:g} x" if at_least else ""
        command = rival.command(log)
        if shutil.which(command[0]) is None:
            yield Claim(what, f"{command[0]} is not installed here", asked, None)
            continue
        if not _finds(command):
            yield Claim(what, f"{command[0]} found nothing", asked, False)
            continue
        runs = (_SLOW_RUNS, 0) if rival.slow else (_RUNS, 1)
        theirs, ours = in_turn(lambda c=command: run(c), lambda: _ours(log), *runs)  # type: ignore[misc]
        if any(usage.code for usage in (*ours, *theirs)):
            yield Claim(what, "a command failed", asked, False)
            continue
        times = ratio(theirs, ours)
        cpu_s = statistics.median(usage.cpu_s for usage in ours)
        measured = (
            f"{times:.2f} x ({median_wall_s(ours):.2f} s, CPU {cpu_s:.2f} s; "
            f"{median_wall_s(theirs):.2f} s)"
        )
        yield Claim(what, measured, asked, times >= at_least if at_least else None)
    yield _memory(f"peak memory, 256 MB log ({kind})", ours)


def _finds(command: Sequence[str]) -> bool:
    """Whether it prints anything: one that looks for what is not there is fast for nothing."""
    said = subprocess.run(command, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=False)
    return bool(said.stdout)


def _ours(log: Path) -> Usage:
    return run([*TRAINWATCH, "report", str(log), "--format", "json", "--jobs", "1"])


def _memory(what: str, runs: Sequence[Usage]) -> Claim:
    peak = peak_mb(runs)
    return Claim(what, f"{peak:.0f} MB", f"under {_MOST_MB:g} MB", peak < _MOST_MB)
