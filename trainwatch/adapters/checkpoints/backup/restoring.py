"""Brings a backup back: into a folder beside, file by file against the manifest, and then by one rename.

Killed at any moment, the next run goes on with the files that are whole. The trap: an archive is foreign
text. No member of it decides where it is written to; the manifest names the files, each with its checksum.
"""

import os
import stat
import tarfile
from collections.abc import Callable
from pathlib import Path
from typing import Any, BinaryIO

from trainwatch.adapters.checkpoints.backup import shelf
from trainwatch.adapters.checkpoints.backup.errors import NotCopied, NotRead
from trainwatch.adapters.checkpoints.backup.far import Far
from trainwatch.adapters.checkpoints.backup.sums import Meter, Sum
from trainwatch.core.model.backups import Item, Manifest
from trainwatch.core.words import clean, short

UNFINISHED = ".trainwatch-restore"
_STILL = Meter(None, lambda _: None)


class Restoring:
    """One backup that is brought back into a folder. Raises NotCopied, NotRead, FarTrouble."""

    def __init__(
        self, far: Far, label: str, folder: Path, meter: Meter, say: Callable[[str], None]
    ) -> None:
        self._far, self._meter, self._say = far, meter, say
        self._manifest: Manifest = shelf.manifest(far, label)
        head = self._manifest.head
        self._folder, self.target = folder, folder / head.checkpoint
        self._beside = folder / f".{head.checkpoint[:150]}{UNFINISHED}"

    def check(self) -> None:
        """Whether there is a place for it, before anything is written."""
        if os.path.lexists(self.target):
            raise NotCopied(
                f"{self.target} is there already: nothing is ever restored over anything"
            )
        if not self._folder.is_dir() and not self._folder.parent.is_dir():
            raise NotCopied(
                f"{self._folder.parent} does not exist: create it, or name another folder"
            )
        at = self._folder if self._folder.is_dir() else self._folder.parent
        status, total = os.statvfs(at), self._manifest.head.bytes
        if total > status.f_bavail * status.f_frsize:
            free = short(status.f_bavail * status.f_frsize, "B")
            raise NotCopied(f"{at} has room for {free}, and it takes {short(total, 'B')}")

    def restore(self) -> Path:
        """All of it, whole; or nothing under its name."""
        try:
            if not self._beside.is_dir():
                self.check()
            elif os.path.lexists(self.target):
                raise NotCopied(
                    f"{self.target} is there already: nothing is ever restored over anything"
                )
            self._folder.mkdir(exist_ok=True)
            self._beside.mkdir(exist_ok=True, mode=0o755)
            if stat.S_ISLNK(self._beside.lstat().st_mode):
                raise NotCopied(f"{self._beside} is a symbolic link: remove it")
            (self._tar if self._manifest.archive is not None else self._files)()
            self._finish()
        except OSError as error:
            where = error.filename or self._folder
            raise NotCopied(f"{where}: {(error.strerror or str(error)).lower()}") from error
        return self.target

    def _files(self) -> None:
        parts = shelf.parts(self._manifest)
        for place, ((path, _), item) in enumerate(zip(parts, self._manifest.files, strict=True), 1):
            self._say(f"file {place:,} of {len(parts):,}")
            if self._kept(item):
                continue
            try:
                with self._far.reading(path) as source:
                    self._written(item, Sum(self._meter, source))
            except FileNotFoundError:
                raise NotRead(f"{self._far.place.name}/{clean(path, 160)} is gone") from None

    def _tar(self) -> None:
        whole = self._manifest.archive
        assert whole is not None
        try:
            with self._far.reading(whole.name) as source:
                passed = Sum(self._meter, source)
                left = self._unpacked(passed)
                passed.drain()
        except FileNotFoundError:
            raise NotRead(f"{self._far.place.name}/{whole.name} is gone") from None
        except (tarfile.TarError, EOFError) as error:
            raise NotRead(f"{whole.name} is damaged: {clean(str(error), 120)}") from error
        if (passed.bytes, passed.sha256) != (whole.bytes, whole.sha256):
            raise NotRead(f"{whole.name} is damaged: its checksum is not that of its manifest")
        if left:
            raise NotRead(f"{whole.name} does not hold {clean(left[0], 160)}")

    def _unpacked(self, source: Sum) -> list[str]:
        """What of the manifest was not found in it."""
        head = self._manifest.head
        top = "" if head.single else f"{head.checkpoint}/"
        left = {f"{top}{item.name}": item for item in self._manifest.files}
        stream: Any = source
        with tarfile.open(fileobj=stream, mode="r|", bufsize=shelf.CHUNK_BYTES) as archive:
            for member in archive:
                item = left.pop(member.name, None)
                if item is None or not member.isreg() or member.size != item.bytes:
                    raise NotRead(
                        f"it holds {clean(member.name, 160)}, which its manifest does not"
                    )
                self._say(f"{clean(item.name, 80)}")
                content = archive.extractfile(member)
                if content is not None and not self._kept(item):
                    self._written(item, Sum(_STILL, content))
        return list(left)

    def _kept(self, item: Item) -> bool:
        """Whether an earlier run has brought it."""
        path = self._beside / item.name
        try:
            if not stat.S_ISREG(path.lstat().st_mode) or path.stat().st_size != item.bytes:
                return False
            with path.open("rb") as file:
                return Sum(_STILL, file).drain().sha256 == item.sha256
        except OSError:
            return False

    def _written(self, item: Item, source: Sum) -> None:
        path = self._beside / item.name
        path.parent.mkdir(parents=True, exist_ok=True)
        flags = os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_NOFOLLOW | os.O_CLOEXEC
        with os.fdopen(os.open(path, flags, 0o644), "wb") as file:
            source.drain(_Tolerant(file))
            file.flush()
            os.fsync(file.fileno())
        if (source.bytes, source.sha256) != (item.bytes, item.sha256):
            path.unlink()
            raise NotRead(
                f"{clean(item.name, 160)} is damaged in the backup: its checksum is not that of its "
                "manifest; nothing was restored under the checkpoint's name"
            )

    def _finish(self) -> None:
        """Nothing stands under the checkpoint's name but the whole of it."""
        if os.path.lexists(self.target):
            raise NotCopied(f"{self.target} appeared meanwhile: it is left as it is")
        if self._manifest.head.single:
            (self._beside / self._manifest.head.checkpoint).rename(self.target)
            self._beside.rmdir()
        else:
            self._beside.rename(self.target)
        handle = os.open(self._folder, os.O_RDONLY | os.O_DIRECTORY)
        try:
            os.fsync(handle)
        finally:
            os.close(handle)


class _Tolerant:
    """Errors of this machine's disk, named: else they would be taken for those of the other side."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file

    def write(self, data: bytes) -> int:
        """See io.RawIOBase."""
        try:
            return self._file.write(data)
        except OSError as error:
            why = (error.strerror or "cannot be written").lower()
            raise NotCopied(f"{self._file.name}: {why}") from error
