"""Requests to a watcher, left in its run's folder by whoever does not hold the lease: one small file each.

The trap: a file is taken while the next is written. It is written under another name and renamed, so what
bears the right name is whole, or was damaged by something else and is of no use.
"""

import errno
import os
from collections.abc import Iterator
from pathlib import Path

import msgspec

from trainwatch.adapters.store import files
from trainwatch.core.errors import StoreUnusable
from trainwatch.core.model.observations import AlertRequest

REQUESTS = "requests"
_SUFFIX = ".json"
_MOST_BYTES = 64 * 1024  # of one: nobody types more
_MOST = 1000  # taken at once; the others next time

_decode = msgspec.json.Decoder(AlertRequest).decode


def leave(folder: Path, request: AlertRequest) -> None:
    """Leave a request for the watcher of a run's folder. Raises StoreUnusable."""
    place = folder / REQUESTS
    name = os.urandom(16).hex()
    temporary = place / f".{name}.tmp"
    try:
        place.mkdir(parents=True, exist_ok=True, mode=0o700)
        try:
            _write(temporary, files.encode(request))
            temporary.replace(place / (name + _SUFFIX))
        except OSError:
            temporary.unlink(missing_ok=True)
            raise
    except OSError as error:
        raise StoreUnusable(
            f"cannot leave the request in {place}: {error.strerror or error}. "
            "Ask as the user who watches the run, or name the right --state-dir."
        ) from error


def take(folder: Path) -> list[AlertRequest]:
    """The requests that were left, oldest first; they are removed. Raises nothing but programming errors.

    What cannot be read is removed, too; what cannot be removed is not taken, or it would be taken for ever.
    """
    taken = [request for path in _left(folder) if (request := _take(path)) is not None]
    return sorted(taken, key=lambda request: request.at)


def _left(folder: Path) -> Iterator[Path]:
    try:
        with os.scandir(folder / REQUESTS) as entries:
            names = sorted(entry.name for entry in entries if _is_request(entry))
    except OSError:
        return
    for name in names[:_MOST]:
        yield folder / REQUESTS / name


def _is_request(entry: os.DirEntry[str]) -> bool:
    """Whether it is a plain file with the right name: opening a pipe could wait for ever."""
    return entry.name.endswith(_SUFFIX) and entry.is_file(follow_symlinks=False)


def _take(path: Path) -> AlertRequest | None:
    try:
        data = _read(path)
        path.unlink()
        return _decode(data)
    except (OSError, *files.UNDECODABLE):
        return None


def _read(path: Path) -> bytes:
    """The file's bytes; nothing if it may not be read or is too long: that is no request of ours."""
    try:
        with path.open("rb") as file:
            data = file.read(_MOST_BYTES + 1)
    except OSError as error:
        if error.errno not in (errno.EACCES, errno.EPERM):
            raise
        return b""
    return data if len(data) <= _MOST_BYTES else b""


def _write(path: Path, data: bytes) -> None:
    descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL, 0o600)
    with os.fdopen(descriptor, "wb") as file:
        file.write(data)
