"""What can be set of each rule: on or off, how bad, how long it waits, thresholds with units in their names.

Shares are 0..1. The trap: a number that is far off in its unit (minutes where seconds were meant) must be an
error, so every threshold has a range.
"""

import re
from typing import Annotated

import msgspec

from trainwatch.core.model.alerts import Severity

Minutes = Annotated[float, msgspec.Meta(ge=0, le=2_880)]
Hours = Annotated[float, msgspec.Meta(gt=0, le=720)]
Repeat = Annotated[float, msgspec.Meta(ge=0, le=720)]
Days = Annotated[float, msgspec.Meta(gt=0, le=365)]
Share = Annotated[float, msgspec.Meta(gt=0, lt=1)]
Times = Annotated[float, msgspec.Meta(gt=1, le=1_000)]
Name = Annotated[str, msgspec.Meta(pattern=r"^[a-z][a-z0-9-]{0,60}$")]
Count = Annotated[int, msgspec.Meta(gt=0, le=100_000)]


class RuleSettings(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, omit_defaults=True
):
    """What every rule has. `repeat_h` 0: told once only."""

    enabled: bool = True
    severity: Severity | None = None  # None: that of the rule
    hold_min: Minutes = 0.0  # it must hold for so long before it is told
    clear_min: Minutes = 0.0  # and be gone for so long before it is over
    repeat_h: Repeat = 4.0


class Stall(RuleSettings, frozen=True):
    """Budgets of silence. The longest ever followed by progress is a floor of each."""

    train_iterations: Count = 10
    train_min: Minutes = 15.0
    evaluate_min: Minutes = 30.0
    save_min: Minutes = 30.0
    unseen_min: Minutes = 60.0  # of an evaluation or a save while none was seen
    startup_min: Minutes = 60.0
    times_longest: Times = 3.0
    forget_after_h: Hours = 48.0  # a log that was silent for longer when first seen ended long ago


class Crash(RuleSettings, frozen=True):
    """How long nothing follows a fatal line."""

    silence_min: Minutes = 9.0


class CrashLoop(RuleSettings, frozen=True):
    """Attempts in a row that completed nothing new."""

    attempts: Annotated[int, msgspec.Meta(ge=2, le=3)] = 2


class ThroughputDrop(RuleSettings, frozen=True):
    """The least drop that is told; a noisy run learns a larger one."""

    least_drop: Share = 0.03
    clear_min: Minutes = 5.0


class SlowNode(RuleSettings, frozen=True):
    """So much slower than the median of what a report lists, in so many reports in a row."""

    least_slower: Share = 0.15
    reports: Annotated[int, msgspec.Meta(ge=2, le=6)] = 3


class LossNan(RuleSettings, frozen=True):
    """NaN losses in a row, or of the last ten iterations."""

    in_a_row: Annotated[int, msgspec.Meta(ge=1, le=10)] = 3
    in_ten: Annotated[int, msgspec.Meta(ge=1, le=10)] = 5


class OverflowStreak(RuleSettings, frozen=True):
    """Steps skipped of the last five, or ten iterations."""

    in_five: Annotated[int, msgspec.Meta(ge=1, le=5)] = 3
    in_ten: Annotated[int, msgspec.Meta(ge=1, le=10)] = 5


class LossSpike(RuleSettings, frozen=True):
    """A spike informs; one that did not heal after so many iterations is a warning."""

    heals_within_iterations: Count = 100


class CheckpointOverdue(RuleSettings, frozen=True):
    """Save intervals since the last complete checkpoint."""

    intervals: Annotated[float, msgspec.Meta(gt=1, le=10)] = 1.5


class CheckpointIncomplete(RuleSettings, frozen=True):
    """How long a checkpoint may be half-written."""

    after_min: Minutes = 120.0
    repeat_h: Repeat = 24.0


class CheckpointSize(RuleSettings, frozen=True):
    """How far the size may be from 14 bytes a parameter."""

    tolerance: Share = 0.15
    repeat_h: Repeat = 24.0


class PurgeRisk(RuleSettings, frozen=True):
    """The site removes what was not read for so long; None: it removes nothing."""

    purge_after_days: Days | None = None
    warn_before_days: Days = 7.0
    repeat_h: Repeat = 24.0


class DiskFull(RuleSettings, frozen=True):
    """How long the room must last."""

    runway_days: Days = 2.0
    least_free: Share = 0.01


class AfterMinutes(RuleSettings, frozen=True):
    """How long it must be so, by the scheduler's answers."""

    after_min: Minutes = 20.0


class PendingLong(RuleSettings, frozen=True):
    """How long nothing ran while the job waited."""

    after_h: Hours = 24.0
    repeat_h: Repeat = 24.0


class SyncLate(RuleSettings, frozen=True):
    """How long what is due has not arrived."""

    after_h: Hours = 6.0
    repeat_h: Repeat = 24.0


class Blind(RuleSettings, frozen=True):
    """How long there was no answer: of the log, of its format, of the scheduler."""

    after_min: Minutes = 25.0


class Once(RuleSettings, frozen=True):
    """What is told once."""

    repeat_h: Repeat = 0.0


class Daily(RuleSettings, frozen=True):
    """What is told once a day."""

    repeat_h: Repeat = 24.0


class LogFlood(RuleSettings, frozen=True):
    """A flood is over when it has been for a while."""

    clear_min: Minutes = 10.0


class PatternRule(RuleSettings, frozen=True):
    """With neither a deadline, a recurrence nor a threshold, a line that is found is the finding.

    `pattern` and `stop_pattern` are regular expressions over the bytes of a line; a group named `value` is
    the number that `above` and `below` are about.
    """

    pattern: str
    stop_pattern: str | None = None  # from it on nothing is expected until the pattern comes again
    start_within_min: Minutes | None = None  # of the attempt's beginning it must come
    every_min: Minutes | None = None  # it must come again
    above: float | None = None  # the numbers must not be
    below: float | None = None
    points: Count = 3  # numbers in a row beyond the threshold
    times: Count = 1  # lines, of a pattern that must not come
    within_min: Minutes = 60.0
    advice: str = ""

    def __post_init__(self) -> None:
        for name in ("pattern", "stop_pattern"):
            source = getattr(self, name)
            try:
                found = re.compile((source or "").encode())
            except re.error as error:
                raise ValueError(f"{name} is no regular expression: {error}") from error
            if name == "pattern" and self.has_threshold and "value" not in found.groupindex:
                raise ValueError("above and below need a group (?P<value>...) in the pattern")

    @property
    def has_threshold(self) -> bool:
        """Whether its numbers are looked at."""
        return self.above is not None or self.below is not None


class AlertSettings(
    msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True, rename="kebab"
):
    """The table `[alerts]`: a table of settings a rule."""

    stall: Stall = Stall()
    crash: Crash = Crash()
    crash_loop: CrashLoop = CrashLoop()
    throughput_drop: ThroughputDrop = ThroughputDrop()
    slow_node: SlowNode = SlowNode()
    loss_nan: LossNan = LossNan()
    loss_spike: LossSpike = LossSpike()
    grad_norm_surge: RuleSettings = RuleSettings()
    overflow_streak: OverflowStreak = OverflowStreak()
    lr_jump: RuleSettings = RuleSettings()
    resume_mismatch: RuleSettings = RuleSettings()
    config_mismatch: Once = Once()
    checkpoint_overdue: CheckpointOverdue = CheckpointOverdue()
    checkpoint_incomplete: CheckpointIncomplete = CheckpointIncomplete()
    checkpoint_size: CheckpointSize = CheckpointSize()
    purge_risk: PurgeRisk = PurgeRisk()
    round_done: Daily = Daily()
    disk_full: DiskFull = DiskFull()
    no_successor: AfterMinutes = AfterMinutes()
    not_queued: AfterMinutes = AfterMinutes()
    job_held: AfterMinutes = AfterMinutes()
    pending_long: PendingLong = PendingLong()
    time_limit_margin: Daily = Daily()
    kill_switch: RuleSettings = RuleSettings()
    log_flood: LogFlood = LogFlood()
    sync_late: SyncLate = SyncLate()
    script_failed: Daily = Daily()
    blind: Blind = Blind()
    watcher_down: RuleSettings = RuleSettings()
    patterns: dict[Name, PatternRule] = {}  # rules of a user's own, by name

    def __post_init__(self) -> None:
        taken = {name.replace("_", "-") for name in self.__struct_fields__}
        for name in self.patterns:
            if name in taken:
                raise ValueError(f"'{name}' is a rule of trainwatch's own: choose another name")
