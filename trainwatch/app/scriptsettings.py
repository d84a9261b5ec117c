"""The [scripts] table: which folders hold hourly and daily scripts, and how they are run."""

import os
from collections.abc import Callable
from typing import Annotated

import msgspec

from trainwatch.core.periods import Grid, Period

_FOLDER, _CLOCK = r"^[/~][^\x00-\x1f\x7f]*$", r"^(?:[01]?\d|2[0-3]):[0-5]\d$"
MEANT = {
    _FOLDER: "a folder that begins with / or ~",
    _CLOCK: 'a time of day like "04:00"',
}
Folder = Annotated[str, msgspec.Meta(pattern=_FOLDER, max_length=1000)]
Clock = Annotated[str, msgspec.Meta(pattern=_CLOCK)]


class ScriptSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Which scripts are run, and how. Without folders none is."""

    hourly: tuple[Folder, ...] = ()
    daily: tuple[Folder, ...] = ()
    daily_at: Clock = "04:00"  # local time
    deadline_min: Annotated[float, msgspec.Meta(gt=0, le=1440)] = 30.0
    group_may_write: bool = False

    def folders(self) -> dict[Period, tuple[str, ...]]:
        """By period, each folder once, with homes in full. Links stay links, as people name them."""
        return {"hourly": _full(self.hourly), "daily": _full(self.daily)}

    def grid(self, offset_at: Callable[[float], float]) -> Grid:
        """When hours and days begin, by a clock that is so far ahead of UTC."""
        hour, minute = self.daily_at.split(":")
        return Grid(offset_at=offset_at, daily_at_s=int(hour) * 3600.0 + int(minute) * 60.0)


def _full(folders: tuple[str, ...]) -> tuple[str, ...]:
    """Those that are the same folder by another name are left out: its scripts would run twice."""
    by_place = dict[str, str]()
    for folder in folders:
        path = os.path.abspath(os.path.expanduser(folder))  # noqa: PTH100, PTH111 - of nobody: as it is
        by_place.setdefault(os.path.realpath(path), path)
    return tuple(by_place.values())
