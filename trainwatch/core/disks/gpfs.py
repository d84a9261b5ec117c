"""`mmlsquota` of GPFS (Storage Scale): -Y, with colons and a header, and the table that people read.

The trap: without a name it tells of the user, the groups and the filesets in one answer. `in_doubt` is what
nodes may have written and not told of: it is left out, so a quota can be full a little earlier than is said
here.
"""

import re
from collections.abc import Iterator, Mapping

from trainwatch.core.disks.quota import unreadable
from trainwatch.core.disks.sizes import KIB, count, grace_s, limit, size_bytes
from trainwatch.core.disks.values import Allowance, Asked, Quota
from trainwatch.core.errors import AnswerUnreadable
from trainwatch.core.words import clean

_NEEDED = ("filesystemName", "quotaType", "blockUsage", "blockQuota", "blockLimit")
_TYPES = ("USR", "GRP", "FILESET")
_UNITS = {"KB": KIB, "MB": KIB**2, "GB": KIB**3, "TB": KIB**4, "blocks": KIB}
_GRACE = re.compile(r"none|expired|\d+ (?:day|hour|minute|min|second|sec)s?|\d+:\d\d")
_ESCAPED = re.compile(r"%([0-9A-Fa-f]{2})")  # a colon within a name is %3A
_LEAST = 4  # numbers of one side of the table: used, quota, limit, in doubt


def argv(asked: Asked) -> list[str]:
    """The command. A fileset (`project`) is asked for with its filesystem."""
    device = asked.filesystem or next(iter(asked.names), "")
    if asked.project:
        return ["mmlsquota", "-Y", "-j", asked.project, *([device] if device else [])]
    kinds = (("-u", asked.user), ("-g", asked.group))
    whose = [part for option, name in kinds if name for part in (option, name)]
    return ["mmlsquota", "-Y", *whose]


def parse(asked: Asked, data: bytes, at: float) -> tuple[Quota, ...]:
    """The rows of the kind that was asked for. Raises AnswerUnreadable."""
    kind = "FILESET" if asked.project else "GRP" if asked.group else "USR"
    text = data.decode("utf-8", "replace")
    rows = list(_coloned(text, at) if ":HEADER:" in text else _tabled(text, at))
    if not rows:
        raise unreadable(data)
    return tuple(quota for found, quota in rows if found == kind)


def _coloned(text: str, at: float) -> Iterator[tuple[str, Quota]]:
    names: list[str] = []
    for line in text.splitlines():
        cells = line.split(":")
        if len(cells) < 3 or cells[0] != "mmlsquota":
            continue
        if cells[2] == "HEADER":
            names = cells
            missing = [name for name in _NEEDED if name not in names]
            if missing:
                raise AnswerUnreadable(f"mmlsquota -Y without a column {missing[0]}")
            continue
        if len(cells) < len(names) - 1:
            raise AnswerUnreadable(f"not a row of mmlsquota -Y: {clean(line, 80)}")
        plain = [_ESCAPED.sub(lambda code: chr(int(code[1], 16)), cell) for cell in cells]
        row = dict(zip(names, plain, strict=False))
        yield (
            row["quotaType"],
            Quota(
                filesystem=row["filesystemName"],
                bytes=_of_row(row, "block", at),
                inodes=_of_row(row, "files", at),
            ),
        )


def _of_row(row: Mapping[str, str], what: str, at: float) -> Allowance:
    cells = [row.get(f"{what}{column}", "") for column in ("Usage", "Quota", "Limit")]
    if not any(cells):
        return Allowance()
    return _allowance(cells, row.get(f"{what}Grace", ""), KIB if what == "block" else 0, at)


def _tabled(text: str, at: float) -> Iterator[tuple[str, Quota]]:
    """Rows below the header: which columns it has, and the unit, is said there."""
    unit, before = 0, 0
    for line in text.splitlines():
        left, bar, right = line.partition("|")
        words = left.split()
        if words[:1] == ["Filesystem"]:
            unit = next((_UNITS[word] for word in words if word in _UNITS), 0)
            before = words.index("type") if "type" in words else 0
        elif unit and before and len(words) > before and words[before] in _TYPES:
            yield words[before], _row(words[0], words[before + 1 :], bar, right.split(), unit, at)


def _row(name: str, left: list[str], bar: str, right: list[str], unit: int, at: float) -> Quota:
    if left[:2] == ["no", "limits"]:
        return Quota(filesystem=name)
    if not bar or len(left) < _LEAST or len(right) < _LEAST:
        raise AnswerUnreadable(f"not a row of mmlsquota: {clean(' '.join((name, *left)), 80)}")
    return Quota(
        filesystem=name,
        bytes=_allowance(left[:3], _grace(left), unit, at),
        inodes=_allowance(right[:3], _grace(right), 0, at),
    )


def _grace(words: list[str]) -> str:
    """Behind the numbers; remarks may follow it."""
    match = _GRACE.match(" ".join(words[_LEAST:]))
    return match[0] if match else ""


def _allowance(cells: list[str], grace: str, unit: int, at: float) -> Allowance:
    """`unit` 0: these are files. Here `none` is that no grace runs, and a grace that is over is `expired`."""
    found = [size_bytes(text, plain=unit) if unit else count(text) for text in cells]
    if any(one is None for one in found):
        raise AnswerUnreadable(f"not numbers of mmlsquota: {clean(' '.join(cells), 80)}")
    left_s = None if grace in ("none", "") else grace_s(grace)
    return Allowance(
        used=found[0],
        soft=limit(found[1]),
        hard=limit(found[2]),
        grace_until=None if left_s is None else at + left_s,
    )
