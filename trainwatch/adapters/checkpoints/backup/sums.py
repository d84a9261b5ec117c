"""Bytes that are added up while they pass: their number, their SHA-256, and no faster than allowed."""

import hashlib
from collections.abc import Callable
from typing import Protocol

from trainwatch.adapters.checkpoints.backup.shelf import CHUNK_BYTES
from trainwatch.adapters.checkpoints.pace import Pace


class Readable(Protocol):
    """What can be read from."""

    def read(self, size: int = -1, /) -> bytes:
        """So many bytes, or fewer."""
        ...


class Writable(Protocol):
    """What can be written to."""

    def write(self, data: bytes, /) -> int:
        """How many were taken."""
        ...


class Meter:
    """What is moved, by all that moves anything at one place. `told` hears of it."""

    def __init__(self, pace: Pace | None, told: Callable[[int], None]) -> None:
        self._pace, self._told = pace, told

    def pass_(self, count: int) -> None:
        """So many bytes more. Raises whatever `told` raises: then no more is moved."""
        if self._pace is not None:
            self._pace.step(count)
        self._told(count)


class Sum:
    """A file that passes through: read from, written to, or both."""

    def __init__(
        self, meter: Meter, source: Readable | None = None, sink: Writable | None = None
    ) -> None:
        self._meter, self._source, self._sink = meter, source, sink
        self._hash = hashlib.sha256()
        self.bytes = 0

    @property
    def sha256(self) -> str:
        """Of all that passed so far."""
        return self._hash.hexdigest()

    def read(self, size: int = -1) -> bytes:
        """See io.RawIOBase; as many as were asked for, unless it ends: what is read may give fewer."""
        assert self._source is not None
        parts, left = list[bytes](), size if size >= 0 else CHUNK_BYTES
        while left and (data := self._source.read(min(left, CHUNK_BYTES))):
            self._take(data)
            parts.append(data)
            left -= len(data)
        return b"".join(parts)

    def write(self, data: bytes) -> int:
        """See io.RawIOBase."""
        assert self._sink is not None
        self._sink.write(data)
        self._take(data)
        return len(data)

    def drain(self, into: Writable | None = None) -> "Sum":
        """To its end."""
        while data := self.read(CHUNK_BYTES):
            if into is not None:
                into.write(data)
        return self

    def _take(self, data: bytes) -> None:
        self._hash.update(data)
        self.bytes += len(data)
        self._meter.pass_(len(data))
