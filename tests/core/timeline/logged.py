"""Lines of a log as several programs print them, and what a run made of them."""

from tests.core.folding import Run
from tests.core.logs.making import iteration
from trainwatch.core import tally

DUMP = [
    "using world size: 16, data-parallel-size: 1, tensor-model-parallel size: 4, "
    "pipeline-model-parallel size: 4",
    "------------------------ arguments ------------------------",
    "  log_interval .................................... 1",
    "  train_iters ..................................... 1000",
    "-------------------- end of arguments ---------------------",
]


def trained(first: int, last: int, loss: float = 2.0, prefix: str = " ") -> list[str]:
    """Iterations `first` to `last`, each with a loss of its own."""
    return [
        iteration(n, loss=f"{loss + n / 1000:.6E}", prefix=prefix) for n in range(first, last + 1)
    ]


def spans(run: Run) -> list[tuple[int | None, int | None, int, int]]:
    """First and last iteration, records, and records of iterations trained before, by attempt."""
    tallies = [tally.of_attempt(run.state, n) for n in range(len(run.attempts))]
    return [(t.first_iteration, t.last_iteration, t.records, t.retrained) for t in tallies]


TITAN = "[titan] 2025-11-25 19:45:{:02d},000 - root - INFO - step: {}  loss:  {:.4f}  tps: 100"


def titan(first: int, last: int, rank: str = "") -> list[str]:
    return [rank + TITAN.format(n % 60, n, 9 - n / 100) for n in range(first, last + 1)]


def hf(first: int, last: int, *, bars: bool = True, total: int = 160) -> list[str]:
    lines = []
    for n in range(first, last + 1):
        if bars:
            lines.append(f"  3%|▎  | {n}/{total} [{n // 60:02d}:{n % 60:02d}<05:10,  2.00s/it]")
        lines.append(f"{{'loss': {3 - n / 100}, 'learning_rate': 5e-05, 'epoch': {n / 80}}}")
    return lines
