"""A deed on jobs, done in a thread of its own: looked at once more, then carried out.

The trap: what is raised says nothing of what was done. A scheduler that does not answer may have obeyed.
"""

from collections.abc import Callable
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from trainwatch.app.probe import Probe
from trainwatch.core.errors import (
    SchedulerUnknown,
    StoreUnusable,
    SubmissionRefused,
    UsageError,
)
from trainwatch.core.hands import again
from trainwatch.core.hands.deeds import Deed
from trainwatch.core.hands.script import submission
from trainwatch.core.hands.settings import HandSettings
from trainwatch.core.model.observations import DeedReading
from trainwatch.core.ours import Ours
from trainwatch.core.ports import Evidence, JobHands, Scene, Scheduler


class Work(NamedTuple):
    """A deed that was begun, and what doing it takes."""

    deed: Deed
    begun: DeedReading  # as it was written down
    settings: HandSettings
    ours: Ours
    run: str
    log_path: str


class Call:
    """A deed under way, and what was written down of it."""

    def __init__(
        self, begun: DeedReading, do: Callable[[Callable[[], bool]], DeedReading], now: float
    ) -> None:
        """`do` is handed a function that says whether the deed is called off."""
        self.begun, self.began_at, self.late = begun, now, False
        self.is_off = False
        self._probe = Probe(lambda: do(lambda: self.is_off))
        self._probe.ask()

    def outcome(self, now: float, wait_s: float = 0.0) -> DeedReading | None:
        """What became of it; None while nobody knows."""
        self.began_at = min(self.began_at, now)
        try:
            found = self._probe.answer(wait_s)
        except Exception as error:  # noqa: BLE001 - a bug in a deed must not end the watch
            found = replace(
                self.begun, outcome="unknown", detail=f"{type(error).__name__}: {error}"
            )
        if found is not None:
            self.close()
        return found

    def close(self) -> None:
        """Let the thread end, when the deed does."""
        self._probe.close()


class Worker:
    """Does what was begun."""

    def __init__(self, scheduler: Scheduler, hands: JobHands, evidence: Evidence) -> None:
        self._scheduler, self._hands, self._evidence = scheduler, hands, evidence

    def do(self, work: Work, is_off: Callable[[], bool]) -> DeedReading:
        """Look once more, then do it; what became of it. `is_off` says whether it is called off."""
        deed, begun = work.deed, work.begun
        try:
            why = again.why_not(deed, self._scheduler.queue(), work.ours)
        except SchedulerUnknown as error:
            why = f"the scheduler did not answer the last look: {error}"
        if deed.unless and Path(deed.unless).exists():
            why = f"the kill switch {deed.unless} is there"
        if is_off():
            why = f"{deed.rule} does not fire any more"
        if why:
            return replace(begun, outcome="not-done", detail=why)
        try:
            return replace(begun, outcome="done", **self._act(work))
        except SchedulerUnknown as error:
            return replace(begun, outcome="unknown", detail=str(error))
        except SubmissionRefused as error:
            return replace(begun, outcome="refused", detail=str(error))
        except (StoreUnusable, UsageError) as error:
            return replace(begun, outcome="failed", detail=str(error))

    def _act(self, work: Work) -> dict[str, str]:
        """What is to be written down of it."""
        deed = work.deed
        match deed.hand:
            case "evidence":
                return {"detail": self._collect(work)}
            case "cancel":
                self._hands.cancel(deed.jobs)
            case "hold":
                self._hands.hold(deed.jobs[0])
            case "resubmit":
                return {"detail": self._submit(work)}
        return {"detail": ""}

    def _collect(self, work: Work) -> str:
        deed, logs = work.deed, work.settings.evidence_logs
        about = f"{work.run}: {deed.why[0]}"
        folder = work.begun.folder
        return self._evidence.collect(
            Scene(deed.jobs[0], deed.nodes, work.log_path, logs, folder, about)
        )

    def _submit(self, work: Work) -> str:
        path = Path(work.settings.resubmit or "").expanduser().absolute()
        try:
            script = path.read_text(encoding="utf-8")
        except (OSError, UnicodeDecodeError) as error:
            raise UsageError(f"{path} cannot be read: {error}") from error
        job = submission(
            script,
            str(path),
            work.ours,
            token=work.begun.token,
            exclude=work.begun.exclude,
            options=work.settings.resubmit_options,
        )
        return f"job {self._hands.submit(job)}"
