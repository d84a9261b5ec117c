"""Looks through watched folders for core files and outputs: so deep, so many entries, so many stats a second.

The trap: a folder of a parallel filesystem may hold millions of files, and each stat is a question to a
server that all share. So names are looked at first, links are never followed, and only regular files are
opened.
"""

import glob
import os
import stat
from collections import deque
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from itertools import islice
from typing import NamedTuple

from trainwatch.core.strays import HEAD_BYTES, Found, is_core, kind_of

_DEPTH = 2
_MOST_ENTRIES, _MOST_ROOTS = 20_000, 200
_STATS, _PAUSE_S = 50, 0.25  # 200 a second


class Scan(NamedTuple):
    """What was found, and what could not be looked at (in sentences)."""

    found: list[Found]
    troubles: tuple[str, ...] = ()


def scan(
    patterns: Sequence[str],
    wait: Callable[[float], None],
    *,
    depth: int = _DEPTH,
    most_entries: int = _MOST_ENTRIES,
) -> Scan:
    """Every watched folder (globs are resolved) and `depth` levels of folders in it. Raises nothing.

    `wait` is called between stats. May hang: called in a thread that can be given up on.
    """
    found, troubles = list[Found](), list[str]()
    entries, stats = _Budget(most_entries), 0
    for root in _roots(patterns, troubles):
        for entry in _walk(root, depth, entries, troubles):
            kind = kind_of(entry.name)
            if kind is None:
                continue
            stats += 1
            if stats % _STATS == 0:
                wait(_PAUSE_S)
            with suppress(OSError):  # it may be gone
                size = entry.stat(follow_symlinks=False).st_size
                if kind == "output" or _proved(entry.path):
                    found.append(Found(entry.path, kind, size))
        if entries.left <= 0:
            troubles.append(
                f"{root}: only the first {most_entries:,} entries of the watched folders are looked at"
            )
            break
    return Scan(found, tuple(troubles))


class _Budget:
    def __init__(self, left: int) -> None:
        self.left = left


def _roots(patterns: Sequence[str], troubles: list[str]) -> Iterator[str]:
    for pattern in patterns:
        if not glob.has_magic(pattern):
            yield pattern
            continue
        named = list(islice(glob.iglob(pattern), _MOST_ROOTS + 1))  # noqa: PTH207 - is absolute
        if len(named) > _MOST_ROOTS:
            troubles.append(
                f"{pattern}: only {_MOST_ROOTS} of the folders that match are looked at"
            )
        yield from sorted(path for path in named[:_MOST_ROOTS] if os.path.isdir(path))  # noqa: PTH112


def _walk(
    root: str, depth: int, entries: _Budget, troubles: list[str]
) -> Iterator["os.DirEntry[str]"]:
    """Regular files, level by level."""
    folders = deque([(root, 0)])
    while folders and entries.left > 0:
        folder, level = folders.popleft()
        try:
            with os.scandir(folder) as listed:
                for entry in islice(listed, entries.left):
                    entries.left -= 1
                    if entry.is_dir(follow_symlinks=False):
                        if level < depth:
                            folders.append((entry.path, level + 1))
                    elif entry.is_file(follow_symlinks=False):
                        yield entry
        except OSError as error:
            if folder == root:  # folders in it may be gone meanwhile, or be closed to us
                troubles.append(f"{folder}: {error.strerror}")


def _proved(path: str) -> bool:
    """By its first bytes. What is no regular file any more is not waited for."""
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        if not stat.S_ISREG(os.fstat(descriptor).st_mode):
            return False
        return is_core(os.read(descriptor, HEAD_BYTES))
    finally:
        os.close(descriptor)
