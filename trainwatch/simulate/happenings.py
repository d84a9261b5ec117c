"""What happens in a simulated run, in order of time. Writers make a folder or observations of it.

Times are s since the epoch, as the timeline shows them. `Broke` and `Healed` are the ground truth: nobody in
the simulated world sees them; they say what a watcher ought to have noticed.
"""

import msgspec

from trainwatch.core.model.observations import Observation, QueueReading


class Wrote(msgspec.Struct, frozen=True):
    """The job, or another program beside it, appended these complete lines to the log."""

    at: float
    text: bytes


class Checkpoint(msgspec.Struct, frozen=True, kw_only=True):
    """One checkpoint as it lies on disk. `closing` are the files that are written last of all.

    `trackers` are the files beside it that name it afterwards, with what they hold.
    """

    name: str
    iteration: int
    shards: tuple[str, ...]
    closing: tuple[str, ...] = ()
    trackers: tuple[tuple[str, str], ...] = ()
    bytes: int = 0  # as large as the real one would be; what is written to disk is small


class SaveBegan(msgspec.Struct, frozen=True):
    """The first shards of a checkpoint are on disk: a reader must not take it for complete."""

    at: float
    checkpoint: Checkpoint


class SaveFinished(msgspec.Struct, frozen=True):
    """All shards are, and then the trackers name it."""

    at: float
    checkpoint: Checkpoint


class QueueAnswered(msgspec.Struct, frozen=True):
    """What squeue would answer from now on."""

    at: float
    reading: QueueReading


class Stepped(msgspec.Struct, frozen=True):
    """An iteration was completed, printed or not: for progress bars."""

    at: float
    iteration: int


class Present(msgspec.Struct, frozen=True):
    """This checkpoint was complete on disk before anybody watched, and not read for `age_s` since."""

    at: float
    checkpoint: Checkpoint
    age_s: float = 0.0


class Observed(msgspec.Struct, frozen=True):
    """A watcher observed this, which leaves nothing in the folder: a disk, a sync, a script, itself."""

    at: float
    observation: Observation


class Broke(msgspec.Struct, frozen=True):
    """From now on the rule of this name has something to notice. `key` tells several of one rule apart."""

    at: float
    rule: str
    key: str = ""
    iteration: int | None = None  # the last completed one


class Healed(msgspec.Struct, frozen=True):
    """From now on it has not any more."""

    at: float
    rule: str
    key: str = ""


Happening = (
    Wrote | SaveBegan | SaveFinished | QueueAnswered | Stepped | Present | Observed | Broke | Healed
)
