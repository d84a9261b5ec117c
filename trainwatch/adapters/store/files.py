"""Names and formats of a run's files, and how one is replaced so that no reader sees half of it."""

import math
import os
from pathlib import Path

import msgspec

from trainwatch.core.errors import StoreUnusable
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.state import RunState
from trainwatch.core.model.status import Status
from trainwatch.core.patterns import pattern

VERSION = 1
STATE, STATUS, JOURNAL, HISTORY = "state.json", "status.json", "journal.jsonl", "history"
LEASE = "lease"
RESERVE = ".reserve"  # room to say that the disk is full
UNDECODABLE = (msgspec.MsgspecError, UnicodeDecodeError)  # what decoding damaged bytes raises


class Kept(msgspec.Struct, frozen=True, kw_only=True):
    """state.json: everything needed to go on, and how much of the other files counts."""

    version: int
    epoch: int  # of the lease that wrote it
    rows: int
    journal_bytes: int
    columns: tuple[str, ...] = ()  # of history: one that is gone is known to be lost
    mark: Mark
    state: RunState
    memory: Memory | None = None  # of the judge; None in what older versions wrote


class _Versioned(msgspec.Struct):
    version: int


encode = msgspec.json.Encoder().encode
_binary = msgspec.msgpack.Encoder().encode
# In MessagePack a double is 0xcb and its bytes; all bits of the exponent are set where it is not finite.
_NO_NUMBER = pattern(rb"\xcb[\x7f\xff][\xf0-\xff]")
_decode = msgspec.json.Decoder(Kept, strict=False).decode
decode_status = msgspec.json.Decoder(Status).decode
_decode_version = msgspec.json.Decoder(_Versioned).decode


def encode_exactly(value: msgspec.Struct) -> bytes:
    """JSON that tells infinity and NaN from null: as text, which a decoder that is not strict reads.

    To look at every value in Python is a tenth of a tick; few of a state ever hold one.
    """
    if _is_plain(value):
        return encode(value)
    return encode(_exact(msgspec.to_builtins(value)))


def _is_plain(value: msgspec.Struct) -> bool:
    """Whether all its floats are surely finite."""
    try:
        return _NO_NUMBER.search(_binary(value)) is None
    except OverflowError:  # an integer that only JSON can tell
        return False


def _exact(value: object) -> object:
    if isinstance(value, float):
        return value if math.isfinite(value) else str(value)
    if isinstance(value, dict):
        return {key: _exact(inner) for key, inner in value.items()}
    return [_exact(inner) for inner in value] if isinstance(value, (list, tuple)) else value


def read_kept(folder: Path) -> Kept | None:
    """The committed state of a run; None for a new one.

    Raises StoreUnusable: written by a newer trainwatch, damaged, or unreadable.
    """
    path = folder / STATE
    try:
        data = path.read_bytes()
    except FileNotFoundError:
        return None
    except OSError as error:
        raise StoreUnusable(f"{path}: {error.strerror}. Check who owns the folder.") from error
    try:
        version = _decode_version(data).version
        if version > VERSION:
            raise StoreUnusable(
                f"{path} was written by a newer trainwatch (store version {version}, this one knows "
                f"{VERSION}). Upgrade trainwatch, or use another --state-dir."
            )
        return _decode(data)
    except UNDECODABLE as error:
        raise DamagedState(
            f"{path} is damaged ({error}). Move it away to read the log again from its beginning; "
            f"{JOURNAL} and {HISTORY}/ beside it stay readable."
        ) from error


def read_status(folder: Path) -> Status | None:
    """What the writer last published; None before it did, or when it cannot be read."""
    try:
        return decode_status((folder / STATUS).read_bytes())
    except (OSError, *UNDECODABLE):
        return None


class DamagedState(StoreUnusable):
    """state.json cannot be decoded: the writer sets it aside and reads the log again."""


def make_private(folder: Path) -> None:
    """Make a folder, and whatever is missing above it, for nobody else to look into. Raises OSError.

    The trap: `mkdir(parents=True, mode=0o700)` leaves those above open to all.
    """
    missing = [folder]
    while not missing[-1].parent.exists():
        missing.append(missing[-1].parent)
    for each in reversed(missing):
        each.mkdir(mode=0o700, exist_ok=True)


def replace_file(path: Path, data: bytes, *, sync: bool, mode: int = 0o666) -> None:
    """Put `data` in place of a file, at once. `sync`: it must be on the disk before it counts.

    Raises OSError. A link that somebody put where we write first is not followed.
    """
    temporary = path.with_name(f"{path.name}.{os.getpid()}.tmp")
    try:
        made = os.open(temporary, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW, mode)
        with os.fdopen(made, "wb") as file:
            file.write(data)
            if sync:
                file.flush()
                os.fsync(file.fileno())
        temporary.replace(path)
    except OSError:
        temporary.unlink(missing_ok=True)
        raise
