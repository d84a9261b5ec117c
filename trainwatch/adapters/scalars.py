"""Scalars in TensorBoard's event files, with tensorboardX: each step at most once, whoever is killed.

The trap: what was written cannot be taken back. That a step is taken stands on the disk before it is
written: a kill between the two loses one point, and doubles none. A file is never gone on with, as a kill
may have torn its end: each life of a watcher has its own, named so that TensorBoard reads them in order.
"""

import secrets
from collections.abc import Callable, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import msgspec

from trainwatch.core.errors import LeaseHeld, MissingExtra, StoreUnusable

FOLDER = "trainwatch"  # a run of its own beside the training's
_PREFIX = "events.out.tfevents."
_VERSION = "brain.Event:2"


class Taken(msgspec.Struct, frozen=True):
    """The last step that was taken, of which folder."""

    folder: str
    step: int


class Scalars:
    """A folder of event files."""

    def __init__(
        self,
        folder: Path,
        file: Path,
        replace: Callable[[Path, bytes], None],
        hold: Callable[[Path], AbstractContextManager[object]],
    ) -> None:
        """`file` keeps which step was taken last; `replace` writes it whole, and `hold` locks it."""
        self._folder, self._file = folder / FOLDER, file
        self._replace, self._hold = replace, hold
        self._writer: Any = None

    def last_step(self) -> int | None:
        """The last step that was taken; None before the first. Raises OSError, StoreUnusable."""
        try:
            taken = msgspec.json.decode(self._file.read_bytes(), type=Taken)
        except FileNotFoundError:
            return None
        except msgspec.MsgspecError as error:
            raise StoreUnusable(f"{self._file} is damaged ({error}). Move it away.") from error
        return taken.step if taken.folder == str(self._folder) else None

    def write(self, step: int, at: float, values: Mapping[str, float]) -> bool:
        """Write a point of each value, unless the step is taken. False if another process writes just now.

        Raises OSError, MissingExtra, StoreUnusable.
        """
        _check()
        try:
            with self._hold(self._file.with_suffix(".lock")):
                last = self.last_step()
                if last is None or step > last:
                    taken = Taken(str(self._folder), step)
                    self._replace(self._file, msgspec.json.encode(taken))
                    self._append(at, _event(wall_time=at, step=step, summary=_summary(values)))
        except LeaseHeld:
            return False
        return True

    def _append(self, at: float, event: Any) -> None:
        """On the disk when this returns."""
        from tensorboardX.record_writer import RecordWriter

        try:
            if self._writer is None:
                self._folder.mkdir(parents=True, exist_ok=True)
                self._writer = RecordWriter(str(self._folder / self._name(at)))
                self._writer.write(_event(wall_time=at, file_version=_VERSION).SerializeToString())
            self._writer.write(event.SerializeToString())
            self._writer.flush()
        except OSError:
            self._writer = None  # its end may be torn: the next one goes into a file of its own
            raise

    def _name(self, at: float) -> str:
        """TensorBoard reads files in the order of their names, which begin with a second."""
        known = [each.name.removeprefix(_PREFIX)[:10] for each in self._folder.glob(f"{_PREFIX}*")]
        newest = max((int(second) for second in known if second.isdigit()), default=0)
        return f"{_PREFIX}{max(int(at), newest + 1):010d}.trainwatch.{secrets.token_hex(4)}"


def _check() -> None:
    """Raise MissingExtra where tensorboardX is not installed."""
    try:
        import tensorboardX  # noqa: F401
    except ImportError as error:
        raise MissingExtra(
            "scalars need tensorboardX: pip install 'trainwatch[tensorboard]'"
        ) from error


def _event(**fields: Any) -> Any:
    from tensorboardX.proto.event_pb2 import Event

    return Event(**fields)


def _summary(values: Mapping[str, float]) -> Any:
    from tensorboardX.proto.summary_pb2 import Summary

    return Summary(value=[Summary.Value(tag=tag, simple_value=v) for tag, v in values.items()])
