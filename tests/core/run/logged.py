"""Lines of a log that several tests of the fold feed it."""

from tests.core.logs.making import iteration

STARTED = "saving checkpoint at iteration {:7d} to /ckpt"
DONE = "  successfully saved checkpoint at iteration {:7d} to /ckpt"
TOOK = "time (ms) | save-checkpoint: {:.2f}"
DUMP = ["using world size: 16", "----- arguments -----"]


def trained(first: int, last: int) -> list[str]:
    return [iteration(n, loss=f"{9 - n / 1000:.6E}") for n in range(first, last + 1)]
