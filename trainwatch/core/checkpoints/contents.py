"""What lies in one checkpoint, added up file by file: bytes, times, and a fingerprint of its set of files.

The trap: names carry the iteration or the rank count; two saves of one job have the same files but for the
iteration's number.
"""

from hashlib import sha256
from typing import Literal

import msgspec

from trainwatch.core.patterns import pattern

_OPTIMIZER = pattern(
    r"(?:^|/)(?:bf16_)?zero_pp_rank_|(?:^|/)zero_dp_rank_|optim_states|(?:^|/)distrib_optim"
    r"|(?:^|/)optim(?:izer)?[^/]*(?:/|$)",
)
_NUMBER = pattern(r"\d+")
_MARKERS = frozenset(
    {".metadata", "common.pt", "trainer_state.json", "model.safetensors.index.json"}
)


class Contents(msgspec.Struct, frozen=True, kw_only=True):
    """`files` and `bytes` of all that is in it; `shape` is equal for equal sets of names, iteration aside.

    `written_at` is the newest change of any file, `read_at` the oldest last access: a purge begins with that
    file. s since the epoch. `empty`: files of no bytes. `whole`: nothing in it was unreadable or gone while
    we looked.
    """

    files: int = 0
    bytes: int = 0
    optimizer_bytes: int = 0
    empty: int = 0
    written_at: float | None = None
    read_at: float | None = None
    shape: str = ""
    markers: frozenset[str] = frozenset()
    whole: bool = True

    @property
    def weights_bytes(self) -> int:
        """All that is no optimizer's state."""
        return self.bytes - self.optimizer_bytes


def is_optimizer(name: str) -> bool:
    """Whether a file, by its path inside the checkpoint, holds states of an optimizer."""
    return _OPTIMIZER.search(name) is not None


class Adding:
    """Adds up one checkpoint; keeps a number for each set of names, not the names."""

    def __init__(self, iteration: int) -> None:
        self._own = str(iteration)
        self._files = self._bytes = self._optimizer = self._empty = 0
        self._written = self._read = None  # type: float | None
        self._shape = 0
        self._markers = set[str]()
        self._whole = True

    def take(self, name: str, size: int, mtime: float, atime: float) -> None:
        """A file, by its path inside the checkpoint."""
        self._files += 1
        self._bytes += size
        self._empty += size == 0
        self._optimizer += size if is_optimizer(name) else 0
        self._written = mtime if self._written is None else max(self._written, mtime)
        self._read = atime if self._read is None else min(self._read, atime)
        # A sum of hashes is the same in whatever order a directory lists its files.
        self._shape = (self._shape + _hash(self._told(name))) % (1 << 64)
        if name in _MARKERS:
            self._markers.add(name)

    def miss(self) -> None:
        """Something in it could not be looked at."""
        self._whole = False

    def done(self) -> Contents:
        """The sum."""
        return Contents(
            files=self._files,
            bytes=self._bytes,
            optimizer_bytes=self._optimizer,
            empty=self._empty,
            written_at=self._written,
            read_at=self._read,
            shape=f"{self._files}:{self._shape:016x}",
            markers=frozenset(self._markers),
            whole=self._whole,
        )

    def _told(self, name: str) -> str:
        return _NUMBER.sub(
            lambda found: "#" if found[0].lstrip("0") == self._own else found[0], name
        )


def _hash(name: str) -> int:
    return int.from_bytes(sha256(name.encode(errors="surrogateescape")).digest()[:8])


State = Literal["complete", "writing", "partial", "unknown"]
