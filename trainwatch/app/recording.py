"""Recordings: observations as JSON lines, written by `watch --record` and read by `replay`.

Unknown keys are ignored and missing ones are None, so that recordings of other versions can be read.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, cast

import msgspec

from trainwatch.core.errors import UsageError
from trainwatch.core.model.observations import (
    AccountingReading,
    AlertRequest,
    CheckpointReading,
    DiskReading,
    LogChunk,
    Observation,
    QueueReading,
    ScriptReading,
    SyncReading,
    WatcherReading,
)


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
    log: LogLine | None = None
    queue: dict[str, Any] | None = None
    checkpoints: dict[str, Any] | None = None
    disk: dict[str, Any] | None = None
    accounting: dict[str, Any] | None = None
    sync: dict[str, Any] | None = None
    script: dict[str, Any] | None = None
    watcher: dict[str, Any] | None = None
    request: dict[str, Any] | None = None


# the key of a line -> what is under it, for every kind but the log
_KINDS: dict[str, type[msgspec.Struct]] = {
    "queue": QueueReading,
    "checkpoints": CheckpointReading,
    "disk": DiskReading,
    "accounting": AccountingReading,
    "sync": SyncReading,
    "script": ScriptReading,
    "watcher": WatcherReading,
    "request": AlertRequest,
}
_NAMES = {kind: name for name, kind in _KINDS.items()}
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

    Raises msgspec.MsgspecError or UnicodeDecodeError for a line that is none.
    """
    recorded = _decode(raw)
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
    for name, kind in _KINDS.items():
        body = getattr(recorded, name)
        if body is not None:
            return cast("Observation", msgspec.convert({**body, "at": at}, kind))
    return None


def read(path: Path) -> Iterator[Observation]:
    """The observations of a recording. Raises UsageError, which names the line that is wrong."""
    with path.open("rb") as file:
        for number, raw in enumerate(file, 1):
            if not raw.strip():
                continue
            try:
                seen = parse(raw)
            except (msgspec.MsgspecError, UnicodeDecodeError) as error:
                raise UsageError(f"{path} line {number} is no observation: {error}") from error
            if seen is not None:
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
        file = path.open("ab")
    except OSError as error:
        raise UsageError(f"cannot write the recording {path}: {error.strerror}") from error
    with file:

        def append(seen: Observation) -> None:
            file.write(line(seen))
            file.flush()

        yield append


def _body(seen: Observation) -> dict[str, Any]:
    body: dict[str, Any] = msgspec.to_builtins(seen)
    del body["at"]
    return body
