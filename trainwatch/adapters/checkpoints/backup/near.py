"""A checkpoint as it is read for a backup: every file of it, none outside of it, none that changes.

The trap: a checkpoint is thousands of files that others may write to. It is listed before and after; when the
two differ in anything, what was read is worth nothing.
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import BinaryIO, NamedTuple

from trainwatch.adapters.checkpoints.backup.errors import NotCopied
from trainwatch.adapters.checkpoints.listing import elsewhere
from trainwatch.adapters.checkpoints.pace import Pace
from trainwatch.core import backups
from trainwatch.core.checkpoints.contents import Adding
from trainwatch.core.model.backups import Origin
from trainwatch.core.words import clean


class Piece(NamedTuple):
    """A file by its path inside the checkpoint. `own` is what changes when the file does."""

    name: str
    bytes: int
    own: tuple[int, int, int]  # inode, size, mtime in ns


class Near:
    """One checkpoint in its root. Everything raises NotCopied."""

    def __init__(self, root: Path, name: str, iteration: int, pace: Pace) -> None:
        self.root, self.name, self._iteration, self._pace = root, name, iteration, pace
        self.top = root / name
        if "/" in name or (why := backups.nameless(name)):
            raise NotCopied(f"{clean(repr(name), 80)} is no name of a checkpoint")
        if why := elsewhere(root, name):
            raise NotCopied(why)
        self.single = not stat.S_ISDIR(self.top.lstat().st_mode)

    def listed(self) -> tuple[list[Piece], Origin]:
        """All of its files, in order; and what it is known by."""
        adding, pieces = Adding(self._iteration), list[Piece]()
        for name, path, status in self._walk():
            adding.take(name, status.st_size, status.st_mtime, status.st_atime)
            pieces.append(self._piece(name, path))
        return sorted(pieces), backups.origin(adding.done())

    @contextmanager
    def opened(self, piece: Piece) -> Iterator[BinaryIO]:
        """A file of it, which must be what was listed."""
        path = self.root / piece.name if self.single else self.top / piece.name
        with self._told(piece.name):
            real = self._inside(piece.name, path)
            # one that became a pipe since must not keep us waiting
            flags = os.O_RDONLY | os.O_NONBLOCK | os.O_NOFOLLOW | os.O_CLOEXEC
            file = os.fdopen(os.open(real, flags), "rb", buffering=0)
        with file:
            self._is_still(piece, file)
            yield _Reading(file, self, piece.name)  # type: ignore[misc]
            self._is_still(piece, file)

    def _is_still(self, piece: Piece, file: BinaryIO) -> None:
        with self._told(piece.name):
            status = os.fstat(file.fileno())
        if _own(status) != piece.own:
            raise NotCopied(f"{self._at(piece.name)} changed while it was read")

    def _walk(self) -> Iterator[tuple[str, Path, os.stat_result]]:
        if self.single:
            with self._told(self.name):
                yield self.name, self.top, self.top.lstat()
            return
        left = [""]
        while left:
            below = left.pop()
            with self._told(below):
                entries = sorted(os.scandir(self.top / below), key=lambda entry: entry.name)
            for entry in entries:
                name = f"{below}/{entry.name}" if below else entry.name
                with self._told(name):
                    if entry.is_dir(follow_symlinks=False):
                        left.append(name)
                        continue
                    self._pace.step()
                    yield name, Path(entry.path), entry.stat(follow_symlinks=False)

    def _piece(self, name: str, path: Path) -> Piece:
        if why := backups.nameless(name):
            raise NotCopied(
                f"{self._at(name)} {why}: no other place can be trusted with that name; rename it"
            )
        with self._told(name):
            status = self._inside(name, path).lstat()
        if not stat.S_ISREG(status.st_mode):
            raise NotCopied(
                f"{self._at(name)} is no file, and a copy without it would not be whole"
            )
        return Piece(name, status.st_size, _own(status))

    def _inside(self, name: str, path: Path) -> Path:
        """Where a link leads to, if that is in this very checkpoint. Raises OSError, NotCopied."""
        real = Path(os.path.realpath(path, strict=True))
        top = os.path.realpath(self.root if self.single else self.top)
        if path.is_symlink() and (self.single or not real.is_relative_to(top)):
            raise NotCopied(
                f"{self._at(name)} is a link that leads out of the checkpoint: what it means is not "
                "copied, and a copy without it would not be whole"
            )
        if not real.is_relative_to(top):
            raise NotCopied(f"{self._at(name)} leads out of the checkpoint")
        return real

    def _at(self, name: str) -> str:
        shown = name if self.single or not name else f"{self.name}/{name}"
        return clean(os.fsencode(shown or self.name).decode("utf-8", "replace"), 200)

    @contextmanager
    def _told(self, name: str) -> Iterator[None]:
        """Errors of the checkpoint are not those of the other side."""
        try:
            yield
        except FileNotFoundError as error:
            raise NotCopied(f"{self._at(name)} vanished") from error
        except OSError as error:
            why = (error.strerror or "it cannot be read").lower()
            raise NotCopied(f"{self._at(name)}: {why}") from error


class _Reading:
    """A file whose errors say whose they are, wherever it is read."""

    def __init__(self, file: BinaryIO, near: Near, name: str) -> None:
        self._file, self._near, self._name = file, near, name

    def read(self, size: int = -1) -> bytes:
        """See io.RawIOBase."""
        with self._near._told(self._name):
            return self._file.read(size)


def _own(status: os.stat_result) -> tuple[int, int, int]:
    return status.st_ino, status.st_size, status.st_mtime_ns
