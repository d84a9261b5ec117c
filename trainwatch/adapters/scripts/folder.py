"""What lies in a folder of scripts, and whether it may be run.

The trap: whoever may write to a script, its folder, or a folder above, runs what they like as us.
"""

import grp
import os
import pwd
import stat
from collections.abc import Iterator
from pathlib import Path

from trainwatch.core.model.scripts import Listing
from trainwatch.core.patterns import pattern

_NAME = pattern(
    r"[A-Za-z0-9_][A-Za-z0-9_.-]*"
)  # as run-parts: what else is there was left by something
_OFF = (
    *(".disabled", ".off", ".bak", ".orig", ".old", ".rej", ".tmp", ".swp", ".save"),
    *(".rpmsave", ".rpmnew", ".rpmorig", ".dpkg-old", ".dpkg-dist", ".dpkg-new", ".dpkg-tmp"),
)
_MEANT = (
    "",
    ".sh",
    ".bash",
    ".py",
    ".pl",
    ".rb",
)  # suffixes of what somebody may have meant to run
_MOST = 1000  # files looked at
_ROOT = 0


def listed(folder: str, *, group_may_write: bool = False) -> Listing:
    """The scripts of a folder by name. Raises nothing but programming errors.

    A script may be written to by us, root and the folder's owner; by a group only if it is to be trusted.
    """
    try:
        owner = os.stat(folder).st_uid  # noqa: PTH116 - a folder's name may be anything
        refused = _unsafe(folder, (owner,), group_may_write)
        if refused:
            return Listing(trouble=f"nothing in it is run: {refused}")
        names = sorted(os.listdir(folder))  # noqa: PTH208
    except OSError as error:
        return Listing(trouble=(error.strerror or "it cannot be read").lower())
    chosen, left = list[str](), list[tuple[str, str]]()
    for name in names[:_MOST]:
        why = _why_not(folder, name, owner, group_may_write)
        if why is None:
            chosen.append(name)
        elif why:
            left.append((os.fsencode(name).decode("utf-8", "replace"), why))
    if len(names) > _MOST:
        left.append((f"and {len(names) - _MOST} more", f"only {_MOST} files are looked at"))
    return Listing(names=tuple(chosen), left_out=tuple(left))


def _why_not(folder: str, name: str, owner: int, group_may_write: bool) -> str | None:
    """Why a file is not run; empty where nobody can have meant it, None where it is."""
    if name.startswith((".", "#", "README")) or name.endswith(("~", *_OFF)):
        return ""
    path = os.path.join(folder, name)  # noqa: PTH118
    try:
        return _refused(path, name, owner, group_may_write)
    except FileNotFoundError:
        return "it is a link that leads nowhere" if os.path.islink(path) else ""  # noqa: PTH114
    except OSError as error:
        return (error.strerror or "it cannot be looked at").lower()


def _refused(path: str, name: str, owner: int, group_may_write: bool) -> str | None:
    found = os.stat(path)  # noqa: PTH116
    if not stat.S_ISREG(found.st_mode):
        return ""
    job = name.endswith(".slurm")
    if not job and not os.access(path, os.X_OK):
        meant = Path(name).suffix in _MEANT
        return "it is not executable (chmod +x; or rename it to NAME.disabled)" if meant else ""
    if _NAME.fullmatch(name) is None:
        return "its name holds other characters than letters, digits, '_', '-' and '.'"
    return _unsafe(path, (owner,), group_may_write) or None


def _unsafe(path: str, owners: tuple[int, ...], group_may_write: bool) -> str:
    """Who else may write to it, in words; empty if nobody."""
    real = os.path.realpath(path)
    trusted = {_ROOT, os.geteuid(), *owners}
    for place, above in _places(real):
        found = os.stat(place)  # noqa: PTH116
        named = "it" if place == real else place
        sticky = bool(found.st_mode & stat.S_ISVTX) and above
        if found.st_mode & stat.S_IWOTH and not sticky:
            return f"everybody may write to {named} (chmod o-w)"
        if found.st_uid not in trusted and not above:
            return f"{named} belongs to {_user(found.st_uid)}, neither you nor the folder's owner"
        if found.st_mode & stat.S_IWGRP and not above and not group_may_write:
            group = _group(found.st_gid)
            if group != _user(found.st_uid):  # a group of one's own
                return (
                    f"the group {group} may write to {named} (chmod g-w, or group_may_write = true "
                    "in [scripts] if you trust all of them)"
                )
    return ""


def _places(real: str) -> Iterator[tuple[str, bool]]:
    """A file or folder, the folder it lies in, and all above, with whether it is one above."""
    yield real, False
    parents = Path(real).parents
    for number, parent in enumerate(parents):
        yield str(parent), number > 0 or Path(real).is_dir()


def _user(uid: int) -> str:
    try:
        return pwd.getpwuid(uid).pw_name
    except KeyError:
        return str(uid)


def _group(gid: int) -> str:
    try:
        return grp.getgrgid(gid).gr_name
    except KeyError:
        return str(gid)
