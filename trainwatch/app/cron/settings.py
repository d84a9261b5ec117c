"""[cron]: where and how long the job runs that trainwatch lives in."""

from typing import Annotated, Literal

import msgspec

from trainwatch.core.slurm.site import JobSite

_DAEMON_LIMIT_S, _TICK_LIMIT_S = 20 * 3600.0, 1800.0
_LEAST_LIMIT_H = 1 / 60  # Slurm counts in minutes


class CronSettings(JobSite, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """What the job's site decides, and its life.

    `mode`: a daemon that hands over before its limit, or ticks: a short job each interval.
    """

    mode: Literal["daemon", "ticks"] = "daemon"
    interval_min: Annotated[float, msgspec.Meta(ge=0.2, le=1440)] = 10.0
    time_limit_h: Annotated[float, msgspec.Meta(ge=_LEAST_LIMIT_H, le=8760)] | None = None
    hand_over_min: Annotated[float, msgspec.Meta(ge=0.1, le=60)] = 2.0
    keeper: Literal["chain", "scrontab"] = "chain"

    def __post_init__(self) -> None:
        """Short jobs cost a scheduler more than long ones."""
        if self.mode == "ticks" and self.interval_min < 1:
            raise ValueError("interval_min is at least 1 with mode = 'ticks'")

    @property
    def interval_s(self) -> float:
        """Of the wall-clock grid."""
        return self.interval_min * 60

    @property
    def hand_over_s(self) -> float:
        """So long before the limit Slurm tells the job to end."""
        return self.hand_over_min * 60

    @property
    def time_limit_s(self) -> float:
        """As configured, else 20 h for a daemon and half an hour for a tick."""
        if self.time_limit_h is not None:
            return self.time_limit_h * 3600
        return _DAEMON_LIMIT_S if self.mode == "daemon" else _TICK_LIMIT_S
