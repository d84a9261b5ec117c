"""One question a minute to the scheduler for all runs, and what it means for each of them.

The trap: an answer that could not be had is not an empty queue. Only a job that ran and is gone from an
answer is asked for in the books, which lag.
"""

from collections.abc import Mapping, Sequence
from typing import Literal, NamedTuple

from trainwatch.app.probe import Probe
from trainwatch.core.errors import SchedulerUnknown
from trainwatch.core.model.observations import (
    AccountingReading,
    AttemptEnd,
    Job,
    Observation,
    QueueReading,
    Reservation,
)
from trainwatch.core.ours import Ours, unmatched
from trainwatch.core.ports import Scheduler

LONGEST_GAP_S = 300.0  # between questions, however often they failed
_DEADLINE_S = 90.0  # an answer that takes longer is none, whatever the scheduler's own deadline is
_UNMATCHED_S = 600.0  # a pattern that matches nothing for so long is said to
_RESERVED_S = 1800.0  # between questions for reservations, which are made days before
_TRIES = 12  # times that the books are asked for a job
_MOST_RESERVED = 50
_MOST_ASKED, _MOST_GONE = 200, 10_000  # jobs: at once, and that wait for their turn
_RAN = frozenset({"RUNNING", "COMPLETING", "SUSPENDED"})


class _Answer(NamedTuple):
    """Of the scheduler: the jobs, or why there are none; and how jobs ended that were asked for."""

    jobs: tuple[Job, ...] = ()
    why: str = ""
    asked: tuple[str, ...] = ()  # the jobs that the books were asked for
    ended: tuple[AttemptEnd, ...] = ()
    maintenance: tuple[Reservation, ...] | None = None  # None: not asked for, or no answer


class Whole(NamedTuple):
    """The last answer, of all jobs that were asked for, and when it was asked for."""

    asked_at: float
    reading: QueueReading


class Queues:
    """Asks for all runs of a daemon."""

    def __init__(
        self,
        scheduler: Scheduler,
        runs: Mapping[str, Ours],
        interval_s: float,
        *,
        patience_s: float = 0.0,
    ) -> None:
        """`runs`: by name, which jobs are theirs. A tick waits `patience_s` for an answer."""
        self._patience_s = patience_s
        self._scheduler, self._runs, self._interval_s = scheduler, dict(runs), interval_s
        self._probe = Probe(self._ask)
        self._asked_at = self._reserved_at = float("-inf")
        self._asks_reserved = False
        self._maintenance: tuple[Reservation, ...] | None = None  # as last heard
        self._failed = 0
        self._hangs = False
        self._ran = dict[str, str]()  # job -> run: seen running in the last answer
        self._gone = dict[str, int]()  # job -> times that the books were asked for it
        self._whose = dict[str, str]()  # of those that are gone
        self._unmatched = dict.fromkeys(runs, 0.0)  # since when a pattern found nothing, ever
        self.remarks = dict[str, str]()  # by run
        self.whole: Whole | None = None
        self._primed: tuple[Job, ...] | None = None
        self._primed_at = 0.0

    def add(self, run: str, ours: Ours, jobs: Sequence[Job]) -> None:
        """A run that is watched from now on, and what its last watcher saw."""
        self._runs[run] = ours
        self._unmatched.setdefault(run, 0.0)
        self.begin(run, jobs)

    def begin(self, run: str, jobs: Sequence[Job]) -> None:
        """What the last watcher saw of a run's jobs: those that are gone meanwhile are asked for."""
        if jobs:
            self._unmatched.pop(run, None)
        self._ran.update((job.job_id, run) for job in jobs if job.state in _RAN)

    def follow(self, before: "Queues") -> None:
        """Go on where that one stopped, and ask when it would have: settings changed, not the cluster."""
        self._asked_at, self._reserved_at = before._asked_at, before._reserved_at
        self._failed, self._maintenance, self.whole = (
            before._failed,
            before._maintenance,
            before.whole,
        )
        self._gone, self._whose = dict(before._gone), dict(before._whose)

    def prime(self, jobs: Sequence[Job], asked_at: float) -> None:
        """The queue was asked a moment ago for something else: the next question takes this answer."""
        self._primed, self._primed_at = tuple(jobs), asked_at

    def tick(self, now: float) -> dict[str, list[Observation]]:
        """Ask when it is time, and say what an answer means for each run."""
        if not self._probe.asked:
            if 0 <= now - self._asked_at < self._gap_s():
                return {}
            self._asked_at = now if self._primed is None else self._primed_at
            self._asks_reserved = not 0 <= now - self._reserved_at < _RESERVED_S
            self._probe.ask()
        try:
            answer = self._probe.answer(self._patience_s)
        except Exception as error:  # noqa: BLE001 - a bug in asking must not end the watch of the logs
            answer = _Answer(why=f"asking the scheduler failed with {type(error).__name__}")
        if answer is not None:
            self._hangs = False
            return self._take(answer, now)
        if now - self._asked_at < _DEADLINE_S or self._hangs:
            return {}
        self._hangs = True
        return self._take(_Answer(why="the scheduler's answer hangs"), now)

    def close(self) -> None:
        """Let go of the thread."""
        self._probe.close()

    def _gap_s(self) -> float:
        """After failures longer and longer: a scheduler in trouble has enough to do."""
        longer = self._interval_s * float(1 << min(self._failed, 10))
        return min(longer, max(LONGEST_GAP_S, self._interval_s))

    def _ask(self) -> _Answer:
        """In a thread of its own. The books are asked only for what an answer shows to be gone."""
        try:
            primed, self._primed = self._primed, None
            jobs = primed if primed is not None else self._scheduler.queue()
        except SchedulerUnknown as error:
            return _Answer(why=str(error))
        there = {job.job_id for job in jobs}
        tries = {job_id: self._gone.get(job_id, 0) for job_id in (*self._gone, *self._ran)}
        gone = sorted((job_id for job_id in tries if job_id not in there), key=tries.__getitem__)
        asked = tuple(gone[:_MOST_ASKED])  # whoever was asked for least comes first
        try:
            ended = self._scheduler.ended(asked) if asked else ()
        except SchedulerUnknown:
            ended = ()  # they lag, are down, or there are none: the next answers ask again
        return _Answer(jobs, asked=asked, ended=ended, maintenance=self._reserved())

    def _reserved(self) -> tuple[Reservation, ...] | None:
        """Whoever may not see reservations waits for them without a word."""
        if not self._asks_reserved:
            return None
        try:
            found = self._scheduler.reservations()
        except SchedulerUnknown:
            return None
        return tuple(one for one in found if one.maintenance)[:_MOST_RESERVED]

    def _take(self, answer: _Answer, now: float) -> dict[str, list[Observation]]:
        state: Literal["ok", "unknown"] = "unknown" if answer.why else "ok"
        whole = QueueReading(at=now, state=state, jobs=answer.jobs, why=answer.why)
        self.whole = Whole(self._asked_at, whole)
        if answer.why:
            self._failed += 1
            return {
                run: [QueueReading(at=now, state="unknown", why=answer.why)] for run in self._runs
            }
        self._failed = 0
        if self._asks_reserved:
            self._reserved_at, self._asks_reserved = now, False
        if answer.maintenance is not None:
            self._maintenance = answer.maintenance
        found = {run: ours.among(answer.jobs) for run, ours in self._runs.items()}
        told: dict[str, list[Observation]] = {
            run: [QueueReading(at=now, state="ok", jobs=jobs, maintenance=self._maintenance)]
            for run, jobs in found.items()
        }
        self._remark(found, answer.jobs, now)
        for run, reading in self._of_books(answer, found, now):
            told[run].append(reading)
        return told

    def _of_books(
        self, answer: _Answer, found: Mapping[str, Sequence[Job]], now: float
    ) -> list[tuple[str, AccountingReading]]:
        there = {job.job_id for job in answer.jobs}
        for job_id, run in self._ran.items():
            if job_id not in there:
                self._gone.setdefault(job_id, 0)
                self._whose[job_id] = run
        self._ran = {
            job.job_id: run for run, jobs in found.items() for job in jobs if job.state in _RAN
        }
        readings = []
        for run in self._runs:
            ended = tuple(e for e in answer.ended if self._whose.get(e.job_id) == run)
            if ended:
                readings.append((run, AccountingReading(at=now, state="ok", ended=ended)))
        self._forget({end.job_id for end in answer.ended} | there, set(answer.asked))
        return readings

    def _forget(self, known: set[str], asked: set[str]) -> None:
        """Jobs whose end is known, that are back, or that the books never tell of, are not asked for."""
        tried = {job_id: tries + (job_id in asked) for job_id, tries in self._gone.items()}
        left = [(j, tries) for j, tries in tried.items() if j not in known and tries < _TRIES]
        self._gone = dict(left[-_MOST_GONE:])
        self._whose = {job_id: run for job_id, run in self._whose.items() if job_id in self._gone}

    def _remark(self, found: Mapping[str, Sequence[Job]], jobs: Sequence[Job], now: float) -> None:
        for run, ours in found.items():
            if ours:
                self._unmatched.pop(run, None)
                self.remarks.pop(run, None)
            elif run in self._unmatched:
                since = self._unmatched[run] = self._unmatched[run] or now
                if now - since >= _UNMATCHED_S:
                    self.remarks[run] = unmatched(self._runs[run], jobs)
