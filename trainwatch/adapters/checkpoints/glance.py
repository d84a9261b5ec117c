"""A folder of checkpoints by its names and trackers: no file of a checkpoint is looked at."""

import os
from itertools import islice
from pathlib import Path

from trainwatch.adapters.checkpoints.listing import checked, read_small
from trainwatch.core.checkpoints import layouts, trackers
from trainwatch.core.checkpoints.trackers import Tracker
from trainwatch.core.doctor.roots import RootSeen
from trainwatch.core.errors import UsageError

MOST_NAMES = 20_000


def glance(root: Path, most_names: int = MOST_NAMES) -> RootSeen:
    """What stands in it. Raises nothing but programming errors; may hang with its filesystem."""
    try:
        checked(root)
        with os.scandir(root) as entries:
            names = [entry.name for entry in islice(entries, most_names + 1)]
    except UsageError as error:
        return RootSeen(str(root), why=str(error))
    except OSError as error:
        return RootSeen(str(root), why=f"{root}: {error.strerror}")
    beside = frozenset(names).intersection(layouts.TRACKERS)
    found = (layouts.named(name, beside) for name in names[:most_names])
    return RootSeen(
        path=str(root),
        found=tuple(layouts.in_order(one for one in found if one is not None)),
        trackers=tuple(_tracker(root, file) for file in layouts.TRACKERS if file in beside),
        cut=len(names) > most_names,
    )


def _tracker(root: Path, file: str) -> Tracker:
    try:
        return trackers.read(file, read_small(root / file))
    except OSError as error:
        return Tracker(file, "", trouble=f"{file}: {error.strerror}")
