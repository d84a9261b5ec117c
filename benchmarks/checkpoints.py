"""What checkpoints cost: a plan over 10,000 of them, and a first look at a root of a million files.

The trap: the rate of the look is ours to hold, so its time is what the rate says; what is measured is that
it is held, and the memory.
"""

import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

from benchmarks.measure import Claim, environment, held_mb
from trainwatch.core import retention
from trainwatch.core.checkpoints import layouts, survey, trackers
from trainwatch.core.checkpoints.contents import Adding, Contents
from trainwatch.core.checkpoints.survey import Survey
from trainwatch.core.model.policies import Policy
from trainwatch.core.retention import Pinned, Safe

PLANNED, FILES_EACH = 10_000, 1000
_NOW, _STEP_S = 1_800_000_000.0, 600.0
_TIMES = 5  # this machine may be stopped at any moment: the quietest tells what it costs
_MOST_PLAN_S, _MOST_MB = 0.2, 100.0
_RATE = 20_000.0


def claims(checkpoints: int = 1000) -> Iterator[Claim]:
    """CPU time of a plan; peak memory, and the rate, of a look."""
    seen = _many()
    policy = Policy(last=15, every=1000, every_closest=500, newer_h=48)
    pinned = Pinned(backups=(Safe(place="elsewhere", wanted=Policy(last=2, every=1000)),))
    took_s = min(_plan_s(seen, policy, pinned) for _ in range(_TIMES))
    yield Claim(
        f"a plan over {PLANNED:,} checkpoints",
        f"{took_s * 1000:.0f} ms of CPU",
        f"under {_MOST_PLAN_S * 1000:.0f} ms",
        took_s < _MOST_PLAN_S,
    )
    with tempfile.TemporaryDirectory() as folder:
        files = _write(Path(folder), checkpoints)
        command = [sys.executable, "-m", "benchmarks.checkpoints", folder]
        answer = subprocess.check_output(command, env=environment(), text=True)
    peak_mb, rate = map(float, answer.split())
    yield Claim(
        f"a first look at {files:,} files in {checkpoints:,} checkpoints, at most {_RATE:,.0f} a second",
        f"peak {peak_mb:.0f} MB, {rate:,.0f} files a second",
        f"under {_MOST_MB:g} MB, and no faster than allowed",
        peak_mb < _MOST_MB and rate <= 1.02 * _RATE,
    )


def look(root: Path) -> str:
    """The peak of this process in MB, and files a second."""
    from trainwatch.adapters.checkpoints.listing import Lister

    began = time.monotonic()
    seen = Lister(root, _RATE, time.monotonic, time.sleep).look(time.time())
    took_s = time.monotonic() - began
    files = sum(one.contents.files for one in seen.found)
    return f"{held_mb()} {files / took_s}"


def _plan_s(seen: Survey, policy: Policy, pinned: Pinned) -> float:
    began = time.process_time()
    made = retention.plan("/root", seen, policy, pinned)
    took_s = time.process_time() - began
    assert len(made.keep) + len(made.remove) == PLANNED
    assert made.remove
    return took_s


def _many() -> Survey:
    there = []
    for n in range(1, PLANNED + 1):
        one = layouts.named(f"global_step{n * 10}")
        assert one is not None
        there.append((one, _contents(n * 10, _NOW - (2 * PLANNED - n) * _STEP_S)))
    latest = trackers.read("latest", f"global_step{PLANNED * 10}".encode())
    return survey.survey(there, {"latest": latest}, _NOW)


def _contents(iteration: int, at: float) -> Contents:
    adding = Adding(iteration)
    adding.take("mp_rank_00_model_states.pt", 1000, at, at)
    return adding.done()


def _write(root: Path, checkpoints: int) -> int:
    for n in range(1, checkpoints + 1):
        folder = root / f"global_step{n}"
        folder.mkdir()
        for shard in range(FILES_EACH):
            (folder / f"zero_pp_rank_{shard}_mp_rank_00_optim_states.pt").touch()
    (root / "latest").write_text(f"global_step{checkpoints}")
    return checkpoints * FILES_EACH


if __name__ == "__main__":
    print(look(Path(sys.argv[1])))
