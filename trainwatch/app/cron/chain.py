"""Starting, tending and stopping the chain of jobs that trainwatch lives in.

The trap: an `sbatch` without an answer may have submitted. What was asked for is kept until the queue has
shown it, or has been without it for long enough.
"""

import secrets
from collections.abc import Callable, Iterable
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from trainwatch.core import chain
from trainwatch.core.chain import Link
from trainwatch.core.errors import (
    SchedulerUnknown,
    StoreUnusable,
    SubmissionRefused,
    TrainwatchError,
)
from trainwatch.core.model.chain import ChainRecord
from trainwatch.core.model.observations import Job
from trainwatch.core.ports import JobHands
from trainwatch.core.slurm.submitting import Submission

SETTLES_S = 60.0  # a submission that was not answered is in the queue by then, or never
_AGAIN_S = 300.0  # after a refusal


class Record(Protocol):
    """Where the chain's record is kept (adapters/store/chain.py)."""

    def read(self) -> ChainRecord | None:
        """None where no chain was started. Raises StoreUnusable."""
        ...

    def write(self, record: ChainRecord) -> None:
        """Raises StoreUnusable."""
        ...

    def guarded(self, *, must: bool = True) -> AbstractContextManager[str]:
        """Nobody else changes the chain meanwhile; it says why that cannot be made sure of, unless it `must`.

        Raises LeaseHeld, StoreUnusable.
        """
        ...


class Tended(NamedTuple):
    """What became of tending. `end`: why this job has to end, if it has."""

    successor: Link | None = None
    submitted: str = ""
    trouble: str = ""
    end: str = ""


class Stopped(NamedTuple):
    """`why`: it is not known whether all is gone. `unkept`: it could not be kept that nobody wants it."""

    cancelled: tuple[Link, ...] = ()
    why: str = ""
    unkept: str = ""


class Chain:
    """Of one state folder and user. Every call but `links` may take as long as sbatch does."""

    def __init__(
        self,
        name: str,
        user: str,
        record: Record,
        hands: JobHands,
        interval_s: float | None = None,
        job: Submission | None = None,
    ) -> None:
        """`job` and interval are as they are configured now; without them, as they were."""
        self.name, self._user, self._interval_s = name, user, interval_s
        self._record, self._hands, self._job = record, hands, job
        self._submitted_at = self._refused_at = self._unsettled_at = float("-inf")

    def links(self, jobs: Iterable[Job]) -> tuple[Link, ...]:
        """The chain's jobs in a queue."""
        return chain.links(jobs, self.name, self._user)

    def start(self, wanted: ChainRecord, jobs: Callable[[], Iterable[Job]], now: float) -> str:
        """The id of the first job; empty where the chain is there already.

        Raises SchedulerUnknown, SubmissionRefused, LeaseHeld, StoreUnusable.
        """
        with self._record.guarded():
            return self._begin(wanted, self.links(jobs()), now)

    def restart(self, jobs: Callable[[], Iterable[Job]], now: float) -> str:
        """As `start`, with what the record says; nothing where somebody stopped the chain meanwhile."""
        with self._record.guarded():
            record = self._record.read()
            if record is None or not record.wanted:
                return ""
            return self._begin(record, self.links(jobs()), now)

    def _begin(self, wanted: ChainRecord, there: tuple[Link, ...], now: float) -> str:
        before = self._record.read()
        there = tuple(link for link in there if link.live or link.waits)
        if there:
            if before is None or not before.wanted:
                self._record.write(replace(wanted, last_job=there[0].job_id))
            return ""
        if before is not None and before.unsettled and 0 <= now - before.unsettled_at < SETTLES_S:
            raise SchedulerUnknown(
                f"a submission of {now - before.unsettled_at:.0f} s ago was not answered and may yet "
                "come: try again in a minute"
            )
        comment = self._comment()
        self._record.write(replace(wanted, unsettled=comment, unsettled_at=now))
        try:
            job_id = self._send(wanted, comment, None)
        except SubmissionRefused:
            self._record.write(before or replace(wanted, wanted=False))
            raise
        self._record.write(replace(wanted, last_job=job_id))
        return job_id

    def _send(self, record: ChainRecord, comment: str, begin_in_s: float | None) -> str:
        job = self._job or record.job
        if job is None:
            raise SubmissionRefused("nothing says what to submit: trainwatch cron start")
        return self._hands.submit(replace(job, comment=comment, begin_in_s=begin_in_s))

    def stop(self, jobs: Callable[[], Iterable[Job]], now: float, by: str) -> Stopped:
        """Say that the chain is not wanted, and cancel what there is of it: what waits first.

        Where the disk is full it is cancelled nevertheless. Raises SubmissionRefused, LeaseHeld.
        """
        with self._record.guarded(must=False):
            unkept = self._mark_stopped(now, by)
            try:
                there = self.links(jobs())
                self.cancel(there)
            except SchedulerUnknown as error:
                return Stopped((), str(error), unkept)
        return Stopped(there, "", unkept)

    def _mark_stopped(self, now: float, by: str) -> str:
        try:
            record = self._record.read() or ChainRecord()
        except StoreUnusable as error:
            return str(error)
        return self._keep(replace(record, wanted=False, at=now, by=by))

    def cancel(self, links: Iterable[Link]) -> None:
        """End these jobs; those that wait first, or they would start. Raises as JobHands."""
        found = tuple(links)
        waiting = [link.job_id for link in found if link.waits]
        rest = [link.job_id for link in found if not link.waits]
        for job_ids in (waiting, rest):
            if job_ids:
                self._hands.cancel(job_ids)

    def tend(self, jobs: Iterable[Job], asked_at: float, now: float, mine: str) -> Tended:
        """See that one successor waits. Called by a job of the chain, `mine`, with an answer of the queue.

        `asked_at` is when the queue was asked. Raises nothing but programming errors.
        """
        there = self.links(jobs)
        if not any(link.job_id == mine and link.live for link in there):
            others = [link.job_id for link in there if link.live]
            if others:  # our node was taken for dead
                return Tended(end=f"for Slurm this job, {mine}, is gone, and {others[0]} runs")
            return Tended(trouble=f"the queue's answer does not show this job, {mine}")
        try:
            return self._tend(there, asked_at, now, mine)
        except TrainwatchError as error:
            return Tended(trouble=str(error))

    def _tend(self, there: tuple[Link, ...], asked_at: float, now: float, mine: str) -> Tended:
        record = self._read()
        if not record.wanted:
            self.cancel([link for link in there if link.waits])
            return Tended(end="the chain was stopped")
        needs = chain.tending(there, mine)
        if needs.older is not None:
            return Tended(end=f"an older job of the chain, {needs.older.job_id}, runs")
        if needs.surplus:
            self._hands.cancel(needs.surplus)
        if not needs.submit or asked_at <= self._submitted_at:
            return Tended(needs.successor)
        unsettled_at = max(self._unsettled_at, record.unsettled_at if record.unsettled else 0.0)
        if 0 <= asked_at - unsettled_at < SETTLES_S:
            return Tended(trouble="sbatch gave no answer: the successor may yet come")
        if 0 <= now - self._refused_at < _AGAIN_S:
            return Tended(trouble="the successor was refused; it is tried again in minutes")
        return self._submit(now, mine)

    def _submit(self, now: float, mine: str) -> Tended:
        """A disk that is full must not end the chain: no other job of it runs, as it is a singleton."""
        with self._record.guarded(must=False) as unguarded:
            record = self._counted(self._read(), mine)
            if not record.wanted:
                return Tended(end="the chain was stopped")
            comment = self._comment()
            unkept = self._keep(replace(record, unsettled=comment, unsettled_at=now))
            begin_in_s = chain.next_of_grid(now, record.interval_s) - now
            try:
                job_id = self._send(record, comment, begin_in_s)
            except SchedulerUnknown as error:
                self._unsettled_at = now
                return Tended(trouble=f"no successor is known of: {error}")
            except SubmissionRefused as error:
                self._refused_at = now
                self._keep(record)
                return Tended(trouble=f"no successor: {error}")
            self._submitted_at = now
            return Tended(submitted=job_id, trouble=self._keep(record) or unkept or unguarded)

    def _read(self) -> ChainRecord:
        """Where it cannot be read the chain is wanted: it runs."""
        try:
            return self._record.read() or ChainRecord()
        except StoreUnusable:
            return ChainRecord()

    def _counted(self, record: ChainRecord, mine: str) -> ChainRecord:
        """With this job as the last."""
        again = record.last_job not in ("", mine)
        return replace(
            record,
            job=self._job or record.job,
            interval_s=self._interval_s or record.interval_s,
            last_job=mine,
            handed_over=record.handed_over + again,
            unsettled="",
            unsettled_at=0.0,
        )

    def _keep(self, record: ChainRecord) -> str:
        try:
            self._record.write(record)
        except StoreUnusable as error:
            return str(error)
        return ""

    def _comment(self) -> str:
        return chain.comment(self.name, secrets.token_hex(6))
