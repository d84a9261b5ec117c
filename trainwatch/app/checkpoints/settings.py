"""[runs.checkpoints]: where a run's checkpoints are, which of them stay or are backed up, and its rounds."""

from typing import Annotated

import msgspec

from trainwatch.app.syncing import settings as places
from trainwatch.core.errors import UsageError
from trainwatch.core.model.backups import Content, Format, Place
from trainwatch.core.model.policies import LEAST_LAST, Policy, Round

_S_PER_H, _S_PER_D, _S_PER_MIN = 3600.0, 86_400.0, 60.0
_BYTES_PER_MB = 1e6

Positive = Annotated[int, msgspec.Meta(gt=0)]
Hours = Annotated[float, msgspec.Meta(gt=0, le=24 * 3650)]


class BackupSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """One place that checkpoints are copied to. Nothing is copied by itself without `apply`."""

    to: Annotated[str, msgspec.Meta(min_length=1, max_length=1000)]
    create: bool = False
    every: Positive | None = None
    newest: Positive | None = None
    milestones: tuple[Annotated[int, msgspec.Meta(ge=0)], ...] = ()
    content: Content = "whole"
    format: Format = "files"
    max_mb_per_s: Annotated[float, msgspec.Meta(gt=0, le=1e6)] = 200.0
    apply: bool = False

    @property
    def wants(self) -> bool:
        """Whether it names any."""
        return bool(self.every or self.newest or self.milestones)

    @property
    def policy(self) -> Policy:
        """Which are wanted, in the words of retention."""
        return Policy(last=self.newest, every=self.every, steps=self.milestones)

    def place(self, into: str) -> Place:
        """Where they go."""
        rate = self.max_mb_per_s * _BYTES_PER_MB
        return Place(to=self.to, into=into, create=self.create, bytes_per_s=rate)


class CheckpointSettings(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    """Nothing is removed without `apply`, and by nobody but the process that watches the run."""

    path: str | None = None  # else what the log names (--save)
    keep_last: Annotated[int, msgspec.Meta(ge=LEAST_LAST)] | None = None
    keep_every: Positive | None = None
    keep_every_closest: Positive | None = None
    keep_steps: tuple[Annotated[int, msgspec.Meta(ge=0)], ...] = ()
    keep_newer_h: Hours | None = None
    partial_after_h: Annotated[float, msgspec.Meta(ge=1)] | None = None
    apply: bool = False
    trash_days: Annotated[float, msgspec.Meta(ge=0, le=365)] = 7.0
    look_every_min: Annotated[float, msgspec.Meta(ge=1, le=1440)] = 10.0
    stats_per_s: Annotated[float, msgspec.Meta(ge=1, le=100_000)] = 200.0
    unlinks_per_s: Annotated[float, msgspec.Meta(ge=1, le=100_000)] = 50.0
    rounds: tuple[Round, ...] = ()
    backups: tuple[BackupSettings, ...] = ()

    def __post_init__(self) -> None:
        """Raises ValueError for what could not be done."""
        if self.apply and (why := self.policy.missing()):
            raise ValueError(why)
        targets = [one.target for one in self.rounds]
        if targets != sorted(set(targets)):
            raise ValueError("rounds are in the order of their targets, each beyond the one before")

    @property
    def policy(self) -> Policy:
        """Which stay."""
        return Policy(
            last=self.keep_last,
            every=self.keep_every,
            every_closest=self.keep_every_closest,
            steps=self.keep_steps,
            newer_h=self.keep_newer_h,
            partial_after_h=self.partial_after_h,
        )

    @property
    def looks(self) -> bool:
        """Whether anything is configured at all."""
        return self != CheckpointSettings()

    @property
    def trash_s(self) -> float:
        """How long what was removed can be taken back."""
        return self.trash_days * _S_PER_D

    @property
    def look_every_s(self) -> float:
        """Between two listings."""
        return self.look_every_min * _S_PER_MIN


def check_place(to: str, at: str) -> None:
    """Raise UsageError for a place that backups cannot go to."""
    if to.startswith("hf://"):
        raise UsageError(
            f"{at}: the Hub takes commits, not checkpoints as they are: send by [[sync]]"
        )
    places.check_place(to, at)
