"""python -m benchmarks [PART ...] [--markdown FILE]: every claim, measured; exit code 1 if one is missed."""

import argparse
import sys
from collections.abc import Callable, Iterable, Sequence
from pathlib import Path

from benchmarks import (
    checkpoints,
    daemon,
    fleet,
    judge,
    keys,
    logview,
    many,
    queue,
    run,
    scan,
    start,
    sync,
    tick,
    tui,
)
from benchmarks.measure import Claim, machine

PARTS: dict[str, Callable[[], Iterable[Claim]]] = {
    "start": start.claims,
    "scan": scan.claims,
    "tick": tick.claims,
    "daemon": daemon.claims,
    "many": many.claims,
    "judge": judge.claims,
    "queue": queue.claims,
    "run": run.claims,
    "checkpoints": checkpoints.claims,
    "sync": sync.claims,
    "tui": tui.claims,
    "keys": keys.claims,
    "fleet": fleet.claims,
    "logview": logview.claims,
}
_SIGNS = {True: "ok", False: "MISSED", None: "-"}


def main(words: Sequence[str] | None = None) -> int:
    """Measure what is asked for, and print a line a claim as soon as it is known."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks", description=__doc__)
    parser.add_argument("parts", nargs="*", metavar="PART", help=", ".join(PARTS))
    parser.add_argument("--markdown", type=Path, help="write the table to this file, too")
    arguments = parser.parse_args(words)
    if unknown := [part for part in arguments.parts if part not in PARTS]:
        parser.error(f"no such part: {', '.join(unknown)}; there are {', '.join(PARTS)}")
    print(machine())
    found = []
    for part in arguments.parts or PARTS:
        for claim in PARTS[part]():
            found.append(claim)
            sign = _SIGNS[claim.holds]
            print(f"{sign:<7}{claim.what:<80}{claim.measured:<48}{claim.asked}", flush=True)
    if arguments.markdown:
        arguments.markdown.write_text(_markdown(found))
    return int(any(claim.holds is False for claim in found))


def _markdown(found: Iterable[Claim]) -> str:
    rows = [f"| {claim.what} | {claim.measured} | {claim.asked} |" for claim in found]
    return "\n".join(("| what | measured | asked for |", "|---|---|---|", *rows)) + "\n"


if __name__ == "__main__":
    sys.exit(main())
