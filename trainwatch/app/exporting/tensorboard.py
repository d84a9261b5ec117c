"""TensorBoard, with tensorboardX: every column a scalar over iterations, every attempt a run of its own.

Iterations go backwards after a restart, which TensorBoard draws as a tangle if they are one run.
"""

from collections.abc import Callable
from pathlib import Path
from typing import Any

from trainwatch.app.exporting.history import Chunk, History
from trainwatch.core.errors import MissingExtra

_NO_SCALARS = ("iteration", "attempt", "at_s")


def check() -> None:
    """Raise MissingExtra where tensorboardX is not installed."""
    try:
        import tensorboardX  # noqa: F401
    except ImportError as error:
        raise MissingExtra(
            "--format tensorboard needs tensorboardX: pip install 'trainwatch[tensorboard]'"
        ) from error


def holds_events(folder: Path) -> bool:
    """Whether an export was written there before: TensorBoard adds files up, it replaces none."""
    return any(any(folder.glob(f"{place}events.out.tfevents.*")) for place in ("", "attempt-*/"))


def write(history: History, folder: Path, told: Callable[[int], None]) -> None:
    """Write all rows. `told` hears how many were written. Raises OSError."""
    from tensorboardX.writer import FileWriter

    names = [name for name in history.names if name not in _NO_SCALARS]
    writers: dict[int, Any] = {}
    try:
        for chunk in history.chunks():
            for attempt, event in _events(chunk, names):
                if attempt not in writers:
                    one = history.attempts == 1
                    place = folder if one else folder / f"attempt-{attempt + 1}"
                    writers[attempt] = FileWriter(str(place))
                writers[attempt].event_writer.add_event(event)
            told(chunk.columns.rows)
    finally:
        for writer in writers.values():
            writer.close()


def _events(chunk: Chunk, names: list[str]) -> Any:
    """An event for each row, with its attempt."""
    from tensorboardX.proto.event_pb2 import Event
    from tensorboardX.proto.summary_pb2 import Summary

    columns = [(name, chunk.columns.column(name)) for name in names]
    known = [(name, column) for name, column in columns if any(v == v for v in column)]
    heads = (chunk.columns.column(name) for name in _NO_SCALARS)
    for index, (iteration, attempt, at) in enumerate(zip(*heads, strict=True)):
        values = [
            Summary.Value(tag=name, simple_value=column[index])
            for name, column in known
            if column[index] == column[index]
        ]
        wall_time = at if at == at else 0.0
        event = Event(wall_time=wall_time, step=int(iteration), summary=Summary(value=values))
        yield int(attempt), event
