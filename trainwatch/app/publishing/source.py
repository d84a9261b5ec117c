"""What is written of runs for others, beside the watch: each file in a thread of its own, now and then.

The trap: the folder may be on a disk that hangs. No tick waits for it; what is wrong is a warning of the run.
"""

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from trainwatch.app import clock, names
from trainwatch.app.config import RunSettings
from trainwatch.app.probe import Probe
from trainwatch.core.errors import TrainwatchError
from trainwatch.core.model.observations import Observation

_ONCE_S = 120.0  # a single tick waits so long
_HANGS_S = 900.0  # what takes longer hangs
_SOON_S = 5.0  # when nothing could be written yet


class Job(NamedTuple):
    """What is written of a run. `write` says whether there was anything. Raises TrainwatchError, OSError."""

    every_s: float
    write: Callable[[float], bool]


class _One:
    """A job, and how it is going."""

    def __init__(self, job: Job) -> None:
        self.job = job
        self.probe = Probe(lambda: job.write(clock.now()))
        self.asked_at = 0.0
        self.due_at: float | None = None  # None before the first tick, at which nothing is read yet
        self.remark = ""


class Writers:
    """See Source in app/sources.py."""

    def __init__(
        self, what: str, make: Callable[[RunSettings], Job | None], *, once: bool = False
    ) -> None:
        """`what` names it in warnings. `once`: for a single tick, which writes at its end and waits."""
        self._what, self._make, self._once = what, make, once
        self._jobs = dict[str, _One]()

    def add(self, run: RunSettings) -> None:
        """See Source."""
        name = run.name or names.absolute(run.log).stem
        job = self._make(run) if name not in self._jobs else None
        if job is not None:
            self._jobs[name] = _One(job)

    def tick(self, now: float) -> Mapping[str, Sequence[Observation]]:
        """See Source. Nothing is ever seen."""
        for one in () if self._once else self._jobs.values():
            if one.probe.asked:
                self._hear(one, now, 0.0)
            elif one.due_at is None:
                one.due_at = now
            elif one.due_at <= now or one.asked_at > now:  # or the clock was set back
                one.asked_at = now
                one.probe.ask()
        return {}

    def remarks(self, run: str) -> Sequence[str]:
        """See Source."""
        one = self._jobs.get(run)
        return (f"{self._what}: {one.remark}",) if one is not None and one.remark else ()

    def troubles(self, run: str) -> Mapping[str, str]:
        """See Source. Nothing is looked at here that could not be seen."""
        return {}

    def finish(self, now: float, patience_s: float) -> None:
        """See Source."""
        for one in self._jobs.values():
            if self._once and not one.probe.asked:
                one.asked_at = now
                one.probe.ask()
            if one.probe.asked:
                self._hear(one, now, max(patience_s, _ONCE_S) if self._once else patience_s)

    def close(self) -> None:
        """See Source."""
        for one in self._jobs.values():
            one.probe.close()

    def _hear(self, one: _One, now: float, patience_s: float) -> None:
        """Take the answer, if there is one."""
        one.due_at = now + one.job.every_s
        try:
            written = one.probe.answer(patience_s)
        except TrainwatchError as error:
            one.remark = str(error)
        except OSError as error:
            one.remark = f"{error.filename or 'the file'}: {(error.strerror or str(error)).lower()}"
        except Exception as error:  # noqa: BLE001 - a bug of ours must not end the watch
            one.remark = f"failed with {type(error).__name__}"
        else:
            if written is None:
                hangs = now - one.asked_at > _HANGS_S
                one.remark = "writing it hangs; does the disk answer?" if hangs else one.remark
            else:
                one.remark = ""
                one.due_at = one.due_at if written else now + min(_SOON_S, one.job.every_s)
