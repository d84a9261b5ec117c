"""What a plan is made of: the desk that it is made at, a deed with its proof, a refusal with its reasons."""

from typing import Literal, NamedTuple

import msgspec

from trainwatch.core.hands.settings import HandSettings
from trainwatch.core.model.alerts import Alarm
from trainwatch.core.model.observations import Hand
from trainwatch.core.ours import Ours
from trainwatch.core.rules.sight import Sight

HANDS: tuple[Hand, ...] = ("evidence", "cancel", "hold", "resubmit")  # as they have their turn


class Desk(NamedTuple):
    """All that a plan may depend on. Times are s since the epoch."""

    sight: Sight
    settings: HandSettings
    ours: Ours  # which jobs are the run's
    interval_s: float  # between questions to the scheduler
    looked_at: float | None = None  # when the log was last read to its end
    look_every_s: float = 60.0
    others: frozenset[str] = frozenset()  # jobs that another run takes for its own, too
    unkept: str = ""  # why nothing can be written down; empty when it can

    @property
    def alarms(self) -> tuple[Alarm, ...]:
        """Of the alert book."""
        return self.sight.memory.book.alarms


class Deed(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """What a hand would do now, and why it may."""

    hand: Hand
    cause: str  # never done twice for one
    rule: str  # the alert that calls for it
    jobs: tuple[str, ...]  # that it is done to; for a new job: the one it follows
    does: str  # as a person would type it
    why: tuple[str, ...]  # the proof, a sentence each
    start: float | None = None  # of the allocation that is meant
    nodes: tuple[str, ...] = ()
    iteration: int | None = None  # the furthest completed
    exclude: str = ""  # nodes that the next job had better not have
    unless: str = ""  # a file: while it is there, nothing is done
    then: str = ""  # what to do next, for a person


class Refusal(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=True):
    """Why a hand does nothing now. `idle`: nothing calls for it; `off`: it is not configured."""

    hand: Hand
    kind: Literal["off", "idle", "refused"]
    why: tuple[str, ...]


Plan = tuple[Deed | Refusal, ...]  # one of each hand, in the order of HANDS
