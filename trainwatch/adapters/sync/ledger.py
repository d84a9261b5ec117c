"""The file that says what of a route has arrived, and what is under way.

The trap: one that is damaged must not be taken for "nothing was sent yet" in silence: it is set aside, and
what is there already is found to be the same when it is sent again.
"""

import errno
import shutil
from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path

import msgspec

from trainwatch.core.errors import StoreFull, StoreUnusable
from trainwatch.core.model.syncing import Ledger

VERSION = 1
_FULL = (errno.ENOSPC, errno.EDQUOT)


class _Versioned(msgspec.Struct):
    version: int = 0


_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder(Ledger).decode
_decode_version = msgspec.json.Decoder(_Versioned).decode


class LedgerFile:
    """The ledger of one route, its lock and its spool, in `folder`."""

    def __init__(
        self,
        folder: Path,
        route: str,
        replace: Callable[[Path, bytes], None],
        hold: Callable[[Path], AbstractContextManager[Callable[[], None]]],
    ) -> None:
        """`replace` puts bytes in place of a file, for good. `hold` locks a path, or raises LeaseHeld."""
        self._path, self._replace, self._hold = folder / f"{route}.json", replace, hold
        self._lock = folder / f".{route}.lock"
        self.spool = folder / f"{route}.spool"
        self.warning = ""

    def read(self) -> Ledger | None:
        """What stands in it; None if there is none, or a damaged one. Raises StoreUnusable."""
        try:
            data = self._path.read_bytes()
        except FileNotFoundError:
            return None
        except OSError as error:
            raise StoreUnusable(f"{self._path}: {error.strerror}") from error
        try:
            version = _decode_version(data).version
            if version <= VERSION:
                return _decode(data)
        except (msgspec.MsgspecError, UnicodeDecodeError):
            self.warning = f"{self._path} is damaged; everything is sent again"
            return None
        raise StoreUnusable(f"{self._path} was written by a newer trainwatch (version {version})")

    def write(self, ledger: Ledger) -> None:
        """Put it in place, for good. Raises StoreFull, StoreUnusable."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
            if self.warning and self._path.exists():
                self._path.replace(self._path.with_name(self._path.name + ".damaged"))
                self.warning = ""
            self._replace(self._path, _encode(ledger))
        except OSError as error:
            kind = StoreFull if error.errno in _FULL else StoreUnusable
            raise kind(f"{self._path}: {error.strerror or error}") from error

    def hold(self) -> AbstractContextManager[Callable[[], None]]:
        """While it is held nobody else sends over the route. Gives what renews it. Raises LeaseHeld."""
        try:
            self._path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        except OSError as error:
            raise StoreUnusable(f"{self._path.parent}: {error.strerror}") from error
        return self._hold(self._lock)

    def clear_spool(self) -> None:
        """Remove copies: of this turn, or of one that was killed."""
        shutil.rmtree(self.spool, ignore_errors=True)
