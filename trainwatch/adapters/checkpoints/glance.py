"""A folder of checkpoints by its names and trackers: no file of a checkpoint is looked at."""

import os
from collections.abc import Collection
from itertools import islice
from pathlib import Path

from trainwatch.adapters.checkpoints.listing import checked, read_small
from trainwatch.core.checkpoints import layouts, trackers
from trainwatch.core.checkpoints.layouts import Named
from trainwatch.core.checkpoints.trackers import Tracker
from trainwatch.core.doctor.roots import RootSeen
from trainwatch.core.errors import UsageError

MOST_NAMES = 20_000


def glance(root: Path, most_names: int = MOST_NAMES) -> RootSeen:
    """What stands in it. Raises nothing but programming errors; may hang with its filesystem."""
    try:
        checked(root)
        with os.scandir(root) as entries:
            listed = list(islice(entries, most_names + 1))
    except UsageError as error:
        return RootSeen(str(root), why=str(error))
    except OSError as error:
        return RootSeen(str(root), why=f"{root}: {error.strerror}")
    beside = frozenset(entry.name for entry in listed).intersection(layouts.TRACKERS)
    found = (named(entry, beside) for entry in listed[:most_names])
    return RootSeen(
        path=str(root),
        found=tuple(layouts.in_order(one for one in found if one is not None)),
        trackers=tuple(_tracker(root, file) for file in layouts.TRACKERS if file in beside),
        cut=len(listed) > most_names,
    )


def named(entry: "os.DirEntry[str]", beside: Collection[str]) -> Named | None:
    """What an entry of a folder is as a checkpoint; None for any other. Most are directories."""
    one = layouts.named(entry.name, beside)
    if one is None or one.kind == "lightning":
        return one
    return one if entry.is_dir(follow_symlinks=False) else None


def _tracker(root: Path, file: str) -> Tracker:
    try:
        return trackers.read(file, read_small(root / file))
    except OSError as error:
        return Tracker(file, "", trouble=f"{file}: {error.strerror}")
