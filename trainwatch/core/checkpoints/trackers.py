"""The files that name the checkpoint to load: what they say, and what they would have to say.

Formats: DeepSpeed `latest` and `latest_universal` hold a directory's name; Megatron's
`latest_checkpointed_iteration.txt` an integer or `release`; nanotron's `latest.txt` an integer.
"""

from collections.abc import Mapping
from typing import NamedTuple

from trainwatch.core.checkpoints import layouts
from trainwatch.core.checkpoints.layouts import LAYOUTS, Layout, Named
from trainwatch.core.words import clean

_LONGEST_BYTES = 1000
_OF = {tracker: layout for layout in LAYOUTS for tracker in layout.trackers}
MOST_BYTES = _LONGEST_BYTES + 1  # as much of a tracker is worth reading


class Tracker(NamedTuple):
    """`iteration` None: it names none (`release`), or cannot be understood: then `trouble` says why."""

    file: str
    says: str
    iteration: int | None = None
    trouble: str = ""

    @property
    def layout(self) -> Layout:
        """Whose it is."""
        return _OF[self.file]


def read(file: str, data: bytes) -> Tracker:
    """What a tracker says. Raises nothing."""
    says = data.decode("utf-8", "replace").strip()
    if len(data) > _LONGEST_BYTES or not says or not says.isprintable():
        return Tracker(file, clean(says, 60), trouble=_expected(file, says))
    if _holds_name(file):
        found = layouts.named(says)
        if found is None or not found.name.startswith("global_step"):
            return Tracker(file, says, trouble=_expected(file, says))
        return Tracker(file, says, found.iteration)
    if says == "release":
        return Tracker(file, says)
    if not (says.isascii() and says.isdigit()) or len(says) > 12:
        return Tracker(file, says, trouble=_expected(file, says))
    return Tracker(file, says, int(says))


def naming(file: str, one: Named) -> str:
    """What a tracker has to hold to name this checkpoint: without an end of line, as frameworks do."""
    return one.name if _holds_name(file) else str(one.iteration)


def names(tracker: Tracker, one: Named) -> bool:
    """Whether a checkpoint is the one that the tracker names."""
    if _holds_name(tracker.file):
        return one.name == tracker.says
    return one.kind == tracker.layout.kind and one.iteration == tracker.iteration


def latest(found: Mapping[str, Tracker]) -> Tracker | None:
    """The one that a job of today loads by: of two, that of the further iteration."""
    known = [tracker for tracker in found.values() if tracker.iteration is not None]
    known = [tracker for tracker in known if tracker.file != layouts.LATEST_UNIVERSAL] or known
    return max(known, key=lambda tracker: tracker.iteration or 0, default=None)


def _holds_name(file: str) -> bool:
    return _OF[file].kind in ("deepspeed", "universal")


def _expected(file: str, says: str) -> str:
    wanted = "the name of a global_stepN directory" if _holds_name(file) else "an iteration"
    return f"{file} holds {clean(repr(says), 60)}, expected {wanted}"
