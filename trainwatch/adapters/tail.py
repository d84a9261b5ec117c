"""A log that is followed: polled, across rotation, truncation and the lies of network filesystems.

The trap is believing `stat`. A file that seems to have shrunk, or to be another one, is opened anew and
compared with fingerprints of what was read, on two polls, before anything is read again: a wrong
"truncated" would re-read a 10 GB log and repeat every alert.
"""

import hashlib
import os
from collections.abc import Callable
from pathlib import Path

from msgspec.structs import replace

from trainwatch.core.logs.lines import LONGEST, cut
from trainwatch.core.model.marks import Mark, Print
from trainwatch.core.ports import LogRead

_HEAD = 4096  # bytes of the file's beginning that identify it
_WINDOW = 256  # bytes of the very beginning, and before the places at 4, 16, 64, ... times the head
_CONFIRMATIONS = 2  # polls that must agree before a file counts as another one
_BEYOND = 64 * 1024  # bytes read beyond a size that may be stale


class Follower:
    """A `Log` (core/ports.py) over a file that may come, go and be replaced."""

    def __init__(
        self,
        path: Path,
        mark: Mark | None = None,
        pause_at: int | None = None,
        *,
        wait: Callable[[], object] | None = None,
    ) -> None:
        """`pause_at`: what lies behind this place is read by itself, and not as more of what was there.

        `wait` lets a moment pass, for whoever polls but once: a file with other content than was read is
        then looked at twice in the same poll. Where only the size is odd, two polls must agree as ever.
        """
        self._path = path
        self._pause_at, self._wait = pause_at, wait
        self._mark = mark or Mark()
        self._file: int | None = None
        self._verified = False  # that the open file is the one the mark is of
        self._doubts = 0

    @property
    def mark(self) -> Mark:
        """Where the log is read up to."""
        return self._mark

    def poll(self, limit: int) -> LogRead:
        """The next complete lines."""
        try:
            return self._poll(max(limit, 2 * LONGEST))
        except FileNotFoundError:
            self.close()
            return LogRead("missing", why=f"{self._path} does not exist")
        except OSError as error:
            self.close()  # ESTALE among them: the next poll opens the file anew
            return LogRead("unreadable", why=f"{self._path}: {error.strerror or error}")

    def finish(self) -> LogRead:
        """The last line, where it has no end."""
        try:
            data = os.pread(self._open(), LONGEST, self._mark.offset).rstrip(b"\0")
        except OSError as error:
            return LogRead("unreadable", why=f"{self._path}: {error.strerror or error}")
        if not data or self._mark.in_long_line or not self._verified:
            return self._quiet(None)
        return self._took(data, 0, len(data))

    def close(self) -> None:
        """Let go of the file."""
        if self._file is not None:
            os.close(self._file)
        self._file, self._verified = None, False

    def _poll(self, limit: int) -> LogRead:
        file = self._open()
        size = os.fstat(file).st_size
        if not self._verified or size < self._mark.offset:
            if not self._verify() and not self._verify_at_once():
                return self._quiet(size)
            file = self._open()
            size = os.fstat(file).st_size
        if size > self._mark.offset:
            return self._read(file, limit, size)
        if self._replaced():
            self.close()  # it is drained; the next poll opens, and verifies, the new one
            return LogRead("quiet", generation=self._mark.generation, more=True)
        return self._quiet(size)

    def _quiet(self, size: int | None) -> LogRead:
        return LogRead("quiet", generation=self._mark.generation, size=size)

    def _open(self) -> int:
        if self._file is None:
            self._file = os.open(self._path, os.O_RDONLY | os.O_CLOEXEC | os.O_NONBLOCK)
            self._verified = False
        return self._file

    def _read(self, file: int, limit: int, size: int) -> LogRead:
        offset = self._mark.offset
        count = min(limit, size - offset + _BEYOND)
        if self._pause_at is not None:
            count = min(count, max(0, self._pause_at - offset))
            size = min(size, self._pause_at)
        data = os.pread(file, count, offset)
        end = offset + len(data)
        if end >= size:
            self._pause_at = None
        if data and data.count(0) == len(data) and self._skip_hole(file, end, size):
            return LogRead("quiet", generation=self._mark.generation, more=True, size=size)
        found = cut(data, self._mark.in_long_line, at_end=end >= size)
        if found.used == 0:
            return self._quiet(size)
        self._remember(
            in_long_line=found.in_long_line, overlong=self._mark.overlong + found.overlong
        )
        return self._took(found.lines, found.start, found.used, more=end < size, size=size)

    def _took(
        self, lines: bytes, start: int, used: int, *, more: bool = False, size: int | None = None
    ) -> LogRead:
        offset = self._mark.offset
        self._remember(offset=offset + used)
        self._remember(prints=_printed(self._open(), self._mark))
        return LogRead("read", lines, offset + start, self._mark.generation, more, size)

    def _skip_hole(self, file: int, end: int, size: int) -> bool:
        """A sparse file reads as NULs where nothing was written: go on where something was."""
        try:
            written = os.lseek(file, end, os.SEEK_DATA)
        except OSError:
            return False  # a hole up to the end, or a filesystem that cannot tell
        if not end < written < size:
            return False
        self._remember(offset=written, in_long_line=False)
        return True

    def _verify(self) -> bool:
        """Whether to read on: the file is proven to be ours, or on two polls to be another."""
        self.close()
        file = self._open()
        stat = os.fstat(file)
        ours = self._mark.offset == 0 or _is_ours(file, stat.st_size, self._mark.prints)
        if ours and stat.st_size >= self._mark.offset:
            self._remember(device=stat.st_dev, inode=stat.st_ino)
            self._verified, self._doubts = True, 0
            return True
        self._doubts += 1
        if self._doubts < _CONFIRMATIONS:
            return False
        if ours:  # cut short at its end, and the rest is what we have read: go on behind it
            prints = tuple(p for p in self._mark.prints if p.end <= stat.st_size)
            self._remember(offset=stat.st_size, prints=prints, in_long_line=False)
        else:
            generation, overlong = self._mark.generation + 1, self._mark.overlong
            self._mark = Mark(generation=generation, overlong=overlong)
        self._remember(device=stat.st_dev, inode=stat.st_ino)
        self._verified, self._doubts = True, 0
        return True

    def _verify_at_once(self) -> bool:
        """A second look in the same poll, at a file whose content is proven to be other than ours."""
        if self._wait is None or not _is_other(self._open(), self._mark.prints):
            return False
        self._wait()
        return self._verify()

    def _replaced(self) -> bool:
        """Whether the path names another file now (rename and re-creation), seen on two polls."""
        stat = self._path.stat()
        if (stat.st_dev, stat.st_ino) == (self._mark.device, self._mark.inode):
            self._doubts = 0
            return False
        self._doubts += 1
        if self._doubts < _CONFIRMATIONS:
            return False
        self._doubts = _CONFIRMATIONS - 1  # verifying the new file takes one more look, not two
        return True

    def _remember(self, **changes: object) -> None:
        self._mark = replace(self._mark, **changes)


def _printed(file: int, mark: Mark) -> tuple[Print, ...]:
    """The fingerprints of what is read: of beginning and head, and before every fourfold place behind."""
    known = {p.end: p for p in mark.prints}
    places = {min(_WINDOW, mark.offset), min(_HEAD, mark.offset)}
    place = 4 * _HEAD
    while place <= mark.offset:
        places.add(place)
        place *= 4
    return tuple(
        known.get(end) or _print(file, max(0, end - _length(end)), end) for end in sorted(places)
    )


def _length(end: int) -> int:
    return _HEAD if end <= _HEAD else _WINDOW


def _print(file: int, start: int, end: int) -> Print:
    data = os.pread(file, end - start, start)
    return Print(end, len(data), hashlib.blake2b(data, digest_size=8).hexdigest())


def _is_ours(file: int, size: int, prints: tuple[Print, ...]) -> bool:
    """Whether every fingerprint that fits into the file is found in it, and at least one does.

    The very beginning does not count by itself: jobs of one script begin alike.
    """
    fitting = [p for p in prints if p.end <= size and (p.end > _WINDOW or len(prints) == 1)]
    return bool(fitting) and all(_print(file, p.end - p.length, p.end) == p for p in fitting)


def _is_other(file: int, prints: tuple[Print, ...]) -> bool:
    """Whether a fingerprint that fits into the file is not found in it: unlike a size, no stale guess."""
    size = os.fstat(file).st_size
    return any(_print(file, p.end - p.length, p.end) != p for p in prints if p.end <= size)
