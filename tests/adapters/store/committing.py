"""Rows, states and commits of a small run."""

from pathlib import Path

from trainwatch.adapters.store import StoreWriter
from trainwatch.core.columns import Columns, from_rows
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.state import Event, Row, RunState


def rows(start: int, count: int, **more: float) -> Columns:
    return from_rows(
        {"iteration": float(i), "loss": 1 / i, **more} for i in range(start, start + count)
    )


def state(count: int) -> RunState:
    values = {"loss": 0.5, "step_time_s": 105.2}
    row = Row(iteration=count + 1, attempt=0, format="megatron-core", time=None, values=values)
    return RunState(run="tr11", rows=count, open=row)


def committed(folder: Path, count: int = 5) -> None:
    writer = StoreWriter(folder)
    writer.load()
    writer.commit(rows(1, count), [Event(at=1.0, kind="saved")], state(count), Mark(offset=9))
    writer.close()
