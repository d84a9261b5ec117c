"""A folder as it is found: whether it can be used, what its filesystem is, has free, and takes for the time.

The trap: a look at a network filesystem whose server is gone never ends, so `seen` is called in a thread that
can be given up on (app/probe.py). Root may do everything that rights forbid: a trial tells more than they do.
"""

import os
import stat
import tempfile
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

from trainwatch.core.doctor.folders import FolderSeen, Kind


def seen(path: str, now: Callable[[], float], *, trial: bool = False) -> FolderSeen:
    """A look at it. `trial`: a file of a moment is written there, if it is there. Raises nothing."""
    place = Path(path)
    kind, why = _kind(place)
    if kind == "other" or (why and kind == "folder"):
        return FolderSeen(path=path, kind=kind, writable=False, why=why)
    there = place if kind == "folder" else _above(place)
    if there is None:
        return FolderSeen(path=path, kind=kind, writable=False, why=why)
    status = there.stat()
    writable, skew_s = os.access(there, os.W_OK | os.X_OK), None
    if kind == "missing" and not stat.S_ISDIR(status.st_mode):
        return _not_below(path, there)
    if trial and kind == "folder":
        skew_s, why = _tried(there, now)
        writable = not why
    elif not writable:
        why = "not permitted"
    room = os.statvfs(there)
    return FolderSeen(
        path=path,
        kind=kind,
        writable=writable,
        why="" if writable else why,
        above=str(there) if kind == "missing" else "",
        filesystem=filesystem(str(there)),
        mode=stat.S_IMODE(status.st_mode) if kind == "folder" else None,
        mine=status.st_uid == os.geteuid() if kind == "folder" else None,
        bytes_free=room.f_bavail * room.f_frsize,
        inodes_free=room.f_favail if room.f_files else None,
        skew_s=skew_s,
    )


def filesystem(path: str) -> str:
    """The type of a path's filesystem, as the kernel names it; empty where nobody says."""
    place = Path(os.path.realpath(path))
    above = {str(place), *map(str, place.parents)}
    with suppress(OSError, RuntimeError):
        over = [mount for mount in psutil.disk_partitions(all=True) if mount.mountpoint in above]
        # of two that are mounted over one another the last counts
        return max(enumerate(over), key=lambda one: (len(one[1].mountpoint), one[0]))[1].fstype
    return ""


def _kind(place: Path) -> tuple[Kind, str]:
    try:
        mode = place.stat().st_mode
    except FileNotFoundError:
        return "missing", ""
    except NotADirectoryError:
        return "missing", "a part of its path is a file"
    except OSError as error:
        return "folder", error.strerror or str(error)
    return ("folder", "") if stat.S_ISDIR(mode) else ("other", "it is not a folder")


def _above(place: Path) -> Path | None:
    """The nearest that is there."""
    for parent in place.absolute().parents:
        with suppress(OSError):
            if parent.exists():
                return parent
    return None


def _not_below(path: str, there: Path) -> FolderSeen:
    why = "it is a file, not a folder"
    return FolderSeen(path=path, kind="missing", writable=False, why=why, above=str(there))


def _tried(folder: Path, now: Callable[[], float]) -> tuple[float | None, str]:
    """How far the filesystem's clock is ahead, by a file that is written and removed; or why it cannot be."""
    try:
        with tempfile.NamedTemporaryFile(dir=folder, prefix=".doctor-") as file:
            before = now()
            file.write(b"trainwatch doctor\n")
            file.flush()
            os.fsync(file.fileno())
            written = os.stat(file.name).st_mtime  # noqa: PTH116 - the same, said shorter
            after = now()
    except OSError as error:
        return None, error.strerror or str(error)
    if written > after:
        return written - after, ""
    return min(0.0, written - before), ""
