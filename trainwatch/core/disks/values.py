"""What is known of the room on a disk: of the whole filesystem, and of a quota on it.

The trap: a soft limit is no end. It may be exceeded until its grace is over, and is as hard as any from then
on.
"""

import msgspec
from msgspec.structs import replace


class Allowance(msgspec.Struct, frozen=True, kw_only=True):
    """Bytes or inodes that one may use. None: no such limit, or (of `used`) unknown."""

    used: int | None = None
    soft: int | None = None
    hard: int | None = None
    grace_until: float | None = (
        None  # over the soft limit: enforced from then on, s since the epoch
    )

    @property
    def total(self) -> int | None:
        """How much may be used in all; None without a limit."""
        return self.hard if self.hard is not None else self.soft

    def free(self, at: float) -> int | None:
        """How much may still be used; None without a limit, or where nobody knows what is used."""
        if self.total is None or self.used is None:
            return None
        if self.grace_until is not None and self.grace_until <= at:
            return 0
        return max(0, self.total - self.used)


class Quota(msgspec.Struct, frozen=True, kw_only=True):
    """One row of a quota command's answer. `filesystem` is its name there."""

    filesystem: str
    bytes: Allowance = Allowance()
    inodes: Allowance = Allowance()


class Room(msgspec.Struct, frozen=True, kw_only=True):
    """What a filesystem has for whoever asks. None: it does not count that."""

    bytes_total: int | None = None
    bytes_free: int | None = None
    inodes_total: int | None = None
    inodes_free: int | None = None

    def full_at(self, share: float) -> "Room":
        """What there is until this share of the bytes is used."""
        if self.bytes_total is None or self.bytes_free is None or share >= 1:
            return self
        kept = round((1 - share) * self.bytes_total)
        return replace(
            self, bytes_total=self.bytes_total - kept, bytes_free=max(0, self.bytes_free - kept)
        )


class Asked(msgspec.Struct, frozen=True, kw_only=True):
    """What a quota command is asked: whose quota, where. At most one of user, group and project is set."""

    path: str
    user: str = ""
    group: str = ""
    project: str = ""
    filesystem: str = ""  # by the command's own name, where it was said
    names: tuple[str, ...] = ()  # that the filesystem of the path has on this machine
    command: tuple[str, ...] = ()  # instead of the usual one
    pattern: str = ""  # of a user's own command
