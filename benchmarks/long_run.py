"""A run of 1,000,000 iterations as its watcher leaves it: the store, and a log whose offset is stored."""

import time
from array import array
from pathlib import Path

import numpy as np

from trainwatch.adapters.store import StoreWriter
from trainwatch.app.config import Settings
from trainwatch.app.wire import Site
from trainwatch.core.columns import Columns

ROWS = 1_000_000


def prepare(log: Path, state_dir: Path, rows: int = ROWS) -> None:
    """A store of so many iterations, and the log that its watcher would have read last."""
    log.write_text("".join(line(n, rows) for n in range(rows - 2000, rows + 1)))
    site = Site(Settings(), state_dir)
    run = site.run_of(str(log))
    watched = site.watched(run)
    while watched.tick(time.time(), 0.0):
        pass
    state, status = watched.state, watched.status(time.time())
    watched.close()
    store = StoreWriter(site.folder(run))
    saved = store.load()
    if saved is None:
        raise RuntimeError("the store that was just written is empty")
    store.start_over()
    table = columns(rows)
    for start in range(0, rows - 1, 100_000):
        store.commit(table.slice(start, min(start + 100_000, rows - 1)), (), state, saved.mark)
    store.publish(status)
    store.close()


def columns(rows: int) -> Columns:
    """History as a long run leaves it: noise, a few spikes, a loss that was NaN, ten attempts."""
    random = np.random.default_rng(0)
    x = np.arange(1.0, rows + 1)
    values = {
        "iteration": x,
        "attempt": np.floor(x / (rows / 10)),
        "at_s": 1.7e9 + 5 * x,
        "step_time_s": random.normal(5, 0.05, rows),
        "loss": 1.9 + 9 * np.exp(-x / (rows * 0.02)) + random.normal(0, 0.04, rows),
        "grad_norm": np.abs(random.normal(0.2, 0.05, rows)),
        "learning_rate": 6e-5 * (1 - x / rows),
        "global_batch_size": np.full(rows, 2048.0),
        "consumed_samples": 2048 * x,
        "flags": np.zeros(rows),
    }
    values["loss"][777_777 % rows] = np.nan
    values["flags"][777_777 % rows] = 1.0
    return Columns({name: array("d", v.tobytes()) for name, v in values.items()}, rows)


def line(n: int, rows: int) -> str:
    """An iteration line of it."""
    return (
        f" iteration {n:8d}/{rows * 2:8d} | consumed samples: {n * 2048:12d} | "
        f"elapsed time per iteration (ms): 5000.0 | learning rate: 6.000E-05 | "
        f"global batch size: 2048 | lm loss: 1.900000E+00 | grad norm: 0.200 | "
        f"number of skipped iterations: 0 | number of nan iterations: 0 |\n"
    )
