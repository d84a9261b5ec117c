"""What a filesystem has and what a quota allows -> one reading: whichever ends first.

The trap: a quota may allow more than there is, and a filesystem may have more than one is allowed.
"""

from trainwatch.core.disks.values import Allowance, Quota, Room
from trainwatch.core.model.observations import DiskReading

_Pair = tuple[int | None, int | None]  # total and free


def reading(
    at: float,
    name: str,
    folder: str,
    room: Room,
    quota: Quota | None = None,
    strays: tuple[str, ...] = (),
    asked: str = "",
) -> DiskReading:
    """The reading of a disk that is called `name`. `asked`: the kind of quota."""
    quota = quota or Quota(filesystem="")
    sizes = _tighter((room.bytes_total, room.bytes_free), quota.bytes, at)
    files = _tighter((room.inodes_total, room.inodes_free), quota.inodes, at)
    ends = (quota.bytes.grace_until, quota.inodes.grace_until)
    return DiskReading(
        at=at,
        path=name,
        bytes_total=sizes[0],
        bytes_free=sizes[1],
        inodes_total=files[0],
        inodes_free=files[1],
        folder=folder if folder != name else "",
        soft_until=min((end for end in ends if end is not None), default=None),
        strays=strays,
        quota=asked,
    )


def _tighter(has: _Pair, allowed: Allowance, at: float) -> _Pair:
    may: _Pair = (allowed.total, allowed.free(at))
    if may[1] is None:
        return has
    return may if has[1] is None or may[1] <= has[1] else has
