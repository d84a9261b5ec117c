"""Folders as they were found, judged: the one of the state, and those that are written to or read from."""

import shlex
from collections.abc import Iterator
from typing import Literal, NamedTuple

from trainwatch.core.doctor.check import Check, Verdict
from trainwatch.core.words import duration, short

Kind = Literal["folder", "missing", "other"]
Where = Literal["network", "local", "memory", "unknown"]
STATE = "state"

_NETWORK = frozenset(
    (
        *(
            "nfs",
            "nfs4",
            "lustre",
            "gpfs",
            "mmfs",
            "beegfs",
            "beegfs_nodev",
            "fhgfs",
            "ceph",
            "wekafs",
        ),
        *("panfs", "pvfs2", "orangefs", "afs", "dvs", "9p", "cifs", "smb3", "smbfs", "glusterfs"),
        *("fuse.sshfs", "fuse.ceph", "fuse.glusterfs", "fuse.juicefs"),
    )
)
_LOCAL = frozenset(
    (
        "ext2",
        "ext3",
        "ext4",
        "xfs",
        "btrfs",
        "zfs",
        "f2fs",
        "jfs",
        "reiserfs",
        "bcachefs",
        "overlay",
    )
)
_MEMORY = frozenset(("tmpfs", "ramfs", "devtmpfs"))
_LITTLE_BYTES, _FEW_INODES = 200_000_000, 1_000
_SKEW_S, _SKEW_BAD_S = 5.0, 120.0  # a lease lasts three minutes by these clocks


class FolderSeen(NamedTuple):
    """What a look at a folder told. None is unknown. `above` is the nearest folder over it that is there.

    `writable` of one that is missing says whether it can be made. `skew_s`: how far the filesystem's clock is
    ahead of this machine's.
    """

    path: str
    kind: Kind
    writable: bool | None = None
    why: str = ""  # it cannot be looked at, or written to
    above: str = ""
    filesystem: str = ""
    mode: int | None = None
    mine: bool | None = None
    bytes_free: int | None = None
    inodes_free: int | None = None
    skew_s: float | None = None


def where(filesystem: str) -> Where:
    """Who sees a filesystem of this type."""
    if filesystem in _NETWORK:
        return "network"
    if filesystem in _MEMORY:
        return "memory"
    return "local" if filesystem in _LOCAL else "unknown"


def usable(group: str, name: str, seen: FolderSeen, *, create: bool, do: str) -> Check:
    """A folder that is written to. `create`: it may be missing. `do` is for one that is not usable."""
    verdict, saw = _standing(seen, create=create)
    do = "" if verdict == "ok" else do
    if verdict == "ok" and (full := _full(seen)):
        return Check(group=group, name=name, verdict=full[0], saw=f"{saw}; {full[1]}", do=full[2])
    return Check(group=group, name=name, verdict=verdict, saw=saw, do=do)


def state(seen: FolderSeen, *, elsewhere: bool) -> list[Check]:
    """The folder where all is kept. `elsewhere`: jobs of a cluster write to it, or read it."""
    do = "name one that you may write to: state_dir in the configuration, or --state-dir"
    verdict, saw = _standing(seen, create=True)
    found = [_check("folder", verdict, saw, "" if verdict == "ok" else do)]
    if verdict != "ok":
        return found
    found += [_filesystem(seen, elsewhere=elsewhere), _room(seen)]
    found += list(_rights(seen))
    found += list(_clock(seen))
    return found


def _standing(seen: FolderSeen, *, create: bool) -> tuple[Verdict, str]:
    if seen.kind == "other":
        return "wrong", f"{seen.path} is not a folder"
    if seen.kind == "missing":
        if seen.why and not seen.above:
            return "wrong", f"{seen.path}: {seen.why}"
        if not create:
            return "wrong", f"{seen.path} does not exist"
        if seen.writable:
            return "ok", f"{seen.path} is not there yet, and can be made"
        return "wrong", f"{seen.path} is not there, and cannot be made in {seen.above}: {seen.why}"
    if seen.writable:
        return "ok", seen.path
    return "wrong", f"{seen.path} cannot be written to: {seen.why or 'not permitted'}"


def _filesystem(seen: FolderSeen, *, elsewhere: bool) -> Check:
    found = where(seen.filesystem)
    kind = seen.filesystem or "of unknown type"
    if found == "memory":
        do = "set state_dir to a folder on a disk"
        return _check(
            "filesystem", "warning", f"{kind}: in memory, gone when this machine restarts", do
        )
    if found == "local" and elsewhere:
        saw = f"{kind}: on this machine only, and jobs on other nodes do not see it"
        return _check(
            "filesystem", "warning", saw, "set state_dir to a folder that every node sees"
        )
    means = {
        "network": "a network filesystem, seen from other nodes",
        "local": "on this machine",
        "unknown": "trainwatch does not know who else sees it",
    }[found]
    return _check("filesystem", "ok", f"{kind}: {means}")


def _room(seen: FolderSeen) -> Check:
    said = [
        f"{short(seen.bytes_free, 'B')} free" if seen.bytes_free is not None else "",
        f"{short(seen.inodes_free)} inodes free" if seen.inodes_free is not None else "",
    ]
    saw = ", ".join(part for part in said if part)
    if not saw:
        return _check("room", "unknown", "the filesystem does not say what is free")
    full = _full(seen)
    return _check("room", full[0], full[1], full[2]) if full else _check("room", "ok", saw)


def _full(seen: FolderSeen) -> tuple[Verdict, str, str] | None:
    do = "make room (trainwatch disks; trainwatch checkpoints prune shows what may go)"
    for free, least, shown in (
        (seen.bytes_free, _LITTLE_BYTES, f"{short(seen.bytes_free, 'B')} free"),
        (seen.inodes_free, _FEW_INODES, f"{short(seen.inodes_free)} inodes free"),
    ):
        if free is not None and free < least:
            return ("wrong" if free == 0 else "warning"), f"only {shown}", do
    return None


def _rights(seen: FolderSeen) -> Iterator[Check]:
    if seen.kind != "folder" or seen.mode is None:
        return
    shown, mode = f"{seen.mode & 0o7777:04o}", seen.mode
    do = f"chmod 700 {shlex.quote(seen.path)}"
    if seen.mine is False:
        saw = f"{shown}; it belongs to somebody else, who can change what is kept there"
        yield _check(
            "rights", "warning", saw, "name a folder of your own: state_dir, or --state-dir"
        )
    elif mode & 0o002:
        saw = f"{shown}: everybody may write to it, and so ask trainwatch to act for you"
        yield _check("rights", "wrong", saw, do)
    elif mode & 0o020:
        saw = f"{shown}: its group may write to it, and so ask trainwatch to act for you"
        yield _check("rights", "warning", saw, f"{do}, unless the whole group is meant")
    elif mode & 0o004:
        saw = f"{shown}: everybody may look into it: names of runs, times, lines of logs"
        yield _check("rights", "warning", saw, do)
    else:
        yield _check("rights", "ok", f"{shown}: not for everybody")


def _clock(seen: FolderSeen) -> Iterator[Check]:
    if seen.skew_s is None:
        return
    ahead = "ahead of" if seen.skew_s > 0 else "behind"
    saw = f"the filesystem's clock is {duration(abs(seen.skew_s))} {ahead} this machine's"
    if abs(seen.skew_s) <= _SKEW_S:
        yield _check("clock", "ok", "this machine and the filesystem agree on the time")
        return
    verdict: Verdict = "wrong" if abs(seen.skew_s) > _SKEW_BAD_S else "warning"
    do = "tell whoever runs the cluster: heartbeats and leases go by these clocks (NTP)"
    yield _check("clock", verdict, saw, do)


def _check(name: str, verdict: Verdict, saw: str, do: str = "") -> Check:
    return Check(group=STATE, name=name, verdict=verdict, saw=saw, do=do)
