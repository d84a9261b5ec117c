"""The right to write: one holder, across nodes, on network filesystems (flufl.lock).

The trap: a lock that timed out was perhaps broken by another process, so the holder asks before every
commit whether it still holds it.
"""

from contextlib import suppress
from pathlib import Path

from flufl.lock import Lock, LockError, LockState

from trainwatch.core.errors import LeaseHeld

LIFETIME_S = 180  # a holder that did not look for so long is taken for dead
_PATIENCE_S = 1


class Lease:
    """Held from construction to `release`. Raises LeaseHeld if another process holds it."""

    def __init__(self, path: Path) -> None:
        self._path = path
        self._lock = Lock(str(path), lifetime=LIFETIME_S)
        if self._lock.state is LockState.stale:  # its process died on this very machine
            self._clear()
        patience_s = _PATIENCE_S
        if self._lock.state in (LockState.theirs_expired, LockState.unknown) and self._expired():
            patience_s = 5 * _PATIENCE_S  # the lock is broken while waiting
        try:
            self._lock.lock(timeout=patience_s)
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

    def _clear(self) -> None:
        """Remove the lock of a dead process, and its claim."""
        with suppress(OSError):
            claim = Path(self._path.read_text().strip())
            self._path.unlink()
            if claim.parent == self._path.parent:
                claim.unlink()
