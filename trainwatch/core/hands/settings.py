"""What the hands on a run's jobs may do: nothing, unless a key says so. Units are in the names.

The trap: two keys must be set before anything is done to a job, the hand's own and `apply`; with one of them
trainwatch only says what it would do.
"""

from typing import Annotated

import msgspec

_OPTION, _GLOB = r"^-[^\x00-\x1f]+$", r"^[^\x00-\x1f]+$"
# What each pattern asks for, in words.
MEANT = {
    _OPTION: "an option of sbatch, which begins with -",
    _GLOB: "a glob without control characters",
}
Count = Annotated[int, msgspec.Meta(ge=0, le=24)]
Gap = Annotated[float, msgspec.Meta(ge=5, le=1_440)]
After = Annotated[float, msgspec.Meta(ge=1, le=2_880)]
Option = Annotated[str, msgspec.Meta(pattern=_OPTION, max_length=4_000)]
Glob = Annotated[str, msgspec.Meta(pattern=_GLOB, max_length=1_000)]
Script = Annotated[str, msgspec.Meta(min_length=1, max_length=4_000)]


class Budget(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """How often each hand may act in any 24 hours. 0: never."""

    evidence: Count = 6
    cancel: Count = 2
    hold: Count = 2
    resubmit: Count = 3


class HandSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """The table `[runs.hands]`."""

    apply: bool = False  # without it, plans are only shown and written to the journal
    evidence: bool = False
    evidence_logs: tuple[Glob, ...] = ()  # of other ranks, beside the log: "logs/rank*.log"
    cancel_stalled_after_min: After | None = None  # of a stall that fires
    hold_crash_loop: bool = False
    resubmit: Script | None = None  # the batch script, as it is when it is submitted
    resubmit_options: tuple[Option, ...] = ()  # of sbatch; they win over the script's
    least_gap_min: Gap = 30.0  # between two deeds of one hand
    most_per_day: Budget = Budget()

    @property
    def any(self) -> bool:
        """Whether any hand is on."""
        return bool(
            self.evidence
            or self.cancel_stalled_after_min is not None
            or self.hold_crash_loop
            or self.resubmit
        )
