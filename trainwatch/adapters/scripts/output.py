"""What a script writes, on its way to a file that stays small.

The trap: a script may print for ever, faster than any disk. Its pipe is always read, and what is too much is
dropped between the beginning and the end; the end is what tells why it failed.
"""

import os
import select
import threading
import time
from contextlib import suppress
from pathlib import Path
from typing import BinaryIO

HEAD_BYTES, TAIL_BYTES = 512 * 1024, 64 * 1024  # of one run
ROTATE_BYTES = 1024 * 1024  # a longer file is put aside before the next run
_CHUNK_BYTES = 64 * 1024
_LOOK_MS = 200
_AFTER_S = 1.0  # so long is read after the end, from whoever still holds the pipe
_BREATH_S = 0.005  # between chunks of a script that prints too much: 13 MB/s at most
_JOIN_S = 3.0


class Output:
    """Takes what one run writes to `write_end`, a pipe's; to be closed here once the script has it."""

    def __init__(self, path: Path, heading: str) -> None:
        """`heading` is the line in front. A file that cannot be written is done without."""
        self._read_end, self.write_end = os.pipe()
        self._path, self._heading = path, heading
        self._tail = bytearray()
        self._total = 0
        self._over = threading.Event()
        self._footer = ""
        self._thread = threading.Thread(target=self._pump, daemon=True, name="script-output")

    def start(self) -> None:
        """The script has its end of the pipe."""
        os.close(self.write_end)
        self._thread.start()

    def abandon(self) -> None:
        """There is no script."""
        os.close(self.write_end)
        self._footer = "could not be started"
        self._over.set()
        self._thread.start()

    def finish(self, footer: str) -> str:
        """The script has ended: what it wrote last. `footer` is the line behind."""
        self._footer = footer
        self._over.set()
        self._thread.join(_JOIN_S)  # a disk that hangs keeps the thread, not us
        return bytes(self._tail).decode("utf-8", "replace")

    def _pump(self) -> None:
        file = _opened(self._path)
        try:
            _write(file, self._heading.encode("utf-8", "replace") + b"\n")
            self._read(file)
            beyond = max(0, self._total - HEAD_BYTES)
            kept = bytes(self._tail[-beyond:]) if beyond else b""
            if beyond > len(kept):
                _write(file, f"\n... {beyond - len(kept):,} bytes are left out ...\n".encode())
            _write(file, kept + f"\n=== {self._footer}\n".encode())
        finally:
            os.close(self._read_end)
            if file is not None:
                with suppress(OSError):
                    file.close()

    def _read(self, file: BinaryIO | None) -> None:
        """Until nobody holds the other end, or the script has ended and there is no more."""
        poll = select.poll()
        poll.register(self._read_end, select.POLLIN)
        until = float("inf")
        while True:
            over = self._over.is_set()
            ready = poll.poll(0 if over else _LOOK_MS)
            if over:
                until = min(until, time.monotonic() + _AFTER_S)
                if not ready or time.monotonic() > until:
                    return
            if ready:
                data = os.read(self._read_end, _CHUNK_BYTES)
                if not data:
                    self._over.wait()
                    return
                self._take(file, data)

    def _take(self, file: BinaryIO | None, data: bytes) -> None:
        room = max(0, HEAD_BYTES - self._total)
        if room:
            _write(file, data[:room])
        else:
            self._over.wait(_BREATH_S)
        self._total += len(data)
        self._tail += data
        del self._tail[:-TAIL_BYTES]


def _opened(path: Path) -> BinaryIO | None:
    """The file to append to, the last one put aside if it was long; None if there cannot be one."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        with suppress(FileNotFoundError):
            if path.lstat().st_size > ROTATE_BYTES:
                path.replace(path.with_name(path.name + ".1"))
        flags = os.O_WRONLY | os.O_CREAT | os.O_APPEND | os.O_NOFOLLOW
        return os.fdopen(os.open(path, flags, 0o600), "ab", buffering=0)
    except OSError:
        return None


def _write(file: BinaryIO | None, data: bytes) -> None:
    if file is not None:
        with suppress(OSError):  # a full disk loses output, not the run
            file.write(data)
