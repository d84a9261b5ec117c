"""The other side of a backup, whatever fsspec knows: files listed, read, written and our own ones removed.

The trap: a client's writer that is closed by an exception leaves a file that was cut short under its name.
Here a file gets its name when all of it is there, and nothing is believed before it was read back.
"""

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import Any, BinaryIO, NamedTuple

import fsspec

from trainwatch.adapters.checkpoints.backup.errors import FarTrouble
from trainwatch.core import places
from trainwatch.core.model.backups import Place
from trainwatch.core.redact import plain

_MOST_PARTS = 9000  # of one object; S3 takes 10,000
_LEAST_PART = 16 * 1024 * 1024
_PART_STEP = 256 * 1024  # some stores want multiples of it


class There(NamedTuple):
    """A file or folder at the other side. `key` changes with a file's contents, where that can be told."""

    bytes: int
    folder: bool = False
    key: str = ""


class Far:
    """One place. Everything raises FarTrouble but what is said otherwise."""

    def __init__(self, place: Place) -> None:
        self.place = place
        self._whole = places.puts_whole(place.to)
        with self._understood():
            to = place.to.rstrip("/") or "/"
            self._files, base = fsspec.url_to_fs(to, skip_instance_cache=True)
            self.local = "file" in _protocols(self._files)
            if place.create:
                self._files.makedirs(base, exist_ok=True)
            elif not self._whole and not self._files.isdir(base):
                raise FileNotFoundError(errno.ENOENT, "no such folder")
            self._base = f"{base.rstrip('/')}/{place.into}" if place.into else base

    @property
    def folder(self) -> Path | None:
        """Where it is on this machine; None where it is not."""
        return Path(self._base) if self.local else None

    def listed(self, below: str = "") -> dict[str, There]:
        """What stands in a folder, by name; nothing where there is no such folder."""
        with self._understood():
            self._files.invalidate_cache()
            try:
                found = self._files.ls(self._path(below) if below else self._base, detail=True)
            except FileNotFoundError:
                if not below and not self.place.into and not self._whole:
                    raise
                return {}
            return {str(one["name"]).rstrip("/").rpartition("/")[2]: _there(one) for one in found}

    def size(self, name: str) -> int | None:
        """Of a file; None where there is none."""
        with self._understood():
            self._files.invalidate_cache()
            try:
                info = self._files.info(self._path(name))
            except FileNotFoundError:
                return None
            return int(info["size"] or 0) if info["type"] == "file" else None

    @contextmanager
    def reading(self, name: str) -> Iterator[BinaryIO]:
        """A file, as it is there, not as this machine remembers it. FileNotFoundError is raised as it is."""
        with self._understood(missing=False):
            options = {} if self.local else {"cache_type": "readahead"}
            source = self._files.open(self._path(name), "rb", **options)
        with source:
            if self.local:
                os.posix_fadvise(source.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)
            with self._understood(missing=False):
                yield source

    @contextmanager
    def writing(self, name: str, expected_bytes: int) -> Iterator[BinaryIO]:
        """A file that gets its name when the block ends well; another one of that name goes."""
        path = self._path(name)
        folder, _, last = path.rpartition("/")
        temporary = path if self._whole else f"{folder}/{places.beside(last)}"
        with self._understood():
            if not self._whole:
                self._files.makedirs(folder, exist_ok=True)
            sink = self._files.open(temporary, "wb", **self._options(expected_bytes))
        try:
            with self._understood():
                yield sink
                self._finish(sink)
        except BaseException:
            self._drop(sink, temporary)
            raise
        with self._understood():
            if temporary != path:
                self._files.mv(temporary, path)
                self._settle(folder)

    def remove(self, name: str) -> None:
        """One of our own files, with what was left of an attempt to write it."""
        path = self._path(name)
        folder, _, last = path.rpartition("/")
        for each in (path, *(() if self._whole else (f"{folder}/{places.beside(last)}",))):
            with self._understood(), suppress(FileNotFoundError):
                self._files.rm_file(each)

    def free_bytes(self) -> int | None:
        """What a folder of this machine has room for; None where nobody can say."""
        if self.folder is None:
            return None
        for each in (self.folder, *self.folder.parents):
            with suppress(OSError):
                status = os.statvfs(each)
                return status.f_bavail * status.f_frsize
        return None

    def _path(self, name: str) -> str:
        return f"{self._base.rstrip('/')}/{name}"

    def _options(self, expected_bytes: int) -> dict[str, Any]:
        if not self._whole:
            return {}
        part = max(_LEAST_PART, expected_bytes // _MOST_PARTS)
        return {"autocommit": False, "block_size": -(-part // _PART_STEP) * _PART_STEP}

    def _finish(self, sink: Any) -> None:
        if self.local:
            sink.flush()
            os.fsync(sink.fileno())
        sink.close()
        if self._whole:
            sink.commit()

    def _drop(self, sink: Any, temporary: str) -> None:
        with suppress(Exception):
            if self._whole:
                sink.discard()
                sink.closed = True  # else it is sent after all when it is forgotten
            else:
                sink.close()
        if not self._whole:
            with suppress(Exception):
                self._files.rm_file(temporary)

    def _settle(self, folder: str) -> None:
        """A new name is on the disk before anything is concluded from it."""
        if self.local:
            handle = os.open(folder, os.O_RDONLY | os.O_DIRECTORY)
            try:
                os.fsync(handle)
            finally:
                os.close(handle)

    @contextmanager
    def _understood(self, *, missing: bool = True) -> Iterator[None]:
        """Any client raises anything; what comes of our own hands passes."""
        from trainwatch.core.errors import TrainwatchError

        try:
            yield
        except TrainwatchError:
            raise
        except FileNotFoundError as error:
            if not missing:
                raise
            self._tell(error)
        except Exception as error:  # noqa: BLE001 - see above
            self._tell(error)

    def _tell(self, error: Exception) -> None:
        again, why = places.meaning(error, self.place.name)
        raise FarTrouble(plain(why, os.environ), again=again) from error


def _there(info: dict[str, Any]) -> There:
    keys = (
        info.get(key) for key in ("ETag", "etag", "md5Hash", "mtime", "LastModified", "created")
    )
    key = next((str(each) for each in keys if each), "")
    return There(int(info.get("size") or 0), info["type"] == "directory", key)


def _protocols(files: Any) -> tuple[str, ...]:
    found = files.protocol
    return (found,) if isinstance(found, str) else tuple(found)
