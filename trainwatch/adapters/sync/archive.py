"""Another place for files: a folder, or whatever fsspec knows (s3://, gs://, ...).

The trap: a disk that is not mounted is an empty folder, and a copy that was cut short looks like a file.
Folders are made below a place that exists, the place itself only when told to; a file appears when it is
whole.
"""

import errno
import os
import shutil
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from trainwatch.adapters.sync.spool import Read, unchanged
from trainwatch.core import places
from trainwatch.core.model.syncing import Order, Outcome


class Archive:
    """See Place. There are no commits: each file arrives by itself."""

    def __init__(self, order: Order) -> None:
        self._order = order
        self._done = 0

    def send(self, reads: Sequence[Read]) -> Outcome:
        """Put each in its place, one after another."""
        put = self._local() if self._order.to.startswith("/") else self._remote()
        left = dict[int, str]()
        for number, read in enumerate(reads):
            put(read, self._to(read.piece.to))
            if not unchanged(read):
                left[number] = "it changed while it was sent"
            self._done += 1
        return Outcome(result="sent", left=left)

    def arrived(self) -> bool | None:
        """It does not matter: the same file is put in place of the same."""
        return None

    def meaning(self, error: BaseException) -> Outcome:
        """See core/places.py."""
        again, why = places.meaning(error, self._order.to)
        return Outcome(result="again" if again else "never", why=why, done=self._done)

    def _to(self, name: str) -> str:
        return f"{self._order.into}/{name}" if self._order.into else name

    def _local(self) -> Any:
        base = Path(self._order.to)
        if self._order.create:
            base.mkdir(parents=True, exist_ok=True)
        if not base.is_dir():
            raise FileNotFoundError(errno.ENOENT, "no such folder")

        def put(read: Read, name: str) -> None:
            target = base / name
            target.parent.mkdir(parents=True, exist_ok=True)
            # one that a kill leaves behind is overwritten by the next turn
            temporary = target.with_name(places.beside(target.name))
            try:
                with read.path.open("rb") as source, temporary.open("wb") as copy:
                    shutil.copyfileobj(source, copy, 1024 * 1024)
                    copy.flush()
                    os.fsync(copy.fileno())
                os.utime(temporary, ns=(read.piece.mtime_ns, read.piece.mtime_ns))
                temporary.replace(target)
            except OSError:
                temporary.unlink(missing_ok=True)
                raise

        return put

    def _remote(self) -> Any:
        import fsspec

        files, base = fsspec.url_to_fs(self._order.to.rstrip("/"))
        if self._order.create:
            files.makedirs(base, exist_ok=True)

        def put(read: Read, name: str) -> None:
            target = f"{base}/{name}"
            if places.puts_whole(self._order.to):
                files.put_file(str(read.path), target)
                return
            folder, _, last = target.rpartition("/")
            files.makedirs(folder, exist_ok=True)
            temporary = f"{folder}/{places.beside(last)}"
            files.put_file(str(read.path), temporary)
            files.mv(temporary, target)

        return put
