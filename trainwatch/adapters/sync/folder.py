"""What lies below a route's root and is meant by its globs.

The trap: a link may lead out of the root, to another's secrets or round in a circle. Links to folders are not
followed, and a link to a file only when the file lies below the root, too.
"""

import hashlib
import os
import stat
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from trainwatch.core import globs
from trainwatch.core.model.syncing import Found
from trainwatch.core.upload import HEAD_BYTES, is_log

_MOST = 50_000  # files: a glob that means more is a mistake
_NOT_OURS = frozenset((".git", ".cache"))  # the Hub takes nothing below such a folder
_HIDDEN_ENDS = (".tmp", ".partial")


class Look(NamedTuple):
    """The files, by name, and what is left out with the reason: at most a few. `trouble`: no look at all."""

    files: tuple[Found, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    trouble: str = ""


def look(root: str, patterns: Sequence[str], known: Mapping[str, tuple[int, int]]) -> Look:
    """See Look. `known`: size and mtime by name of what is not read again. Raises nothing but bugs."""
    left_out = list[tuple[str, str]]()
    files = list[Found]()
    try:
        real = os.path.realpath(root, strict=True)
        with os.scandir(real):
            pass
        for found in _walk(real, "", globs.tails(patterns), left_out):
            if len(files) == _MOST:
                left_out.append(("the rest", f"only {_MOST} files are looked at"))
                break
            new = known.get(found.name) != (found.bytes, found.mtime_ns)
            files.append(_headed(real, found) if is_log(found.name) and new else found)
    except OSError as error:
        return Look(trouble=f"{root}: {(error.strerror or 'it cannot be read').lower()}")
    return Look(tuple(files), tuple(left_out))


def _walk(
    root: str, below: str, left: globs.Tails, left_out: list[tuple[str, str]]
) -> Iterator[Found]:
    place = os.path.join(root, below) if below else root  # noqa: PTH118
    try:
        with os.scandir(place) as entries:
            listed = sorted(entries, key=lambda entry: entry.name)
    except OSError as error:
        left_out.append((_shown(below), (error.strerror or "it cannot be read").lower()))
        return
    for entry in listed:
        after = globs.step(left, entry.name)
        name = f"{below}/{entry.name}" if below else entry.name
        try:
            if entry.is_dir(follow_symlinks=False):
                if globs.deeper(after) and entry.name not in _NOT_OURS:
                    yield from _walk(root, name, after, left_out)
            elif globs.meant(after) and (found := _found(root, entry, name, left_out)):
                yield found
        except OSError as error:
            left_out.append((_shown(name), (error.strerror or "it cannot be read").lower()))


def _found(
    root: str, entry: "os.DirEntry[str]", name: str, left_out: list[tuple[str, str]]
) -> Found | None:
    if name.lower().endswith(_HIDDEN_ENDS):
        return None
    if why := _nameless(name):
        left_out.append((_shown(name), why))
        return None
    if entry.is_symlink():
        real = os.path.realpath(entry.path)
        if os.path.isdir(real):  # noqa: PTH112
            left_out.append((_shown(name), "it is a link to a folder"))
            return None
        if not real.startswith(root.rstrip("/") + "/"):
            left_out.append((_shown(name), "it is a link that leads out of the root"))
            return None
    seen = entry.stat()
    if not stat.S_ISREG(seen.st_mode):
        return None
    return Found(name=name, bytes=seen.st_size, mtime_ns=seen.st_mtime_ns)


def _nameless(name: str) -> str:
    """Why no other place could be trusted to take the name; empty if it may be sent."""
    if not name.isprintable():
        return "its name holds control characters or is not UTF-8"
    return ""


def _headed(root: str, found: Found) -> Found:
    """With the size that the opened file has: a network filesystem may have answered with an old one."""
    try:
        with open(os.path.join(root, found.name), "rb") as file:  # noqa: PTH118, PTH123 - any name
            seen = os.fstat(file.fileno())
            data = file.read(HEAD_BYTES)
    except OSError:
        return found  # who cannot read it will be told when it is copied
    head = hashlib.sha256(data).hexdigest()[:16] if len(data) == HEAD_BYTES else ""
    return Found(name=found.name, bytes=seen.st_size, mtime_ns=seen.st_mtime_ns, head=head)


def _shown(name: str) -> str:
    return os.fsencode(name or ".").decode("utf-8", "replace")
