"""The right to write: one holder, across nodes, on network filesystems (flufl.lock).

The trap: a lock that timed out was perhaps broken by another process, so the holder asks before every
commit whether it still holds it.
"""

from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from datetime import timedelta
from pathlib import Path

from flufl.lock import Lock, LockError, LockState

from trainwatch.core.errors import LeaseHeld
from trainwatch.core.model.lease import Holder

LIFETIME_S = 180  # a holder that did not look for so long is taken for dead
_BREAKING_S = 5  # what breaking an expired lock takes
_FIELDS = 4  # of flufl's lock files
_MOST_BYTES = 8192


class Lease:
    """Held from construction to `release`. Raises LeaseHeld if another process holds it."""

    def __init__(self, path: Path, patience_s: float) -> None:
        self._path = path
        self._lock = Lock(str(path), lifetime=LIFETIME_S)
        if self._garbled():
            self._clear_garbled()
        if self._state() is LockState.stale:  # its process died on this very machine
            self._clear()
        if self._state() in (LockState.theirs_expired, LockState.unknown) and self._expired():
            patience_s = _BREAKING_S
        try:
            self._lock.lock(timeout=timedelta(seconds=patience_s))
        except LockError as error:
            raise LeaseHeld(self._held()) from error

    def check(self) -> None:
        """Renew it. Raises LeaseHeld if it was lost: stop writing then."""
        if not self._lock.is_locked:
            raise LeaseHeld(f"{self._held()}; this process was away too long and stops writing")

    def release(self) -> None:
        """Give it back."""
        with suppress(LockError, OSError):
            self._lock.unlock()

    def _state(self) -> LockState:
        """The trap: flufl reads the lock, and then looks at it again; meanwhile it may be given back."""
        with suppress(FileNotFoundError):
            return self._lock.state
        return LockState.unlocked

    def _expired(self) -> bool:
        with suppress(OSError):
            return bool(self._lock.expiration < self._lock._now())
        return False

    def _held(self) -> str:
        try:
            host, pid, _ = self._lock.details
        except (LockError, OSError, ValueError):
            return f"another trainwatch writes {self._path.parent}"
        return f"another trainwatch (process {pid} on {host}) writes {self._path.parent}"

    def _garbled(self) -> bool:
        """A node that went down leaves a lock that flufl can neither read nor break."""
        try:
            return self._path.read_text().count("|") != _FIELDS - 1
        except FileNotFoundError:
            return False
        except UnicodeDecodeError:
            return True

    def _clear_garbled(self) -> None:
        if not self._expired():
            raise LeaseHeld(
                f"{self._path} is damaged; if nobody writes here, it is free in minutes"
            )
        self._path.unlink(missing_ok=True)

    def _clear(self) -> None:
        """Remove the lock of a dead process, and its claim."""
        with suppress(OSError):
            claim = Path(self._path.read_text().strip())
            self._path.unlink()
            if claim.parent == self._path.parent:
                claim.unlink()


@contextmanager
def held(path: Path) -> Iterator[Callable[[], None]]:
    """A lock between machines; what it gives renews it, or raises LeaseHeld."""
    lease = Lease(path, patience_s=0.2)
    try:
        yield lease.check
    finally:
        lease.release()


def holder(path: Path, now: float) -> Holder | None:
    """Who holds a lease, without touching it; None where nobody does. Raises OSError."""
    try:
        text, ends_at = path.read_bytes()[:_MOST_BYTES], path.stat().st_mtime
    except (FileNotFoundError, NotADirectoryError):
        return None
    parts = text.decode("utf-8", "replace").strip().split("|")
    if len(parts) != _FIELDS or not parts[2].isascii() or not parts[2].isdigit():
        return Holder("", 0, now - ends_at)
    return Holder(parts[1], int(parts[2]), now - ends_at)
