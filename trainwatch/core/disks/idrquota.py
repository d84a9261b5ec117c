"""IDRIS' `idrquota` (Jean Zay): -m is the home, -w a project's work, -s its store.

How literal this is: nobody here has one of its answers. Known are its options (`-t Kio..Pio`, Gio if not
said), and that an answer held two percentages in brackets, of bytes and then of inodes, each behind what it
is of. So everything with a percentage and a total is taken, whatever stands between, and what does not add
up is unreadable. IDRIS has replaced the command by idr_quota_user and idr_quota_project: for these, say a
command and a pattern of your own.
"""

import re

from trainwatch.core.disks.quota import unreadable
from trainwatch.core.disks.sizes import count, size_bytes
from trainwatch.core.disks.values import Allowance, Asked, Quota
from trainwatch.core.errors import AnswerUnreadable
from trainwatch.core.words import clean

SPACES = {"home": "-m", "work": "-w", "store": "-s"}

_NUMBER = r"\d{1,3}(?:[ ,']\d{3})+(?![\d.])|\d{1,20}(?:\.\d{1,6})?"
_UNIT = r"[KMGTP]i?[oOB]?\b"
_OF = r"\s*(?:/|of|out of|sur)\s*"
_USED_FIRST = re.compile(
    rf"(?P<used>{_NUMBER})\s*(?P<used_unit>{_UNIT})?{_OF}(?P<total>{_NUMBER})\s*(?P<unit>{_UNIT})?"
    r"[^()%\d\n]{0,40}\(\s*(?P<share>\d{1,4}(?:\.\d{1,6})?)\s*%"
)
_SHARE_FIRST = re.compile(
    rf"(?P<share>\d{{1,4}}(?:\.\d{{1,6}})?)\s*%[^\d%\n]{{0,20}}?{_OF}(?P<total>{_NUMBER})\s*(?P<unit>{_UNIT})?"
)
_DEFAULT_UNIT = "Gio"
_AGREES = 1.5  # points of a percentage: it is rounded


def argv(asked: Asked) -> list[str]:
    """The command. `filesystem` is home, work or store."""
    project = ["-p", asked.project] if asked.project else []
    user = ["-u", asked.user] if asked.user else []
    return ["idrquota", SPACES[asked.filesystem], *project, *user]


def parse(asked: Asked, data: bytes, at: float) -> tuple[Quota, ...]:
    """One row. Raises AnswerUnreadable where it is not surely read."""
    text = data.decode("utf-8", "replace")
    found = list(_USED_FIRST.finditer(text)) or list(_SHARE_FIRST.finditer(text))
    if not 1 <= len(found) <= 2 or text.count("%") != len(found):
        raise unreadable(data)
    size, files = found[0], found[1] if len(found) == 2 else None
    if files is not None and files["unit"]:
        size, files = files, size
    if files is not None and files["unit"]:
        raise AnswerUnreadable("idrquota told of two sizes and of no inodes")
    inodes = Allowance() if files is None else _allowance(files, "")
    space = asked.filesystem or asked.path
    return (Quota(filesystem=space, bytes=_allowance(size, _DEFAULT_UNIT), inodes=inodes),)


def _allowance(match: re.Match[str], unit: str) -> Allowance:
    """What is used is printed, or follows from the percentage."""
    share = float(match["share"]) / 100
    total = _amount(match["total"], match["unit"] or unit)
    if not total:
        raise AnswerUnreadable(f"idrquota told of no total: {clean(match[0], 80)}")
    printed = match.groupdict().get("used")
    if printed is None:
        return Allowance(used=round(share * total), hard=total)
    used = _amount(printed, match["used_unit"] or match["unit"] or unit)
    if used is None or abs(100 * used / total - 100 * share) > _AGREES:
        raise AnswerUnreadable(f"idrquota's numbers do not add up: {clean(match[0], 80)}")
    return Allowance(used=used, hard=total)


def _amount(number: str, unit: str) -> int | None:
    bare = re.sub(r"[ ,']", "", number)
    return size_bytes(bare + unit) if unit else count(bare)
