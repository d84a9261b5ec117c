"""python -m tests.fuzz: random keys, bytes, mouse, sizes and snapshots against the screens.

Each subject is fuzzed in a process of its own, so that memory is each one's own. A failure is written down
with its seed and its steps; `--replay FILE` takes them again.
"""

import argparse
import asyncio
import subprocess
import sys
from pathlib import Path

from tests.fuzz.play import Plan, play, replay
from trainwatch.app.durations import DURATION

SUBJECTS = ("run", "fleet", "terminal")


def main() -> int:
    """0: all lived with flat memory."""
    asked = _arguments()
    if asked.replay is not None:
        return asyncio.run(replay(asked.replay))
    if asked.what == "all":
        return _each(asked)
    for_s = DURATION.convert(asked.for_time, None, None)
    plan = Plan(asked.what, for_s, asked.seed, asked.session, asked.pause, asked.failures)
    return asyncio.run(play(plan))


def _arguments() -> argparse.Namespace:
    parser = argparse.ArgumentParser(prog="python -m tests.fuzz", description=__doc__)
    parser.add_argument("--for", dest="for_time", default="30s", help="1h, 10m, 30s (default)")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--what", choices=(*SUBJECTS, "all"), default="all")
    parser.add_argument("--session", type=int, default=0, help="begin with this one: it has failed")
    parser.add_argument("--pause", type=float, default=0.0, metavar="S", help="after each step")
    parser.add_argument("--failures", type=Path, default=Path(), help="folder for what failed")
    parser.add_argument("--replay", type=Path, metavar="FILE", help="the steps of a failure again")
    return parser.parse_args()


def _each(asked: argparse.Namespace) -> int:
    """All at the same time."""
    words = [sys.executable, "-m", "tests.fuzz", "--for", asked.for_time, "--seed", str(asked.seed)]
    words += ["--pause", str(asked.pause), "--failures", str(asked.failures)]
    begun = [subprocess.Popen([*words, "--what", what]) for what in SUBJECTS]
    return max([each.wait() for each in begun])


if __name__ == "__main__":
    sys.exit(main())
