"""The two ends of a file: bounded reads, however large it is.

The trap: opening a pipe waits for a writer. It is opened without waiting, and read only if it is a file.
"""

import os
import stat
from pathlib import Path

from trainwatch.core.doctor.logs import Ends
from trainwatch.core.errors import LogUnreadable

HEAD_BYTES, TAIL_BYTES = 512 * 1024, 1024 * 1024


def read(path: Path, head_bytes: int = HEAD_BYTES, tail_bytes: int = TAIL_BYTES) -> Ends:
    """The ends of a file. Raises LogUnreadable."""
    try:
        handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
    except OSError as error:
        raise LogUnreadable(f"{path}: {error.strerror}") from error
    try:
        status = os.fstat(handle)
        if not stat.S_ISREG(status.st_mode):
            raise LogUnreadable(f"{path} is not a file")
        size = status.st_size
        whole = size <= head_bytes + tail_bytes
        head = os.pread(handle, size if whole else head_bytes, 0)
        tail = b"" if whole else os.pread(handle, tail_bytes, size - tail_bytes)
    except OSError as error:
        raise LogUnreadable(f"{path}: {error.strerror}") from error
    finally:
        os.close(handle)
    return Ends(size_bytes=size, mtime=status.st_mtime, head=head, tail=tail)
