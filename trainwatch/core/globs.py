"""Which names below a folder are meant by globs such as `logs/*.txt` and `**/events.out.tfevents.*`.

The trap: `fnmatch` lets a star cross a slash, and `glob` follows links round and round. Here names are
matched part by part, so that a walk knows which folders it need not enter.
"""

from collections.abc import Iterable
from fnmatch import fnmatchcase

Tail = tuple[str, ...]  # what of a glob is still to be matched, part by part
Tails = frozenset[Tail]
_ANY = "**"


def tails(globs: Iterable[str]) -> Tails:
    """Globs, ready to be walked along. `**` stands for any number of folders."""
    return frozenset(tuple(part for part in one.split("/") if part) for one in globs)


def step(left: Tails, name: str) -> Tails:
    """What is left to match below `name`, a file or folder; the empty tail says that it itself is meant."""
    return frozenset(after for tail in left for after in _after(tail, name))


def meant(left: Tails) -> bool:
    """Whether what was walked to is itself meant."""
    return () in left


def deeper(left: Tails) -> bool:
    """Whether something below may be meant."""
    return any(left)


def _after(tail: Tail, name: str) -> Iterable[Tail]:
    if not tail:
        return
    first, rest = tail[0], tail[1:]
    if first == _ANY:
        if not name.startswith("."):
            yield tail
            if not rest:
                yield ()
        yield from _after(rest, name)
    elif fnmatchcase(name, first) and (not name.startswith(".") or first.startswith(".")):
        yield rest
