"""A quota command of the user's own: a regular expression with named groups says what in its answer is what.

Groups: bytes_used, bytes_free, bytes_total, inodes_used, inodes_free, inodes_total; behind each may stand
its unit (bytes_used_unit). Without a unit bytes are bytes. The trap: what is used says nothing without what
it is of.
"""

import re

from trainwatch.core.disks.quota import unreadable
from trainwatch.core.disks.sizes import count, size_bytes
from trainwatch.core.disks.values import Allowance, Asked, Quota
from trainwatch.core.errors import AnswerUnreadable
from trainwatch.core.words import clean

_KINDS = ("bytes", "inodes")
GROUPS = tuple(f"{kind}_{what}" for kind in _KINDS for what in ("used", "free", "total"))
_UNITS = tuple(f"{group}_unit" for group in GROUPS if group.startswith("bytes"))
_SPACED = re.compile(r"(?<=\d)[ ,'_](?=\d{3}(?!\d))")


def problem(pattern: str) -> str:
    """What is wrong with a pattern, in a sentence; empty if it will do."""
    try:
        found = set(re.compile(pattern).groupindex)
    except re.error as error:
        return f"pattern is no regular expression: {error}"
    unknown = sorted(found - {*GROUPS, *_UNITS})
    if unknown:
        return f"pattern has a group '{unknown[0]}'; known are {', '.join(GROUPS)}, and *_unit of bytes"
    if not any(_tells(found, kind) for kind in _KINDS):
        return "pattern needs a group (?P<bytes_free>...), or (?P<bytes_used>...) and (?P<bytes_total>...)"
    return ""


def argv(asked: Asked) -> list[str]:
    """The command, as the user wrote it."""
    return list(asked.command)


def parse(asked: Asked, data: bytes, at: float) -> tuple[Quota, ...]:
    """One row, of the first place that the pattern finds. Raises AnswerUnreadable."""
    text = data.decode("utf-8", "replace")
    match = re.search(asked.pattern, text, re.MULTILINE)
    if match is None:
        raise AnswerUnreadable(f"the pattern finds nothing in its answer: {_said(data)}")
    values = {name: _amount(match, name) for name in GROUPS}
    sizes, files = (_allowance(values, kind) for kind in _KINDS)
    if sizes is None and files is None:
        raise unreadable(data)
    return (
        Quota(
            filesystem=asked.filesystem or asked.path,
            bytes=sizes or Allowance(),
            inodes=files or Allowance(),
        ),
    )


def _tells(groups: set[str], kind: str) -> bool:
    return f"{kind}_free" in groups or {f"{kind}_used", f"{kind}_total"} <= groups


def _amount(match: re.Match[str], name: str) -> int | None:
    groups = match.groupdict()
    number = (groups.get(name) or "").strip()
    if not number:
        return None
    bare = _SPACED.sub("", number)
    unit = (groups.get(f"{name}_unit") or "").strip()
    found = size_bytes(bare + unit) if name.startswith("bytes") else count(bare)
    if found is None:
        raise AnswerUnreadable(f"{name} is no number: {clean(f'{number} {unit}'.strip(), 40)}")
    return found


def _allowance(values: dict[str, int | None], kind: str) -> Allowance | None:
    """What is free makes a limit: as much as is used, and so much more."""
    used, free, total = (values[f"{kind}_{what}"] for what in ("used", "free", "total"))
    if total is not None and (used is not None or free is not None):
        return Allowance(
            used=total - free if used is None and free is not None else used, hard=total
        )
    if free is None:
        return None
    return Allowance(used=used or 0, hard=(used or 0) + free)


def _said(data: bytes) -> str:
    return clean(data.decode("utf-8", "replace").strip().partition("\n")[0], 80) or "nothing"
