"""What is kept of a chain in a state folder, and its jobs: all that is known without any run.

The trap: `trainwatch cron ensure` stands in people's shell profiles. What it needs where all is well is
loaded here and nothing more; what asks Slurm is loaded when it is asked.
"""

import os
from functools import cached_property
from pathlib import Path
from typing import TYPE_CHECKING

from trainwatch.adapters.store.chain import FOLDER, ChainFile
from trainwatch.adapters.store.cron import CronReader, CronWriter
from trainwatch.adapters.store.shards import ShardFiles
from trainwatch.app import names
from trainwatch.app.config import Settings
from trainwatch.core.chain import job_name
from trainwatch.core.chainhealth import silent_after_s

if TYPE_CHECKING:
    from trainwatch.adapters.slurm import Hands, Slurm
    from trainwatch.app.cron.chain import Chain
    from trainwatch.core.slurm.submitting import Submission


class CronFiles:
    """What is kept of a chain in a state folder, and its jobs: all that is known without a configuration."""

    def __init__(self, state_dir: Path, settings: Settings | None = None) -> None:
        """Without `settings`, as they are where none are configured."""
        self.state_dir = Path(os.path.abspath(state_dir))  # noqa: PTH100 - a link stays a link
        self._settings, self._configured = settings or Settings(), settings is not None
        self.file = ChainFile(self.state_dir)
        self.beats = ShardFiles(self.state_dir)
        self.status = CronReader(self.state_dir)
        self.writer = CronWriter(self.state_dir)
        self.name = job_name(str(self.state_dir))
        self.interval_s = self._settings.cron.interval_s

    @cached_property
    def user(self) -> str:
        """Whoever asks. May ask a directory over the network."""
        return names.user()

    @cached_property
    def hands(self) -> "Hands":
        """What may be done to jobs."""
        from trainwatch.adapters.slurm import Hands

        return Hands()

    @cached_property
    def slurm(self) -> "Slurm":
        """The queue, of whoever asks: the chain's jobs are theirs."""
        from trainwatch.adapters.slurm import Slurm

        chosen = self._settings.slurm
        return Slurm(as_json=chosen.answers == "json", deadline_s=chosen.deadline_s)

    def chain(self, job: "Submission | None" = None) -> "Chain":
        """`job` is what is submitted; without one, what was submitted last."""
        from trainwatch.app.cron.chain import Chain

        interval_s = self.interval_s if self._configured else None
        return Chain(self.name, self.user, self.file, self.hands, interval_s, job)

    def output(self, shards: int, task: int) -> Path:
        """Where a task of a chain's job writes."""
        return self.state_dir / FOLDER / _output_name(shards, str(task))

    def output_pattern(self, shards: int) -> str:
        """The same for all tasks, as Slurm wants it: `%a` is the task, and any other `%` is doubled."""
        folder = str(self.state_dir / FOLDER).replace("%", "%%")
        return f"{folder}/{_output_name(shards, '%a')}"

    def is_well(self, now: float) -> bool:
        """Whether nobody need be asked: the chain was stopped by hand, or its heartbeat is fresh.

        Raises StoreUnusable.
        """
        record = self.file.read()
        if record is not None and not record.wanted:
            return True
        cron = self._settings.cron
        beats = [shard.at for shard in self.beats.read()]
        fresh_s = silent_after_s(cron.mode, cron.interval_s)
        return bool(beats) and abs(now - max(beats)) < fresh_s


def _output_name(shards: int, task: str) -> str:
    return "trainwatch.out" if shards == 1 else f"trainwatch-{task}.out"
