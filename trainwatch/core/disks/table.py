"""Which quota commands there are, and the one row of an answer that is meant.

The trap: an answer that was cut off looks like a smaller quota. All of them end with a line end.
"""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from trainwatch.core.disks import gpfs, idrquota, lustre, own, quota
from trainwatch.core.disks.values import Asked, Quota
from trainwatch.core.errors import AnswerUnreadable
from trainwatch.core.words import clean

MOST_BYTES = 256 * 1024  # of an answer; what is longer is none


class Command(NamedTuple):
    """A row of the table: how it is asked, and what its answer means. `parse` raises AnswerUnreadable."""

    argv: Callable[[Asked], list[str]]
    parse: Callable[[Asked, bytes, float], tuple[Quota, ...]]


COMMANDS = {
    "quota": Command(quota.argv, quota.parse),
    "lustre": Command(lustre.argv, lustre.parse),
    "gpfs": Command(gpfs.argv, gpfs.parse),
    "idrquota": Command(idrquota.argv, idrquota.parse),
    "own": Command(own.argv, own.parse),
}


def argv(kind: str, asked: Asked) -> list[str]:
    """What is to be run; `command` of the settings goes before the usual one."""
    return list(asked.command) or COMMANDS[kind].argv(asked)


def parse(kind: str, asked: Asked, data: bytes, at: float) -> Quota:
    """The row that is meant. `at`: when it was answered. Raises AnswerUnreadable."""
    if not data.strip():
        raise AnswerUnreadable("nothing was answered")
    if len(data) > MOST_BYTES:
        raise AnswerUnreadable(f"an answer of more than {MOST_BYTES // 1024} KiB is no quota")
    if kind != "own" and not data.endswith(b"\n"):
        raise AnswerUnreadable("the answer was cut off")
    found = _meant(COMMANDS[kind].parse(asked, data, at), asked)
    if found.bytes.free(at) is None and found.inodes.free(at) is None:
        raise AnswerUnreadable(f"there is no limit for {clean(_whom(asked), 80)}")
    return found


def _meant(rows: Sequence[Quota], asked: Asked) -> Quota:
    """By the name that was said, else the names of the path's filesystem, else the only one."""
    if asked.filesystem:
        named = [
            row for row in rows if asked.filesystem in (row.filesystem, _short(row.filesystem))
        ]
    else:
        named = [row for row in rows if {row.filesystem, _short(row.filesystem)} & {*asked.names}]
        named = named or (list(rows) if len(rows) == 1 else [])
    if named:
        return named[0]
    if not rows:
        raise AnswerUnreadable(f"there is no quota for {clean(_whom(asked), 80)}")
    known = clean(", ".join(dict.fromkeys(row.filesystem for row in rows)), 200)
    raise AnswerUnreadable(f"none of these filesystems is meant: {known}; set filesystem to one")


def _whom(asked: Asked) -> str:
    kinds = (("user", asked.user), ("group", asked.group), ("project", asked.project))
    whose = [f"{kind} {name}" for kind, name in kinds if name]
    return f"{', '.join(whose) or 'whoever asks'} on {asked.path}"


def _short(name: str) -> str:
    """`gpfs0` of `/dev/gpfs0`."""
    return name.rstrip("/").rpartition("/")[2] or name
