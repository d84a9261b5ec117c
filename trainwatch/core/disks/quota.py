"""Linux' `quota`, of a user, a group or a project: all its filesystems, as values.

The trap: a long name of a filesystem stands on a line of its own, and an empty grace is no column at all. We
ask for one line each (-w) and for graces as numbers (-p); what people ask for (-s) is understood, too.
"""

import re

from trainwatch.core.disks.sizes import KIB, count, grace_s, limit, size_bytes
from trainwatch.core.disks.values import Allowance, Asked, Quota
from trainwatch.core.errors import AnswerUnreadable
from trainwatch.core.words import clean

_GRACE = re.compile(r"-|none|\d+:\d\d|\d+\s*(?:days?|hours?|minutes?|seconds?)|(?:\d+[wdhms])+")
_TITLE = re.compile(r"Disk quotas for (?:user|group|project|usr|grp|prj) .*?:\s*(none)?\s*")
_WHOLE = 8  # columns of a row with both graces


def argv(asked: Asked) -> list[str]:
    """The command. It exits with 1 when somebody is over a limit: that is an answer."""
    whose = [
        part
        for option, name in (("-u", asked.user), ("-g", asked.group), ("-P", asked.project))
        if name
        for part in (option, name)
    ]
    return ["quota", "-v", "-w", "-p", *whose]


def parse(asked: Asked, data: bytes, at: float) -> tuple[Quota, ...]:
    """A row for each filesystem that was told of; `at` is when. Raises AnswerUnreadable."""
    found, name, titled = list[Quota](), "", False
    for line in data.decode("utf-8", "replace").splitlines():
        words = line.split()
        if not words or words[0] == "Filesystem":
            continue
        if _TITLE.fullmatch(line.strip()):
            titled = True
        elif len(words) == 1 and not name:
            name = words[0]
        else:
            cells = words if name else words[1:]
            found.append(row(name or words[0], cells, at))
            name = ""
    if name or not (found or titled):
        raise unreadable(data)
    return tuple(found)


def row(name: str, cells: list[str], at: float) -> Quota:
    """One filesystem of an answer. Raises AnswerUnreadable for what is no row."""
    whole = _whole(cells)
    if whole is None:
        raise AnswerUnreadable(f"not a row of a quota: {clean(' '.join((name, *cells)), 80)}")
    return Quota(
        filesystem=name,
        bytes=_allowance(whole[:4], at, is_size=True),
        inodes=_allowance(whole[4:], at, is_size=False),
    )


def unreadable(data: bytes) -> AnswerUnreadable:
    """For an answer in another form."""
    text = data.decode("utf-8", "replace").strip()
    said = clean(text.partition("\n")[0], 80) if text else "nothing was answered"
    return AnswerUnreadable(f"not an answer of a quota command: {said}")


def _whole(cells: list[str]) -> list[str] | None:
    """The row with both graces, an empty one as a dash; None if it has too few or too many columns."""
    if len(cells) == _WHOLE:
        return cells
    if len(cells) == _WHOLE - 2:
        return [*cells[:3], "-", *cells[3:], "-"]
    if len(cells) == _WHOLE - 1 and _GRACE.fullmatch(cells[3]):
        return [*cells, "-"]
    if len(cells) == _WHOLE - 1 and _GRACE.fullmatch(cells[6]):
        return [*cells[:3], "-", *cells[3:]]
    return None


def _allowance(cells: list[str], at: float, *, is_size: bool) -> Allowance:
    used, soft, hard = (_amount(text, is_size=is_size) for text in cells[:3])
    return Allowance(
        used=used, soft=limit(soft), hard=limit(hard), grace_until=_grace_until(cells[3], at)
    )


def _amount(text: str, *, is_size: bool) -> int | None:
    """A number, with a star when it is over a limit. In brackets it is not known: a server did not answer."""
    if text == "-" or text.startswith("["):
        return None
    bare = text.removesuffix("*")
    found = size_bytes(bare, plain=KIB) if is_size else count(bare)
    if found is None:
        raise AnswerUnreadable(f"not a number of a quota: {clean(text, 40)}")
    return found


def _grace_until(text: str, at: float) -> float | None:
    """-p prints the end of the grace as s since the epoch, and 0 for none."""
    bare = text.strip("[]")
    if bare.isascii() and bare.isdigit() and len(bare) < 15:
        return float(bare) or None
    if bare in ("-", ""):
        return None
    left_s = grace_s(bare)
    if left_s is None:
        raise AnswerUnreadable(f"not the grace of a quota: {clean(text, 40)}")
    return at + left_s
