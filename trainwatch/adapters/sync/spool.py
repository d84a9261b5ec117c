"""Copies of what is sent: as much of a file as there was when it was looked at, whole lines of a log.

The trap: files grow, shrink and vanish while they are read. What a copy holds is what is recorded as sent.
"""

import os
import stat
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from trainwatch.core.model.syncing import Piece, Taken

_CHUNK_BYTES = 1024 * 1024
_FAR_BYTES = 16 * 1024 * 1024  # a line that is longer is cut


class Read(NamedTuple):
    """A file to send as it is, at `path`. `large`: the original, which must not have changed meanwhile."""

    piece: Piece
    path: Path
    large: bool = False


def fetch(
    root: Path, pieces: Sequence[Piece], spool: Path
) -> tuple[list[Taken], list[Read | None]]:
    """Copy what is to be copied. Raises OSError if the spool cannot be written."""
    spool.mkdir(parents=True, exist_ok=True, mode=0o700)
    taken, reads = list[Taken](), list[Read | None]()
    for number, piece in enumerate(pieces):
        copy = spool / str(number)
        one = _in_place(root, piece) if piece.in_place else _copied(root, piece, copy)
        taken.append(one)
        path = root / piece.name if piece.in_place else copy
        reads.append(None if one.why else Read(piece, path, piece.in_place))
    return taken, reads


def unchanged(read: Read) -> bool:
    """Whether a large file is still what was looked at."""
    if not read.large:
        return True
    try:
        seen = read.path.stat()
    except OSError:
        return False
    return (seen.st_size, seen.st_mtime_ns) == (read.piece.size, read.piece.mtime_ns)


def _in_place(root: Path, piece: Piece) -> Taken:
    try:
        with _opened(root, piece.name) as file:
            seen = os.fstat(file.fileno())
    except _Unreadable as error:
        return Taken(why=_words(error.cause))
    if (seen.st_size, seen.st_mtime_ns) != (piece.size, piece.mtime_ns):
        return Taken(why="it changes")
    return Taken(end=piece.size)


def _copied(root: Path, piece: Piece, copy: Path) -> Taken:
    try:
        with _opened(root, piece.name) as file:
            before = os.fstat(file.fileno())
            end = min(piece.end, before.st_size)
            if piece.lines:
                end = _line_end(file, piece.start, end)
            end = _copy(file, piece.start, end, copy)
            after = os.fstat(file.fileno())
    except _Unreadable as error:
        return Taken(why=_words(error.cause))
    whole = piece.start == 0 and piece.end == piece.size and not piece.lines
    if whole and (before.st_size, before.st_mtime_ns) != (after.st_size, after.st_mtime_ns):
        return Taken(why="it changes while it is read")
    if end < piece.end and not piece.lines:
        return Taken(why="it became shorter")
    os.utime(copy, ns=(before.st_atime_ns, piece.mtime_ns))
    return Taken(end=end)


class _Unreadable(Exception):
    """The source, not the copy, is at fault."""

    def __init__(self, cause: OSError) -> None:
        super().__init__(str(cause))
        self.cause = cause


@contextmanager
def _opened(root: Path, name: str) -> Iterator[BinaryIO]:
    """A regular file below the root, links resolved. Raises OSError, _Unreadable."""
    try:
        real = Path(os.path.realpath(root / name, strict=True))
        if not real.is_relative_to(os.path.realpath(root)):
            raise PermissionError(1, "it leads out of the root")
        # one that became a pipe since it was looked at must not keep us waiting
        number = os.open(real, os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC)
    except OSError as error:
        raise _Unreadable(error) from error
    with os.fdopen(number, "rb") as file:
        if not stat.S_ISREG(os.fstat(number).st_mode):
            raise _Unreadable(OSError(1, "it is no file"))
        yield file


def _copy(file: BinaryIO, start: int, end: int, copy: Path) -> int:
    """Where the copy ends: earlier if the file became shorter."""
    with copy.open("wb") as target:
        at = file.seek(start)
        while at < end:
            try:
                data = file.read(min(_CHUNK_BYTES, end - at))
            except OSError as error:
                raise _Unreadable(error) from error
            if not data:
                break
            target.write(data)
            at += len(data)
    return at


def _line_end(file: BinaryIO, start: int, end: int) -> int:
    """Behind the last line end before `end`; `start` if there is none, `end` in an endless line."""
    at = end
    while at > start:
        if end - at >= _FAR_BYTES:
            return end
        begin = max(start, at - _CHUNK_BYTES)
        file.seek(begin)
        try:
            data = file.read(at - begin)
        except OSError as error:
            raise _Unreadable(error) from error
        if (found := data.rfind(b"\n")) >= 0:
            return begin + found + 1
        at = begin
    return start


def _words(error: OSError) -> str:
    if isinstance(error, FileNotFoundError):
        return "it vanished"
    return (error.strerror or "it cannot be read").lower()
