"""The file that says when each script last began.

The trap: two watchers read it at once, and both find a script due. Whoever changes it holds a lock meanwhile.
"""

import errno
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from trainwatch.core.errors import StoreFull, StoreUnusable
from trainwatch.core.model.scripts import Ledger

VERSION = 1
_FULL = (errno.ENOSPC, errno.EDQUOT)


class _Versioned(msgspec.Struct):
    version: int = 0


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Ledger).decode
_decode_version = msgspec.json.Decoder(_Versioned).decode


class LedgerFile:
    """The ledger on a disk that other machines see."""

    def __init__(
        self,
        path: Path,
        replace: Callable[[Path, bytes], None],
        hold: Callable[[], AbstractContextManager[object]],
    ) -> None:
        """`replace` puts bytes in place of a file, for good. `hold` is the lock; it raises LeaseHeld."""
        self._path, self._replace, self._hold = path, replace, hold

    def read(self) -> Ledger | None:
        """What stands in it; None if it is damaged. Raises StoreUnusable."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return Ledger()
        except OSError as error:
            raise StoreUnusable(f"{self._path}: {error.strerror}") from error
        try:
            version = _decode_version(data).version
            if version <= VERSION:
                return _decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            return None
        raise StoreUnusable(f"{self._path} was written by a newer trainwatch (version {version})")

    def change(self, edit: Callable[[Ledger | None], Ledger | None]) -> Ledger | None:
        """Write what `edit` makes of what stands in it; nothing if it makes nothing of it.

        Raises StoreFull, StoreUnusable and LeaseHeld: then nothing was written.
        """
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            with self._hold():
                there = self.read()
                changed = edit(there)
                if changed is not None:
                    if there is None:
                        self._path.replace(self._path.with_name(self._path.name + ".damaged"))
                    self._replace(self._path, _encode(changed))
                return changed
        except OSError as error:
            kind = StoreFull if error.errno in _FULL else StoreUnusable
            raise kind(f"{self._path}: {error.strerror or error}") from error
