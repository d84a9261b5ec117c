"""Recordings: observations as JSON lines, written by `watch --record` and read by `replay`.

Unknown keys are ignored and missing ones are None, so that recordings of other versions can be read.
"""

import math
import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import IO, Any, cast

import msgspec

from trainwatch.core.errors import UsageError
from trainwatch.core.model.observations import (
    AccountingReading,
    AlertRequest,
    CheckpointReading,
    DeedReading,
    DiskReading,
    LogChunk,
    Observation,
    ProcessReading,
    QueueReading,
    ScriptReading,
    SyncReading,
    WatcherReading,
)
from trainwatch.core.words import duration

SCHEMA_VERSION = 1


class LogLine(msgspec.Struct, omit_defaults=True):
    """A `log` of a recording."""

    path: str = "main_log.txt"
    text: str = ""
    offset: int = 0
    generation: int = 0
    catching_up: bool = False


class RecordingLine(msgspec.Struct, omit_defaults=True):
    """One line: a time and one observation."""

    at: float
    schema_version: int = 1  # left out, as what has the default is
    log: LogLine | None = None
    queue: dict[str, Any] | None = None
    checkpoints: dict[str, Any] | None = None
    disk: dict[str, Any] | None = None
    accounting: dict[str, Any] | None = None
    sync: dict[str, Any] | None = None
    script: dict[str, Any] | None = None
    processes: dict[str, Any] | None = None
    watcher: dict[str, Any] | None = None
    request: dict[str, Any] | None = None
    deed: dict[str, Any] | None = None


# the key of a line -> what is under it, for every kind but the log
KINDS: dict[str, type[msgspec.Struct]] = {
    "queue": QueueReading,
    "checkpoints": CheckpointReading,
    "disk": DiskReading,
    "accounting": AccountingReading,
    "sync": SyncReading,
    "script": ScriptReading,
    "processes": ProcessReading,
    "watcher": WatcherReading,
    "request": AlertRequest,
    "deed": DeedReading,
}
_NAMES = {kind: name for name, kind in KINDS.items()}
_BACK_S = 600.0  # clocks are set, and differ from node to node
_MOST_TOLD = 3
_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(RecordingLine).decode


def line(seen: Observation) -> bytes:
    """An observation as a line of a recording, with its line end."""
    recorded = RecordingLine(at=seen.at)
    if isinstance(seen, LogChunk):
        recorded.log = LogLine(
            path=seen.path,
            text=seen.data.decode("utf-8", "replace"),
            offset=seen.offset,
            generation=seen.generation,
            catching_up=not seen.live,
        )
    else:
        setattr(recorded, _NAMES[type(seen)], _body(seen))
    return _encode(recorded) + b"\n"


def parse(raw: bytes) -> Observation | None:
    """The observation of a line; None for one of a kind this version does not know.

    Raises msgspec.MsgspecError or UnicodeDecodeError for a line that is none, or of a newer version.
    """
    recorded = _decode(raw)
    if recorded.schema_version > SCHEMA_VERSION:
        version = recorded.schema_version
        raise msgspec.ValidationError(f"it is of a newer trainwatch (schema_version {version})")
    at = recorded.at
    if recorded.log is not None:
        log = recorded.log
        return LogChunk(
            at=at,
            path=log.path,
            data=log.text.encode("utf-8", "surrogatepass"),
            offset=log.offset,
            generation=log.generation,
            live=not log.catching_up,
        )
    for name, kind in KINDS.items():
        body = getattr(recorded, name)
        if body is not None:
            return cast("Observation", msgspec.convert({**body, "at": at}, kind))
    return None


class Flaws:
    """What was wrong with a recording: how many lines, and the first of them in words."""

    def __init__(self) -> None:
        self.lines = 0
        self.first: list[str] = []

    def add(self, text: str) -> None:
        """One more."""
        self.lines += 1
        if len(self.first) < _MOST_TOLD:
            self.first.append(text)


def read(path: Path, flaws: Flaws) -> Iterator[Observation]:
    """The observations of a recording, in the order of the file.

    A line that is no observation is left out: a daemon that was killed leaves half a line. That, and times
    that go back, are added to `flaws`.
    """
    latest = -math.inf
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            if not raw.strip():
                continue
            try:
                seen = parse(raw)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                flaws.add(f"{path} line {number} is no observation, and is left out: {error}")
                continue
            if seen is None:
                continue
            if seen.at < latest - _BACK_S:
                back = duration(latest - seen.at)
                flaws.add(
                    f"{path} line {number} is {back} earlier than one before it: out of order?"
                )
            latest = max(latest, seen.at)
            yield seen


def is_recording(path: Path) -> bool:
    """Whether a file begins like a recording (and not like a log)."""
    with path.open("rb") as file:
        head = file.readline(1 << 20).lstrip()
    return head.startswith((b'{"at"', b'{ "at"'))


@contextmanager
def writer(path: Path | None) -> Iterator[Callable[[Observation], None] | None]:
    """A function that appends to a recording, or None without a path."""
    if path is None:
        yield None
        return
    try:
        if path.exists() and path.stat().st_size and not is_recording(path):
            raise UsageError(
                f"{path} exists and is not a recording; name another file for --record"
            )
        file = path.open("ab+")
    except OSError as error:
        raise UsageError(f"cannot write the recording {path}: {error.strerror}") from error
    with file:
        _end_line(file)

        def append(seen: Observation) -> None:
            file.write(line(seen))
            file.flush()

        yield append


def _end_line(file: IO[bytes]) -> None:
    """A writer that was killed leaves half a line, which must not spoil the next one."""
    if file.seek(0, os.SEEK_END):
        file.seek(-1, os.SEEK_END)
        if file.read(1) != b"\n":
            file.write(b"\n")


def _body(seen: Observation) -> dict[str, Any]:
    body: dict[str, Any] = msgspec.to_builtins(seen)
    del body["at"]
    return body
