"""[[disks]]: which filesystems and quotas are looked at, and which folders for files that nobody asked for.

The trap: a quota command gets these words as arguments. None of them may look like an option.
"""

import os
from typing import Annotated

import msgspec

from trainwatch.core.disks.values import Asked

_FOLDER, _ARGUMENT, _WATCHED = (
    r"^[/~][^\x00-\x1f\x7f]*$",
    r"^[^\s\x00-\x1f\x7f-][^\s\x00-\x1f\x7f]*$",
    r"^[/~](?!.*\*\*)[^\x00-\x1f\x7f]*$",
)
_KIND = r"^(?:quota|lustre|gpfs|idrquota|own)$"  # of core/disks/table.py
_SPACES = ("home", "work", "store")  # of core/disks/idrquota.py
MEANT = {
    _FOLDER: "a folder that begins with / or ~",
    _ARGUMENT: "one name, without blanks, that does not begin with -",
    _KIND: 'one of "quota", "lustre", "gpfs", "idrquota" and "own"',
    _WATCHED: "a folder, or a glob without **, that begins with / or ~",
}
Folder = Annotated[str, msgspec.Meta(pattern=_FOLDER, max_length=1000)]
Argument = Annotated[str, msgspec.Meta(pattern=_ARGUMENT, max_length=200)]
Watched = Annotated[str, msgspec.Meta(pattern=_WATCHED, max_length=1000)]
Kind = Annotated[str, msgspec.Meta(pattern=_KIND)]
Label = Annotated[str, msgspec.Meta(pattern=r"^[^\x00-\x1f\x7f]+$", max_length=100)]
Gigabytes = Annotated[float, msgspec.Meta(gt=0, le=1_000_000)]


class DiskSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One filesystem, or a quota on it. `full_at`: the share at which the filesystem fails; quotas are exact.

    `filesystem` is its name in the answer of the quota command, where it is not found by the path. An output
    larger than `output_gb` ran away, and so did one that grew by `output_gb_per_day`.
    """

    path: Folder
    name: Label | None = None  # else the path
    quota: Kind | None = None
    user: Argument | None = None
    group: Argument | None = None
    project: Argument | None = None
    filesystem: Argument | None = None
    command: tuple[str, ...] = ()
    pattern: str | None = None
    interval_min: Annotated[float, msgspec.Meta(ge=1, le=1440)] = 10.0
    deadline_s: Annotated[float, msgspec.Meta(ge=0.1, le=300)] = 30.0
    full_at: Annotated[float, msgspec.Meta(gt=0, le=1)] = 1.0
    watch: tuple[Watched, ...] = ()
    output_gb: Gigabytes = 10.0
    output_gb_per_day: Gigabytes = 10.0

    def __post_init__(self) -> None:
        """What does not fit together."""
        for problem in (_unfit(self), _incomplete(self)):
            if problem:
                raise ValueError(problem)

    @property
    def label(self) -> str:
        """What it is called in readings and alerts."""
        return self.name or self.folder

    @property
    def folder(self) -> str:
        """The path with the home in full."""
        return full(self.path)

    def asked(self) -> Asked:
        """What its quota command is asked, without what only the machine knows."""
        return Asked(
            path=self.folder,
            user=self.user or "",
            group=self.group or "",
            project=self.project or "",
            filesystem=self.filesystem or "",
            command=self.command,
            pattern=self.pattern or "",
        )


def check(disks: tuple[DiskSettings, ...]) -> str:
    """What is wrong with all of them together, in a sentence; empty if nothing is."""
    seen = set[str]()
    for disk in disks:
        if disk.label in seen:
            return f"two of them are called '{disk.label}': give one of them another name"
        seen.add(disk.label)
    return ""


def full(path: str) -> str:
    """With the home of `~` in full."""
    return os.path.normpath(os.path.expanduser(path))  # noqa: PTH111 - of nobody: as it is


def _unfit(disk: DiskSettings) -> str:
    """A key that the kind of quota does not take."""
    if disk.quota is None:
        asks = ("user", "group", "project", "filesystem", "command", "pattern")
        given = next((key for key in asks if getattr(disk, key)), "")
        return f"'{given}' is for a quota: set quota = \"lustre\", ... too" if given else ""
    whose = [key for key in ("user", "group", "project") if getattr(disk, key)]
    if len(whose) > 1:
        return f"name either {whose[0]} or {whose[1]}: a quota is of one"
    if disk.quota == "own" and whose:
        return f"'{whose[0]}' is for the other kinds: write it into the command"
    if disk.pattern is not None and disk.quota != "own":
        return "'pattern' is for quota = \"own\""
    return ""


def _incomplete(disk: DiskSettings) -> str:
    """What the kind of quota needs."""
    if disk.quota == "own":
        if not disk.command or disk.pattern is None:
            return 'quota = "own" needs a command = ["name", "argument", ...] and a pattern'
        from trainwatch.core.disks import own  # patterns that only who watches disks must wait for

        return own.problem(disk.pattern)
    if disk.quota == "idrquota" and not disk.command and disk.filesystem not in _SPACES:
        return 'quota = "idrquota" needs filesystem = "home", "work" or "store"'
    if any("\x00" in part for part in disk.command) or disk.command[:1] == ("",):
        return "command has an empty name, or a null in it"
    return ""
