"""The checkpoints of one run as plans are made of them and carried out: by a command, or by whoever watches.

The trap: between a plan and its doing the world goes on. What was proven is proven again before each step.
"""

from collections.abc import Callable, Collection, Iterable, Sequence
from contextlib import AbstractContextManager
from typing import NamedTuple, Protocol

from msgspec.structs import replace

from trainwatch.app.checkpoints.safe import Shelves
from trainwatch.app.checkpoints.settings import CheckpointSettings
from trainwatch.core import retention, rounds
from trainwatch.core.checkpoints import stopped
from trainwatch.core.checkpoints.survey import Survey
from trainwatch.core.errors import SchedulerUnknown, TrainwatchError, UsageError
from trainwatch.core.model.backups import Wish
from trainwatch.core.model.plans import Operation, Outcome, Plan, Removed
from trainwatch.core.model.policies import Policy
from trainwatch.core.model.state import RunState
from trainwatch.core.ours import Ours
from trainwatch.core.ports import Scheduler
from trainwatch.core.retention import Pinned
from trainwatch.core.rounds import Stopped
from trainwatch.core.words import clean

_ATTEMPTS = 3  # whose checkpoints may be in use: one that is being loaded has no line yet
_PROVEN_S = 20.0  # so long is a proof believed while steps follow on each other

Told = Callable[[int, int], None]


class Listing(Protocol):
    """adapters/checkpoints/listing.py."""

    def look(self, now: float, told: Told | None = None, anew: Collection[str] = ()) -> Survey:
        """Raises UsageError."""
        ...


class Bin(Protocol):
    """adapters/checkpoints/trash.py."""

    def held(self) -> AbstractContextManager[None]:
        """Nobody else changes the root. Raises LeaseHeld, TrainwatchError."""
        ...

    def operations(self) -> tuple[Operation, ...]:
        """Oldest first. Raises TrainwatchError."""
        ...

    def apply(self, plan: Plan, now: float, by: str, still: Callable[[], str]) -> Outcome:
        """Raises TrainwatchError."""
        ...

    def undo(self, operation: Operation, still: Callable[[], str]) -> Outcome:
        """Raises TrainwatchError."""
        ...

    def empty(self, operation: Operation, per_s: float) -> Outcome:
        """Raises TrainwatchError."""
        ...

    def holds(self, operation: Operation) -> tuple[Removed, ...]:
        """Raises nothing."""
        ...


class Desk(NamedTuple):
    """`state`: what the watcher knows of the run; None where nobody watched it."""

    root: str
    settings: CheckpointSettings
    ours: Ours
    lister: Listing
    trash: Bin
    scheduler: Scheduler
    state: Callable[[], RunState | None]
    now: Callable[[], float]
    remember: Callable[[], None] = lambda: None  # what was seen, for the next process
    shelves: Shelves = Shelves()

    def prune(
        self, seen: Survey, policy: Policy | None = None, wishes: Sequence[Wish] | None = None
    ) -> Plan:
        """What retention removes. `wishes`: what was asked of backups already."""
        known = self.shelves.wishes() if wishes is None else wishes
        pinned = replace(self.pinned(), backups=self.shelves.safe(seen, known))
        plan = retention.plan(self.root, seen, policy or self.settings.policy, pinned)
        said = [f"what is backed up is not known: {one.unknown}" for one in known if one.unknown]
        return replace(plan, said=(*plan.said, *said))

    def finish(self, seen: Survey, number: int, *, again: bool = False) -> Plan:
        """What finishing a round takes. Raises UsageError for a round that is not configured."""
        known = self.settings.rounds
        if not 1 <= number <= len(known):
            raise UsageError(
                f"round {number} is not configured: [runs.checkpoints] has {len(known)} rounds, e.g. "
                "rounds = [{ target = 100, save_interval = 10 }]"
            )
        plan = rounds.plan(self.root, seen, number, known[number - 1], self.stopped())
        return plan if again else self._once(plan)

    def _once(self, plan: Plan) -> Plan:
        """A round that was finished is not finished again: what came since is of the next round."""
        before = [
            one
            for one in self.trash.operations()
            if one.label == plan.label and one.state in ("done", "emptying", "emptied")
        ]
        then = {each.name for one in before for each in one.removed}
        since = [each.name for each in plan.remove if each.name not in then]
        if not before or not since:
            return plan
        why = (
            f"{plan.label} was finished before, and {clean(since[-1], 80)} came since: it is of a later "
            "round (if it is not: --again)"
        )
        return replace(plan, refused=(*plan.refused, why))

    def pinned(self) -> Pinned:
        """What the last attempts went on from."""
        state = self.state()
        attempts = state.attempts[-_ATTEMPTS:] if state is not None else ()
        used = {
            one.loaded_iteration: "an attempt of late went on from it"
            for one in attempts
            if one.loaded_iteration is not None
        }
        return Pinned(in_use=used)

    def stopped(self) -> Stopped:
        """Whether the job is proven stopped, asked now. Raises nothing."""
        if self.ours == Ours():
            return Stopped(why_not=stopped.UNNAMED)
        known = self._known()
        try:
            jobs = self.scheduler.queue()
            ended = self.scheduler.ended(sorted(known)) if known else ()
        except SchedulerUnknown as error:
            return Stopped(why_not=f"it is not known whether the job runs: {error}")
        return stopped.proof(self.ours, jobs, known, ended)

    def _known(self) -> Collection[str]:
        state = self.state()
        if state is None:
            return frozenset()
        ids = [one.job_id for one in state.allocations[-_ATTEMPTS:]]
        ids += [one.job_id for one in state.attempts[-_ATTEMPTS:] if one.job_id]
        return frozenset(job_id for job_id in ids if job_id)

    def apply(self, plan: Plan, by: str) -> Outcome:
        """Carry out a plan. Raises TrainwatchError, LeaseHeld."""
        with self.trash.held():
            plan, kept = self._backed_up(plan)
            done = self.trash.apply(plan, self.now(), by, self._still(plan.kind))
            return replace(done, failed=(*done.failed, *kept))

    def _backed_up(self, plan: Plan) -> tuple[Plan, list[str]]:
        """Without what is wanted elsewhere and is not there at this moment, as it is at this moment."""
        if plan.kind != "prune" or not self.shelves.vaults or plan.idle:
            return plan, []
        names = {one.name for one in plan.remove}
        seen = self.lister.look(self.now(), anew=names)
        unsafe = self.shelves.unsafe(seen, names)
        kept = [f"{clean(name, 80)}: {why}" for name, why in sorted(unsafe.items())]
        left = tuple(one for one in plan.remove if one.name not in unsafe)
        return replace(plan, remove=left), kept

    def undo(self, operations: Iterable[Operation]) -> list[Outcome]:
        """Take back, the newest first; stops at the first that fails. Raises TrainwatchError, LeaseHeld."""
        done = list[Outcome]()
        with self.trash.held():
            for one in sorted(operations, key=lambda each: each.at, reverse=True):
                still = self._still(one.kind)
                if why := still():
                    raise TrainwatchError(why)
                done.append(self.trash.undo(one, still))
                if done[-1].failed:
                    break
        return done

    def empty(self, older_than_s: float) -> list[Outcome]:
        """Delete for good what has been in the trash for so long. Raises TrainwatchError, LeaseHeld."""
        if not self.trash.operations():
            return []
        with self.trash.held():
            return [
                self.trash.empty(one, self.settings.unlinks_per_s)
                for one in self.trash.operations()
                if one.state in ("done", "emptying") and self.now() - one.at >= older_than_s
            ]

    def _still(self, kind: str) -> Callable[[], str]:
        """Says why no more may be done. What prunes old checkpoints asks no scheduler."""
        if kind != "finish-round":
            return lambda: ""
        proven_at = float("-inf")

        def still() -> str:
            nonlocal proven_at
            if 0 <= self.now() - proven_at < _PROVEN_S:
                return ""
            why = self.stopped().why_not
            proven_at = self.now() if not why else float("-inf")
            return why

        return still
