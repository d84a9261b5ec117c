"""What a job of the chain stands on: where it is in the chain, whom it asks, what it writes and runs."""

from collections.abc import Callable, Sequence
from typing import NamedTuple, Protocol

from trainwatch.app.config import RunSettings
from trainwatch.app.cron.chain import Chain
from trainwatch.app.hands import Chosen
from trainwatch.core.model.chain import ChainRecord
from trainwatch.core.model.cron import CronStatus, Kept, Mode, ScriptStatus, ShardStatus
from trainwatch.core.model.observations import Observation
from trainwatch.core.model.status import Status
from trainwatch.core.ports import Scheduler


class Place(NamedTuple):
    """Where in the chain this process is. `job_id` is the array's, where it is one."""

    job_id: str
    task: int = 0
    shards: int = 1
    host: str = ""


class Scripts(Protocol):
    """The hourly and daily scripts (app/cron/scripts.py)."""

    @property
    def busy(self) -> bool:
        """Whether one runs now, or may be about to."""
        ...

    @property
    def troubles(self) -> tuple[str, ...]:
        """What is wrong with their folders."""
        ...

    def tick(self, now: float, ends_at: float | None = None) -> Sequence[Observation]:
        """Start what is due and will be done by `ends_at`, and say what became of what ended."""
        ...

    def statuses(self, now: float) -> tuple[ScriptStatus, ...]:
        """All of them, for views."""
        ...

    def wind_down(self) -> None:
        """Begin nothing more: others take over once what runs has ended."""
        ...

    def close(self, now: float, patience_s: float = 0.0) -> Sequence[Observation]:
        """The process ends: wait so long for the one that runs, and say what became of it."""
        ...


class Beats(Protocol):
    """The heartbeats of the shards (adapters/store/shards.py)."""

    def write(self, shard: ShardStatus) -> None:
        """Raises OSError."""
        ...

    def read(self) -> tuple[ShardStatus, ...]:
        """Raises nothing."""
        ...


class Ground(NamedTuple):
    """What a keeper stands on."""

    chain: Chain
    tends: bool  # False: Slurm's own cron starts the next job
    scheduler: Scheduler
    beats: Beats
    publish: Callable[[CronStatus], None]  # raises OSError
    record: Callable[[], ChainRecord | None]
    status_of: Callable[[str], Status | None]
    hands_of: Callable[[RunSettings], Chosen | None]
    kept: Kept
    mode: Mode
    interval_s: float
    hand_over_s: float
    lost_s: float
