"""Happenings -> a folder as a job leaves it: the log, checkpoint directories with trackers, the queue.

The trap: the folder may be someone's. One that is not empty is only written into when it holds our mark, and
then nothing is removed but what a simulation makes.
"""

import os
import re
import shutil
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from trainwatch.core.errors import TrainwatchError, UsageError
from trainwatch.simulate.happenings import (
    Checkpoint,
    Happening,
    Present,
    QueueAnswered,
    SaveBegan,
    SaveFinished,
    Wrote,
)
from trainwatch.simulate.job import SAVE_PATH

LOG, QUEUE, MARK = "main_log.txt", "queue.json", ".trainwatch-simulated"
_CHECKPOINT = re.compile(r"(?:global_step|iter_|step-)\d+")
_TRACKERS = ("latest", "latest_checkpointed_iteration.txt")
_SHARD_BYTES = 512  # on disk; what counts is that they are there


class Folder:
    """Writes a simulated run. Raises UsageError for a folder that it must not, or cannot, use."""

    def __init__(self, path: Path) -> None:
        self.path, self.log = path, path / LOG
        try:
            _prepare(path)
            self._file = self.log.open("ab", buffering=0)  # a follower sees each line at once
        except OSError as error:
            raise UsageError(f"cannot write into {path}: {error.strerror or error}") from error

    def write(self, happening: Happening) -> None:
        """Do what happened. Raises TrainwatchError when the disk does not take it."""
        try:
            self._write(happening)
        except OSError as error:
            raise TrainwatchError(f"cannot write into {self.path}: {error.strerror}") from error

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._file.close()

    def _write(self, happening: Happening) -> None:
        match happening:
            case Wrote(_, text):
                left = memoryview(text)
                while left:  # a raw write may take less than it was given
                    left = left[self._file.write(left) :]
            case QueueAnswered(_, reading):
                _replace(self.path / QUEUE, msgspec.json.encode(reading) + b"\n")
            case SaveBegan(_, checkpoint):
                half = len(checkpoint.shards) // 2
                self._shards(checkpoint, checkpoint.shards[:half])
            case SaveFinished(_, checkpoint) | Present(_, checkpoint, _):
                self._shards(checkpoint, checkpoint.shards + checkpoint.closing)
                for name, holds in checkpoint.trackers:
                    _replace(self.path / SAVE_PATH / name, holds.encode())
                if isinstance(happening, Present) and happening.age_s:
                    _age(self.path / SAVE_PATH / checkpoint.name, happening.at - happening.age_s)

    def _shards(self, checkpoint: Checkpoint, names: tuple[str, ...]) -> None:
        folder = self.path / SAVE_PATH / checkpoint.name
        folder.mkdir(parents=True, exist_ok=True)
        for name in names:
            content = f"{checkpoint.name} {name}\n".encode()
            (folder / name).write_bytes(content.ljust(_SHARD_BYTES, b"\0"))


def _prepare(path: Path) -> None:
    """Make the folder, or empty one that an earlier simulation made."""
    if path.exists() and not path.is_dir():
        raise UsageError(f"{path} is a file; name a folder to write the simulated run into")
    if (path / MARK).is_file():
        _clear(path)
    elif path.exists() and next(path.iterdir(), None) is not None:
        raise UsageError(
            f"{path} is not empty, and `trainwatch simulate` did not make it; "
            "name a new or an empty folder"
        )
    path.mkdir(parents=True, exist_ok=True)
    (path / MARK).write_text("made by `trainwatch simulate`, which may empty this folder again\n")


def _clear(path: Path) -> None:
    """Remove what a simulation makes, never through a link."""
    for name in (LOG, QUEUE):
        (path / name).unlink(missing_ok=True)
    saves = path / SAVE_PATH
    if saves.is_symlink() or not saves.is_dir():
        return
    for entry in saves.iterdir():
        if entry.is_dir() and not entry.is_symlink() and _CHECKPOINT.fullmatch(entry.name):
            shutil.rmtree(entry)
        elif entry.name in _TRACKERS:
            entry.unlink()


def _age(folder: Path, at: float) -> None:
    """Written, and read for the last time, at that time."""
    for entry in (*folder.iterdir(), folder):
        os.utime(entry, (at, at))


def _replace(path: Path, content: bytes) -> None:
    """Readers see the old or the new content, never half of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    beside = path.with_name(f".{path.name}.new")
    beside.write_bytes(content)
    beside.replace(path)
