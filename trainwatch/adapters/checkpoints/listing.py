"""Lists the checkpoints of a root, each directory file by file, without asking twice for what did not change.

The trap: a root may hold millions of files on a filesystem that others wait for. Files are asked for at a
bounded rate; a complete checkpoint whose directory did not change is not walked again for a day.
"""

import errno
import os
import stat
from collections.abc import Callable, Collection, Iterator
from contextlib import suppress
from pathlib import Path
from typing import NamedTuple

import msgspec

from trainwatch.adapters.checkpoints.pace import Pace
from trainwatch.core.checkpoints import layouts, survey, trackers
from trainwatch.core.checkpoints.contents import Adding, Contents
from trainwatch.core.checkpoints.layouts import UNFINISHED, Named
from trainwatch.core.checkpoints.survey import Survey
from trainwatch.core.checkpoints.trackers import Tracker
from trainwatch.core.errors import UsageError
from trainwatch.core.words import clean

AGAIN_S = 86_400.0  # so often times of access are asked for anew
_GONE = frozenset({errno.ENOENT, errno.ENOTDIR, errno.ESTALE})


class Seen(msgspec.Struct, frozen=True, kw_only=True):
    """What a checkpoint was when it was last walked. `key` changes with its directory."""

    key: tuple[int, int]  # inode, mtime in ns
    at: float
    contents: Contents
    complete: bool = False


class _Root(NamedTuple):
    """What stands in the root itself."""

    found: list[tuple[Named, "os.DirEntry[str]"]]
    unfinished: frozenset[str]
    links: list[str]


class Lister:
    """Of one root. `pause` sleeps, `monotonic` is a clock in s."""

    def __init__(
        self,
        root: Path,
        stats_per_s: float,
        monotonic: Callable[[], float],
        pause: Callable[[float], None],
        known: dict[str, Seen] | None = None,
    ) -> None:
        """`known`: what an earlier process saw."""
        self.root, self.known = root, dict(known or {})
        self._pace = Pace(stats_per_s, monotonic, pause)

    def look(
        self,
        now: float,
        told: Callable[[int, int], None] | None = None,
        anew: Collection[str] = (),
    ) -> Survey:
        """All of them. `told` hears how many of how many were looked at; `anew` are walked anyway.

        Raises UsageError for a root that is no directory of its own, or cannot be listed.
        """
        named, root = self._trackers(), self._list()
        there, unseen = list[tuple[Named, Contents]](), list[str]()
        for place, (one, entry) in enumerate(root.found):
            if told is not None:
                told(place, len(root.found))
            contents = self._contents(one, entry, now, unseen, one.name in anew)
            if contents is not None:
                there.append((one, contents))
        made = survey.survey(
            there,
            {tracker.file: tracker for tracker in named},
            now,
            unfinished=root.unfinished,
            known=[name for name, seen in self.known.items() if seen.complete],
            unseen=unseen,
            left=root.links,
        )
        self._remember(made)
        return made

    def _list(self) -> _Root:
        there, links = list[os.DirEntry[str]](), list[str]()
        beside, unfinished = set[str](), set[str]()
        for entry in _entries(self.root):
            if entry.name in layouts.TRACKERS:
                beside.add(entry.name)
            elif entry.name.endswith(UNFINISHED):
                unfinished.add(entry.name.removesuffix(UNFINISHED))
            there.append(entry)
        found = []
        for entry in there:
            one = layouts.named(entry.name, beside)
            if one is None:
                continue
            if entry.is_symlink():
                links.append(f"{clean(entry.name, 80)} is a symbolic link, which is left alone")
            elif entry.is_dir(follow_symlinks=False) or one.kind == "lightning":
                found.append((one, entry))
        marked = {e.name for e in there if _marks(e.name, unfinished)}
        return _Root(found, frozenset(marked), links)

    def _trackers(self) -> list[Tracker]:
        found = []
        for file in layouts.TRACKERS:
            try:
                data = read_small(self.root / file)
            except FileNotFoundError:
                continue
            except OSError as error:
                found.append(Tracker(file, "", trouble=f"{file}: {error.strerror}"))
                continue
            found.append(trackers.read(file, data))
        return found

    def _contents(
        self,
        one: Named,
        entry: "os.DirEntry[str]",
        now: float,
        unseen: list[str],
        anew: bool = False,
    ) -> Contents | None:
        """None where it is gone meanwhile."""
        self._pace.step()
        try:
            status = entry.stat(follow_symlinks=False)
        except OSError as error:
            if error.errno not in _GONE:
                unseen.append(f"{clean(one.name, 80)}: {error.strerror}")
            return None
        key, before = (status.st_ino, status.st_mtime_ns), self.known.get(one.name)
        fresh = before is not None and 0 <= now - before.at < AGAIN_S and not anew
        if before and before.complete and before.key == key and fresh:
            return before.contents
        adding = Adding(one.iteration)
        if stat.S_ISREG(status.st_mode):
            adding.take(one.name, status.st_size, status.st_mtime, status.st_atime)
        else:
            troubles = self._walk(Path(entry.path), adding)
            unseen.extend(f"{clean(one.name, 80)}/{trouble}" for trouble in troubles)
        contents = adding.done()
        same = before is not None and before.complete and _is_as(before.contents, contents)
        self.known[one.name] = Seen(key=key, at=now, contents=contents, complete=same)
        return contents

    def _walk(self, top: Path, adding: Adding) -> Iterator[str]:
        """Adds up all below; yields what could not be looked at."""
        left = [""]
        while left:
            below = left.pop()
            try:
                with os.scandir(top / below) as entries:
                    for entry in entries:
                        name = f"{below}/{entry.name}" if below else entry.name
                        if entry.is_dir(follow_symlinks=False):
                            left.append(name)
                            continue
                        self._pace.step()
                        status = entry.stat(follow_symlinks=False)
                        adding.take(name, status.st_size, status.st_mtime, status.st_atime)
            except OSError as error:
                adding.miss()
                if error.errno not in _GONE:
                    yield f"{clean(below, 80)}: {error.strerror}"

    def _remember(self, made: Survey) -> None:
        complete = {one.name: one.complete is True for one in made.found}
        self.known = {
            name: msgspec.structs.replace(self.known[name], complete=whole)
            for name, whole in complete.items()
            if name in self.known
        }


def checked(root: Path) -> None:
    """Raises UsageError for a root that is not a directory itself."""
    try:
        status = root.lstat()
    except OSError as error:
        raise UsageError(f"{root}: {error.strerror}") from error
    if stat.S_ISLNK(status.st_mode):
        raise UsageError(f"{root} is a symbolic link: name the folder itself, {root.resolve()}")
    if not stat.S_ISDIR(status.st_mode):
        raise UsageError(f"{root} is not a folder of checkpoints")


def read_small(path: Path) -> bytes:
    """The beginning of a small file that is no link. Raises OSError."""
    handle = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK)
    try:
        if not stat.S_ISREG(os.fstat(handle).st_mode):
            raise OSError(errno.EINVAL, "is not a file", str(path))
        return os.read(handle, trackers.MOST_BYTES)
    finally:
        os.close(handle)


def _entries(root: Path) -> Iterator["os.DirEntry[str]"]:
    checked(root)
    try:
        with os.scandir(root) as entries:
            yield from entries
    except OSError as error:
        raise UsageError(f"{root}: {error.strerror}") from error


def _marks(name: str, unfinished: set[str]) -> bool:
    """A marker is named like the checkpoint, with or without the ending that a file's name has."""
    return name in unfinished or name.removesuffix(".ckpt") in unfinished


def _is_as(before: Contents, now: Contents) -> bool:
    return (before.shape, before.bytes, before.empty) == (now.shape, now.bytes, now.empty)


def elsewhere(root: Path, name: str) -> str:
    """Why a name in a root is not a directory (or file) of the root's own filesystem; empty where it is."""
    with suppress(OSError):
        status = (root / name).lstat()
        if stat.S_ISLNK(status.st_mode):
            return f"{clean(name, 80)} is a symbolic link"
        if status.st_dev != root.lstat().st_dev:
            return f"{clean(name, 80)} is on another filesystem"
        return ""
    return f"{clean(name, 80)} is gone"
