"""Who a file belongs to. May hang, like all that asks a disk or a directory of users over the network."""

import pwd
from functools import lru_cache
from pathlib import Path


def owner_of(path: Path) -> str:
    """The user's name, else their number; empty where the file cannot be asked. Raises nothing."""
    try:
        return _name(path.stat().st_uid)
    except (OSError, ValueError):
        return ""


@lru_cache(maxsize=1024)
def _name(number: int) -> str:
    try:
        return pwd.getpwuid(number).pw_name
    except KeyError:
        return str(number)
