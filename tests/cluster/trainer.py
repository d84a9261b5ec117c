"""A training job for a real cluster: goes on from what `latest` names, saves, overshoots, and waits.

    python -m tests.cluster.trainer FOLDER SAVE_INTERVAL LAST_ITERATION

Its checkpoints are the simulator's (Megatron-DeepSpeed, both trackers), its lines those of that framework. It
ends once FOLDER/go is there.
"""

import sys
import time
from pathlib import Path

from trainwatch.simulate.flavours.table import FLAVOURS
from trainwatch.simulate.scenarios import SCENARIOS

_SCENARIO = SCENARIOS["healthy"]


def main(folder: Path, interval: int, last: int) -> None:
    """Train."""
    root = folder / "checkpoints"
    root.mkdir(exist_ok=True)
    tracker = root / "latest"
    begun = int(tracker.read_text().removeprefix("global_step")) if tracker.exists() else 0
    assert not begun or (root / f"global_step{begun}").is_dir(), (
        "what the tracker names is not there"
    )
    with (folder / "main_log.txt").open("a", buffering=1) as log:
        log.write(f"  save_interval ................................... {interval}\n")
        if begun:
            log.write(f" loading checkpoint from {root} at iteration {begun}\n")
            log.write(f"  successfully loaded checkpoint from {root} at iteration {begun}\n")
        for iteration in range(begun + 1, last + 1):
            log.write(_line(iteration))
            if iteration % interval == 0:
                log.write(f"saving checkpoint at iteration {iteration:7d} to {root}\n")
                _save(root, iteration)
                log.write(
                    f"  successfully saved checkpoint at iteration {iteration:7d} to {root}\n"
                )
        while not (folder / "go").exists():
            time.sleep(0.2)


def _save(root: Path, iteration: int) -> None:
    made = FLAVOURS["megatron-deepspeed"].checkpoint(_SCENARIO, iteration)
    (root / made.name).mkdir()
    for name in made.shards + made.closing:
        (root / made.name / name).write_bytes(name.encode().ljust(64, b"\0"))
    for name, holds in made.trackers:
        (root / name).write_text(holds)


def _line(iteration: int) -> str:
    return (
        f" iteration {iteration:8d}/  500000 | consumed samples: {16 * iteration:12d} | "
        "elapsed time per iteration (ms): 20.0 | learning rate: 1.000E-04 | global batch size:    16 | "
        "lm loss: 2.500000E+00 | loss scale: 1.0 | grad norm: 1.000 | number of skipped iterations:   0 | "
        "number of nan iterations:   0 |\n"
    )


if __name__ == "__main__":
    main(Path(sys.argv[1]), int(sys.argv[2]), int(sys.argv[3]))
