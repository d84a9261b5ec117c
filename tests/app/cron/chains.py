"""A chain of jobs in a cluster and a state folder, and a disk on which nothing can be kept of it."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from msgspec.structs import replace

from tests.fakes import MemoryHands, MemoryScheduler
from trainwatch.adapters.store.chain import ChainFile
from trainwatch.app.cron.chain import Chain, Record, Tended
from trainwatch.core.chain import job_name
from trainwatch.core.errors import StoreUnusable
from trainwatch.core.model.chain import ChainRecord
from trainwatch.core.slurm.submitting import Submission

NAME = job_name("/state")
JOB = Submission(script="#!/bin/bash\n", name=NAME, dependency="singleton")
T0 = 1_000_000_200.0  # a place of the grid


class World:
    """A cluster, a state folder, and the chain in them."""

    def __init__(self, folder: Path) -> None:
        self.scheduler = MemoryScheduler()
        self.hands = MemoryHands(self.scheduler)
        self.file: Record = ChainFile(folder)
        self.chain = self.reborn()

    def reborn(self) -> Chain:
        """The same chain in a process that remembers nothing."""
        self.chain = Chain(NAME, "me", self.file, self.hands, 600.0, JOB)
        return self.chain

    def start(self, now: float = T0) -> str:
        wanted = ChainRecord(wanted=True, at=now, job=JOB)
        return self.chain.start(wanted, self.scheduler.queue, now)

    def run_next(self) -> str:
        """The oldest job that waits runs, the one that ran is gone; its id."""
        jobs = [job for job in self.scheduler.jobs if job.state == "PENDING"]
        first = jobs[0]
        rest = tuple(job for job in jobs[1:])
        self.scheduler.jobs = (replace(first, state="RUNNING", nodes=("node1",)), *rest)
        return first.job_id

    def tend(self, now: float, mine: str) -> Tended:
        return self.chain.tend(self.scheduler.queue(), now, now, mine)

    @property
    def waiting(self) -> list[str]:
        return [job.job_id for job in self.scheduler.jobs if job.state == "PENDING"]


class FullDisk:
    """A record that can be read and no longer written."""

    def __init__(self, folder: Path) -> None:
        self._file = ChainFile(folder)

    def read(self) -> ChainRecord | None:
        return self._file.read()

    def write(self, record: ChainRecord) -> None:
        raise StoreUnusable("chain.json: No space left on device")

    @contextmanager
    def guarded(self, *, must: bool = True) -> Iterator[str]:
        if must:
            raise StoreUnusable("cron: No space left on device")
        yield "cron: No space left on device"
