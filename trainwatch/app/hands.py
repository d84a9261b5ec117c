"""The hands on jobs: which deed is begun, and what became of it. Each is written down before it is done.

The trap: whoever is killed between writing and doing leaves a deed that was never done. It counts as done all
the same: a job that hangs an hour longer is cheaper than one that is cancelled twice.
"""

import secrets
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from trainwatch.app.deeds import Call, Work, Worker
from trainwatch.core.hands.deeds import Deed, Desk, Plan
from trainwatch.core.hands.plan import plan
from trainwatch.core.hands.proofs import firing
from trainwatch.core.hands.said import in_words
from trainwatch.core.hands.settings import HandSettings
from trainwatch.core.model.observations import DeedReading
from trainwatch.core.model.state import Event, RunState
from trainwatch.core.ours import Ours
from trainwatch.core.ports import Evidence, JobHands, Scheduler
from trainwatch.core.rules.sight import Sight
from trainwatch.core.words import clean

_LATELY = 20  # allocations
DEADLINE_S = 600.0  # of a deed; what becomes of a later one is still heard


class Run(Protocol):
    """What a run under watch lets hands see and write down (app/watched.py)."""

    name: str
    log_path: str
    state: RunState

    @property
    def looked_at(self) -> float | None: ...

    @property
    def unkept(self) -> str: ...

    def sight(self, now: float) -> Sight: ...

    def write_down(self, seen: DeedReading, event: Event, now: float) -> bool: ...

    def show(self, plan: Plan, now: float) -> None: ...


class Chosen(NamedTuple):
    """What the configuration says of one run."""

    settings: HandSettings
    ours: Ours
    folder: Path  # of the run's evidence


class Hands:
    """The hands on the jobs of all runs of a daemon."""

    def __init__(
        self,
        scheduler: Scheduler,
        hands: JobHands,
        evidence: Evidence,
        chosen: Mapping[str, Chosen],
        *,
        interval_s: float,
        look_every_s: float = 60.0,
        token: Callable[[], str] = lambda: f"trainwatch-{secrets.token_hex(8)}",
    ) -> None:
        """`chosen`: by run. `interval_s`: between questions to the scheduler, `look_every_s`: at the logs."""
        self._worker = Worker(scheduler, hands, evidence)
        self._chosen, self._token = dict(chosen), token
        self._interval_s, self._look_every_s = interval_s, look_every_s
        self._calls = dict[str, Call]()
        self._claims, self._claimed_at = Counter[str](), float("nan")  # by job: runs that take it

    def add(self, run: str, chosen: Chosen) -> None:
        """A run that is watched from now on."""
        self._chosen[run] = chosen

    def tick(self, run: Run, runs: Sequence[Run], now: float) -> None:
        """Hear of the deed under way; plan; begin the first deed that is called for. Never waits."""
        chosen = self._chosen.get(run.name)
        if chosen is None:
            return
        self._hear(run, now)
        desk = self._desk(run, runs, chosen, now)
        planned = plan(desk)
        run.show(planned, now)
        if (call := self._calls.get(run.name)) is not None:  # one at a time: first the evidence
            call.is_off = firing(desk, call.begun.rule) is None
            return
        deeds = run.sight(now).memory.deeds
        for deed in (each for each in planned if isinstance(each, Deed)):
            if chosen.settings.apply or deeds.is_wanted(deed.hand, deed.cause, now):
                self._begin(run, deed, chosen, now)
                return
            if not deeds.is_planned(deed.hand, deed.cause):
                self._write(run, _reading(deed, now, detail=deed.does), now)

    def finish(self, runs: Sequence[Run], now: float, patience_s: float) -> None:
        """Wait for what is under way, before the process ends."""
        for run in runs:
            self._hear(run, now, patience_s)

    @property
    def busy(self) -> bool:
        """Whether a deed is under way that may still be heard of soon."""
        return any(not call.late for call in self._calls.values())

    def close(self) -> None:
        """Let go."""
        for call in self._calls.values():
            call.close()

    def _desk(self, run: Run, runs: Sequence[Run], chosen: Chosen, now: float) -> Desk:
        return Desk(
            run.sight(now),
            chosen.settings,
            chosen.ours,
            self._interval_s,
            run.looked_at,
            self._look_every_s,
            self._of_others(run, runs, now),
            run.unkept,
        )

    def _of_others(self, run: Run, runs: Sequence[Run], now: float) -> frozenset[str]:
        """Which of a run's jobs another takes for its own, too: counted once a tick for all."""
        if self._claimed_at != now:
            self._claims = Counter(job_id for each in runs for job_id in _jobs(each))
            self._claimed_at = now
        return frozenset(job_id for job_id in _jobs(run) if self._claims[job_id] > 1)

    def _hear(self, run: Run, now: float, wait_s: float = 0.0) -> None:
        call = self._calls.get(run.name)
        if call is None:
            return
        found = call.outcome(now, wait_s)
        if found is not None:
            del self._calls[run.name]
            self._write(run, replace(found, at=now), now)
        elif now - call.began_at >= DEADLINE_S and not call.late:
            call.late = True
            late = replace(call.begun, at=now, outcome="unknown", detail="it hangs")
            self._write(run, late, now)

    def _begin(self, run: Run, deed: Deed, chosen: Chosen, now: float) -> None:
        begun = _reading(deed, now, outcome="begun", token=self._token())
        if deed.hand == "evidence":
            begun = replace(begun, folder=str(chosen.folder / _folder(deed, now)))
        if not self._write(run, begun, now):
            why = "it could not be written down first"
            self._write(run, replace(begun, outcome="not-done", detail=why), now)
            return
        work = Work(deed, begun, chosen.settings, chosen.ours, run.name, run.log_path)
        self._calls[run.name] = Call(begun, partial(self._worker.do, work), now)

    def _write(self, run: Run, reading: DeedReading, now: float) -> bool:
        words = f"would: {reading.detail}" if reading.outcome == "planned" else in_words(reading)
        event = Event(
            at=now,
            kind=f"hand-{reading.outcome}",
            iteration=reading.iteration,
            text=clean(f"{reading.hand} ({reading.cause}): {words}", 600),
        )
        return run.write_down(reading, event, now)


def _reading(
    deed: Deed, now: float, *, outcome: str = "planned", token: str = "", detail: str = ""
) -> DeedReading:
    """The line of the ledger for a deed."""
    return DeedReading(
        at=now,
        hand=deed.hand,
        cause=deed.cause,
        outcome=outcome,  # type: ignore[arg-type]
        token=token,
        rule=deed.rule,
        jobs=deed.jobs,
        start=deed.start,
        iteration=deed.iteration,
        detail=detail,
        exclude=deed.exclude,
    )


def _folder(deed: Deed, now: float) -> str:
    """`20270115T080000Z-stall-7_1`: sorts by time, and holds nothing that is not ours."""
    stamp = datetime.fromtimestamp(now, UTC).strftime("%Y%m%dT%H%M%SZ")
    return f"{stamp}-{deed.rule}-{deed.jobs[0]}"


def _jobs(run: Run) -> set[str]:
    """Jobs that a run takes for its own."""
    reading = run.state.queue
    shown = {job.job_id for job in reading.jobs} if reading is not None else set[str]()
    return shown | {allocation.job_id for allocation in run.state.allocations[-_LATELY:]}
