"""`lfs quota` of Lustre, of a user, a group or a project, as values.

The trap: what it prints in brackets it could not learn from all servers. Such a number is too small, and
taken for unknown here.
"""

from trainwatch.core.disks.quota import row, unreadable
from trainwatch.core.disks.values import Asked, Quota
from trainwatch.core.errors import AnswerUnreadable

_TITLE = "Disk quotas for "
_COLUMNS = 8  # behind the name


def argv(asked: Asked) -> list[str]:
    """The command, in KiB."""
    kinds = (("-u", asked.user), ("-g", asked.group), ("-p", asked.project))
    whose = [part for option, name in kinds if name for part in (option, name)]
    return ["lfs", "quota", *whose, asked.path]


def parse(asked: Asked, data: bytes, at: float) -> tuple[Quota, ...]:
    """A row for each of whom was told. Raises AnswerUnreadable.

    Lines of its servers (with -v) are left out: they are parts of the first.
    """
    found = list[Quota]()
    lines = data.decode("utf-8", "replace").splitlines()
    for number, line in enumerate(lines):
        words = line.split()
        if words[:2] != ["Filesystem", "kbytes"] and words[:2] != ["Filesystem", "used"]:
            continue
        below = [word for text in lines[number + 1 : number + 3] for word in text.split()]
        name, cells = below[:1], below[1 : 1 + _COLUMNS]
        if len(cells) < _COLUMNS:
            raise unreadable(" ".join(below).encode())
        found.append(row(name[0], cells, at))
    if not found:
        raise unreadable(data)
    if all(one.bytes.used is None and one.inodes.used is None for one in found):
        raise AnswerUnreadable("lfs quota did not hear from all servers: what is used is not known")
    return tuple(found)
