"""A report's shares as a job array: submitted, waited for, and what was lost read once more.

The trap: a task that the queue does not show may have answered, and it is not visible here yet. It is lost
only where the books say how it ended, or two answers a minute apart do not hold it. No answer says nothing.
"""

from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from typing import NamedTuple

import msgspec
from msgspec.structs import replace

from trainwatch.app.reporting.desk import Desk
from trainwatch.app.reporting.shares import Result, Work
from trainwatch.core.errors import SchedulerUnknown, SubmissionRefused
from trainwatch.core.model.observations import AttemptEnd, Job
from trainwatch.core.ports import JobHands, Scheduler
from trainwatch.core.slurm.arrays import tasks_of
from trainwatch.core.slurm.reasons import in_words
from trainwatch.core.slurm.submitting import Submission

MOST_TASKS = 1000
_MOST_TRIES = 2
_FIRST_ASKED_S = 15.0  # after the array was submitted: soon enough to say why it waits
_LONGEST_GAP_S = 300.0
_LOOK_S, _LOOK_MORE_S = 1.0, 0.02  # between looks into the folder, and for each task more
_ABSENT = 2  # answers in a row


class Lost(NamedTuple):
    """A share that nobody could read."""

    task: int
    why: str
    last_words: str


class Pace(NamedTuple):
    """Times in s; the queue is asked every `asked_s` at most."""

    asked_s: float = 60.0
    first_asked_s: float = _FIRST_ASKED_S


USUAL = Pace()


class World(NamedTuple):
    """What a farm needs."""

    hands: JobHands
    scheduler: Scheduler
    now: Callable[[], float]
    wait: Callable[[float], None]
    say: Callable[[str], None]


class _Task(msgspec.Struct):
    """A share that has no answer yet. `array` is empty while nobody knows the id of its job."""

    number: int
    array: str = ""
    comment: str = ""
    tries: int = 0
    absent: int = 0  # answers of the queue in a row
    read: int = 0  # bytes, as it says

    @property
    def job(self) -> str:
        return f"{self.array}_{self.number}"


class Farm:
    """One report on the cluster."""

    def __init__(
        self, world: World, desk: Desk, work: Work, job: Submission, pace: Pace | None = None
    ) -> None:
        """`job` is the array without its tasks; its comment is its own alone."""
        self._world, self._desk, self._work, self._job, self._pace = (
            world,
            desk,
            work,
            job,
            pace or USUAL,
        )
        self._open = [_Task(number) for number in range(len(work.shares))]
        self._results = dict[int, Result]()
        self._lost = list[Lost]()
        self._arrays, self._submitted = list[str](), 0
        self._unheard = set[str]()  # comments of arrays that may have been submitted
        self._due, self._failed = 0.0, 0
        self._said = set[str]()

    def run(self, advance: Callable[[int], None]) -> tuple[dict[int, Result], list[Lost]]:
        """The results by index of name, and what was lost. `advance` hears of bytes read.

        Whatever ends it cancels what it submitted. Raises SubmissionRefused.
        """
        try:
            self._submit(self._open)
            self._due = self._world.now() + self._pace.first_asked_s
            while self._open:
                self._look(advance)
                if self._open and self._world.now() >= self._due:
                    self._ask(advance)
                if self._open:
                    self._world.wait(_LOOK_S + _LOOK_MORE_S * len(self._open))
        finally:
            self._stop()
        return self._results, self._lost

    def _submit(self, tasks: Sequence[_Task]) -> None:
        """An array of these tasks. Raises SubmissionRefused."""
        self._submitted += 1
        attempt = self._submitted
        listed = ",".join(str(task.number) for task in tasks)
        job = replace(
            self._job,
            comment=f"{self._job.comment} {attempt}",
            array=listed if len(tasks) < len(self._work.shares) else f"0-{len(tasks) - 1}",
            output=self._desk.output(attempt),
        )
        for task in tasks:
            task.tries, task.absent, task.array, task.comment = task.tries + 1, 0, "", job.comment
        self._unheard.add(job.comment)
        try:
            array = self._world.hands.submit(job)
        except SchedulerUnknown as error:  # it may be there: it is looked for by its comment
            self._world.say(f"{error}; looking for the job in the queue")
            return
        except SubmissionRefused:
            self._unheard.discard(job.comment)
            raise
        self._unheard.discard(job.comment)
        self._arrays.append(array)
        for task in tasks:
            task.array = array
        count = f"{len(tasks)} tasks" if len(tasks) > 1 else "one task"
        self._world.say(f"job {array}, {count}, reads the logs")

    def _look(self, advance: Callable[[int], None]) -> None:
        """Take the answers that are there."""
        there = self._desk.parts()
        for task in list(self._open):
            share = self._work.shares[task.number]
            part = f"part-{task.number}.json" in there
            results = self._desk.take(task.number, len(share)) if part else None
            if results is not None:
                self._results.update(zip(share, results, strict=True))
                self._open.remove(task)
            read = self._desk.read(task.number) if f"read-{task.number}" in there else 0
            advance(max(0, read - task.read))
            task.read = max(read, task.read)
        advance(0)

    def _ask(self, advance: Callable[[int], None]) -> None:
        """What has become of those that have not answered."""
        try:
            jobs = self._world.scheduler.queue()
        except SchedulerUnknown as error:
            self._failed += 1
            longer = self._pace.asked_s * float(1 << min(self._failed, 8))
            self._due = self._world.now() + min(longer, max(_LONGEST_GAP_S, self._pace.asked_s))
            self._say(f"the queue cannot be read ({error}); waiting on")
            return
        self._failed = 0
        self._due = self._world.now() + self._pace.asked_s
        self._look(advance)  # what ended before the answer has left its own here
        absent = [task for task in self._open if not self._shown(task, jobs)]
        if absent:
            self._conclude(absent)

    def _shown(self, task: _Task, jobs: Iterable[Job]) -> bool:
        """Whether an answer of the queue holds a task; and why it waits, to whoever asked for it."""
        for job in jobs:
            array = job.array_job_id or tasks_of(job.job_id).array
            if not task.array and job.comment == task.comment:
                task.array = array
                self._arrays.append(array)
                self._unheard.discard(task.comment)
            if array == task.array and tasks_of(job.job_id).may_hold(task.number):
                task.absent = 0
                if job.state == "PENDING" and (words := in_words(job.reason)) not in ("", "None"):
                    self._say(f"job {array} waits: {words}")
                return True
        task.absent += 1
        return False

    def _conclude(self, absent: Sequence[_Task]) -> None:
        ends = self._books(absent)
        lost = [
            (task, ends.get(task.job))
            for task in absent
            if _ended(ends.get(task.job)) or task.absent >= _ABSENT
        ]
        again = []
        for task, end in lost:
            why = _why(task, end)
            blind = (
                end is not None and end.state in ("COMPLETED", "FAILED") and not self._desk.traces()
            )
            if task.tries < _MOST_TRIES and not blind:
                self._say(f"{why}: its share of the logs is read again")
                again.append(task)
            else:
                self._give_up(task, why)
        if again:
            self._again(again)

    def _again(self, tasks: Sequence[_Task]) -> None:
        try:
            self._submit(tasks)
        except SubmissionRefused as error:
            for task in tasks:
                self._give_up(task, f"its second try was refused: {error}")

    def _give_up(self, task: _Task, why: str) -> None:
        if not self._desk.traces():
            why += (
                f"; it left nothing in {self._desk.folder}, which the compute nodes may not see: "
                "name a state_dir on a filesystem that they share"
            )
        tries = range(self._submitted, 0, -1)
        words = (self._desk.last_words(task.number, attempt) for attempt in tries)
        self._lost.append(Lost(task.number, why, next(filter(None, words), "")))
        self._open.remove(task)

    def _books(self, tasks: Sequence[_Task]) -> dict[str, AttemptEnd]:
        with suppress(SchedulerUnknown):
            known = [task.job for task in tasks if task.array]
            ended = self._world.scheduler.ended(known) if known else ()
            return {end.job_id: end for end in ended}
        return {}

    def _stop(self) -> None:
        """End what still runs or waits: of an array that nobody answered for, too."""
        if not self._open and self._submitted == 1:
            return  # every task has answered
        try:
            if self._unheard:
                jobs = self._world.scheduler.queue()
                found = [job for job in jobs if job.comment in self._unheard]
                self._arrays += [job.array_job_id or job.job_id for job in found]
            for array in dict.fromkeys(self._arrays):
                with suppress(SubmissionRefused):  # it is gone already
                    self._world.hands.cancel([array])
        except SchedulerUnknown as error:
            ids = " ".join(self._arrays) or f"--name={self._job.name}"
            self._world.say(f"the array could not be cancelled ({error}): scancel {ids}")

    def _say(self, text: str) -> None:
        """Once."""
        if text not in self._said:
            self._said.add(text)
            self._world.say(text)


def _ended(end: AttemptEnd | None) -> bool:
    """Whether the books say that there will be no answer; one of a task that completed may be on its way."""
    return end is not None and end.state != "COMPLETED"


def _why(task: _Task, end: AttemptEnd | None) -> str:
    if not task.array:
        return "sbatch gave no answer, and there is no such job"
    if end is None:
        return f"task {task.job} is gone from the queue without an answer"
    on = f" on {','.join(end.nodes)}" if end.nodes else ""
    code = f" ({end.exit_code})" if end.state == "FAILED" and end.exit_code else ""
    return f"task {task.job} ended as {end.state}{code}{on}"
