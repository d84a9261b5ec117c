"""Many runs at a time: a row for each, made of what its watcher published. Times are s since the epoch.

Unknown is None, and never well: a run that could not be read has a row that says why.
"""

from typing import Literal

import msgspec

QueueWord = Literal["runs", "waits", "held", "none", "unknown"]


class Turn(msgspec.Struct, frozen=True, kw_only=True):
    """Where a job of a run is in the queue. `at`: when it ends at the latest, or is predicted to start."""

    word: QueueWord
    at: float | None = None
    job_id: str = ""


class Firing(msgspec.Struct, frozen=True, kw_only=True):
    """An alert that fires. `muted`: why nobody is told of it."""

    severity: str
    rule: str
    muted: str = ""


class FleetRow(msgspec.Struct, frozen=True, kw_only=True):
    """One run among many. Texts are other people's: plain text, never markup."""

    key: str  # tells runs apart
    run: str
    log: str = ""
    project: str = ""
    user: str = ""
    health: str = "unknown"  # ok, warning, critical, unknown
    why: str = ""
    phase: str = "unknown"
    done: bool = False  # it reached its target
    iteration: int | None = None
    target_iteration: int | None = None
    progress: float | None = None  # 0..1
    step_time_s: float | None = None
    tflops: float | None = None  # of a GPU
    loss: float | None = None
    loss_is_nan: bool = False
    eta_s: float | None = None
    last_progress_at: float | None = None
    gpus: int | None = None
    alerts: tuple[Firing, ...] = ()  # the worst first
    queue: Turn | None = None  # None: nobody asks for its jobs
    successor: Turn | None = None  # what waits behind the job that runs; None: unknown
    saved_iteration: int | None = None
    saved_at: float | None = None
    hours_at_risk: float | None = None
    gpu_hours_at_risk: float | None = None
    heartbeat_at: float | None = None
    silent_after_s: float | None = None

    @property
    def criticals(self) -> int:
        """Critical alerts that fire."""
        return sum(alert.severity == "critical" for alert in self.alerts)

    @property
    def warnings(self) -> int:
        """Warnings that fire."""
        return sum(alert.severity == "warning" for alert in self.alerts)


class Fleet(msgspec.Struct, frozen=True, kw_only=True):
    """All runs as they are seen at `at`.

    `speeds`: of those in view by key, how fast a run was lately, the oldest first; NaN is unknown.
    `unread`: runs that were not looked at yet. `trouble`: why the list of runs may be old.
    """

    at: float
    rows: tuple[FleetRow, ...] = ()
    speeds: dict[str, tuple[float, ...]] = {}
    unread: int = 0
    trouble: str = ""


class Totals(msgspec.Struct, frozen=True, kw_only=True):
    """What some runs are together."""

    runs: int = 0
    health: dict[str, int] = {}  # how many are ok, warning, critical, unknown
    gpus: int = 0
    criticals: int = 0
    warnings: int = 0
    gpu_hours_at_risk: float = 0.0


class Group(msgspec.Struct, frozen=True, kw_only=True):
    """The line above runs that have something in common."""

    name: str  # empty: those that have no such thing
    totals: Totals
