"""Waking the loop early when a log on a local filesystem is written to. A hint, never the truth.

inotify does not see what another node writes to NFS, Lustre or GPFS, and stays silent about it: there the
mount type says so, and nothing is watched.
"""

from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil
from watchdog.events import FileSystemEvent, FileSystemEventHandler
from watchdog.observers import Observer

_LOCAL = frozenset(
    {
        "ext2",
        "ext3",
        "ext4",
        "xfs",
        "btrfs",
        "zfs",
        "tmpfs",
        "ramfs",
        "overlay",
        "f2fs",
        "apfs",
        "jfs",
    }
)


class Hints:
    """Calls `wake` when one of the logs is written to. `close` ends it."""

    def __init__(self, logs: list[Path], wake: Callable[[], None]) -> None:
        self._observer = Observer()
        self.folders = sorted({log.parent for log in logs if is_local(log.parent)})
        names = frozenset(str(log) for log in logs)
        for folder in self.folders:
            with suppress(OSError):  # no more inotify watches to be had: polling goes on
                self._observer.schedule(_Handler(names, wake), str(folder))
        with suppress(OSError):
            self._observer.start()

    def close(self) -> None:
        """End the observer's threads."""
        if self._observer.is_alive():
            self._observer.stop()
            self._observer.join(timeout=2)


class _Handler(FileSystemEventHandler):
    def __init__(self, names: frozenset[str], wake: Callable[[], None]) -> None:
        self._names = names
        self._wake = wake

    def on_any_event(self, event: FileSystemEvent) -> None:
        if event.event_type in ("opened", "closed_no_write"):
            return
        if str(event.src_path) in self._names or str(event.dest_path) in self._names:
            self._wake()


def is_local(folder: Path) -> bool:
    """Whether every writer to this folder is on this machine, as far as the mount type tells."""
    return mount_type(folder) in _LOCAL


def mount_type(folder: Path) -> str:
    """The filesystem type of the mount that holds a folder; empty when it cannot be told."""
    try:
        mounts = psutil.disk_partitions(all=True)
    except OSError:
        return ""
    path = folder.absolute()
    holding = [m for m in mounts if path.is_relative_to(m.mountpoint)]
    return max(holding, key=lambda m: len(m.mountpoint)).fstype if holding else ""
