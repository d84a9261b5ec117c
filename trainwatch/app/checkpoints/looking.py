"""Looks at the checkpoints of every run now and then, and prunes where that is allowed.

The trap: listing takes minutes on a filesystem in trouble. It is done in a thread of its own for each run;
a tick only takes what is there.
"""

from collections.abc import Callable, Mapping, Sequence

import msgspec
from msgspec.structs import replace

from trainwatch.app import names
from trainwatch.app.checkpoints.backing import Backing, Ready
from trainwatch.app.checkpoints.desk import Desk
from trainwatch.app.config import RunSettings
from trainwatch.app.probe import Probe
from trainwatch.core import retention
from trainwatch.core.errors import TrainwatchError
from trainwatch.core.model.observations import CheckpointReading, Observation
from trainwatch.core.model.plans import Outcome, Plan
from trainwatch.core.model.policies import Policy

_ONCE_S = 600.0  # a single tick waits so long for a listing
_HANGS_S = 3600.0  # a listing that takes longer hangs
_MOST_REMARKS = 5


class Look(msgspec.Struct, frozen=True, kw_only=True):
    """What came of one look. `trouble`: why nothing did."""

    reading: CheckpointReading | None = None
    remarks: tuple[str, ...] = ()
    trouble: str = ""
    ready: Ready | None = None  # for backups, where there are places for them


class _One:
    """The checkpoints of one run."""

    def __init__(self, run: RunSettings, make: Callable[[RunSettings], Desk], acts: bool) -> None:
        self.run, self._make, self._acts = run, make, acts
        self._desk: Desk | None = None
        self.probe = Probe(self.look)
        self.asked_at = float("-inf")
        self.anew = frozenset[str]()  # to be walked whatever was seen before
        self.last = Look()
        self._closed = False

    def close(self) -> None:
        """End what asks a place for backups; a look under way removes nothing more."""
        self._closed = True
        if self._desk is not None:
            self._desk.shelves.close()

    def look(self) -> Look:
        """In a thread. Raises TrainwatchError."""
        desk = self._desk = self._desk or self._make(self.run)
        anew, self.anew = self.anew, frozenset()
        seen = desk.lister.look(desk.now(), anew=anew)
        desk.remember()
        wishes = desk.shelves.wishes() if self._acts else ()
        plan, policy = desk.prune(seen, wishes=wishes), desk.settings.policy
        remarks = [*seen.left, *seen.unseen]
        remarks += [f"backups: {wish.unknown}" for wish in wishes if wish.unknown]
        ready = Ready(desk.shelves, seen, desk.shelves.plan(seen, wishes)) if wishes else None
        reading = _kept(retention.told(seen.reading(), plan), ready)
        reading = replace(reading, root=desk.root, rounds=desk.settings.rounds)
        if not policy.missing():
            reading = _planned(reading, plan, policy)
            remarks += [f"nothing is pruned: {why}" for why in plan.refused]
            if desk.settings.apply and self._acts and not self._closed:
                done = _pruned(desk, plan)
                reading = _without(reading, done)
                remarks += _failures([*done, *desk.empty(desk.settings.trash_s)])
        return Look(reading=reading, remarks=tuple(remarks[:_MOST_REMARKS]), ready=ready)


class Looking:
    """Of all runs whose configuration speaks of checkpoints."""

    def __init__(
        self, make: Callable[[RunSettings], Desk], *, acts: bool, waits: bool = False
    ) -> None:
        """`make` raises UsageError where nothing says where they are. `waits`: for a single tick.

        `acts`: prunes where that is configured; a screen that watches by itself only looks.
        """
        self._make, self._acts, self._waits = make, acts, waits
        self._runs = dict[str, _One]()
        self._backing = Backing()

    def add(self, run: RunSettings) -> None:
        """See app/sources.py."""
        name = run.name or names.absolute(run.log).stem
        if run.checkpoints.looks and name not in self._runs:
            self._runs[name] = _One(run, self._make, self._acts)

    def tick(self, now: float) -> Mapping[str, Sequence[Observation]]:
        """See app/sources.py."""
        told = dict[str, Sequence[Observation]]()
        for name, one in self._runs.items():
            if not one.probe.asked:
                if 0 <= now - one.asked_at < one.run.checkpoints.look_every_s:
                    continue
                one.asked_at = now
                one.probe.ask()
            reading = self._hear(one, now)
            if reading is not None:
                told[name] = (replace(reading, at=now),)
        if (
            self._acts and not self._waits
        ):  # a single tick has no hours: `checkpoints backup --apply` has
            self._back_up(now)
        return told

    def _back_up(self, now: float) -> None:
        """The next one; and a look, soon, at the run that has one more."""
        ended = self._backing.tick(now, self._ready())
        if ended:
            one = self._runs[ended]
            one.asked_at, one.last = float("-inf"), replace(one.last, ready=None)
            one.anew = frozenset(self._backing.remarked(ended))

    def _ready(self) -> dict[str, Ready]:
        return {name: one.last.ready for name, one in self._runs.items() if one.last.ready}

    def _hear(self, one: _One, now: float) -> CheckpointReading | None:
        try:
            answer = one.probe.answer(_ONCE_S if self._waits else 0.0)
        except TrainwatchError as error:
            one.last = Look(remarks=(f"checkpoints: {error}",), trouble=str(error))
            return None
        except Exception as error:  # noqa: BLE001 - a bug in looking must not end the watch of the log
            why = f"looking at checkpoints failed with {type(error).__name__}"
            one.last = Look(remarks=(why,), trouble=why)
            return None
        if answer is None:
            if now - one.asked_at > _HANGS_S:
                why = f"{one.run.checkpoints.path or 'the checkpoint folder'}: listing it hangs"
                one.last = Look(remarks=(why,), trouble=why)
            return None
        one.last = answer
        return answer.reading

    def remarks(self, run: str) -> Sequence[str]:
        """See app/sources.py."""
        if run not in self._runs:
            return ()
        return (*self._runs[run].last.remarks, *self._backing.remarks(run))

    def troubles(self, run: str) -> Mapping[str, str]:
        """See app/sources.py."""
        trouble = self._runs[run].last.trouble if run in self._runs else ""
        return {"checkpoints": trouble} if trouble else {}

    def finish(self, now: float, patience_s: float) -> None:
        """Nothing is under way that a kill could harm."""

    def close(self) -> None:
        """Let go of the threads, and end a backup that is being made."""
        self._backing.close(self._ready())
        for one in self._runs.values():
            one.close()
            one.probe.close()


def _kept(reading: CheckpointReading, ready: Ready | None) -> CheckpointReading:
    """With where each is backed up, of those of which no backup is due; as far as anybody can say."""
    if ready is None or ready.plan.refused:
        return reading
    due = {row.name for row in ready.plan.due}
    places = dict[str, list[str]]()
    for row in ready.plan.rows:
        places.setdefault(row.name, []).append(row.to)
    found = tuple(
        one if one.name in due else replace(one, backed_up=", ".join(places.get(one.name, ())))
        for one in reading.found
    )
    return replace(reading, found=found)


def _planned(reading: CheckpointReading, plan: Plan, policy: Policy) -> CheckpointReading:
    return replace(
        reading,
        prunable_bytes=plan.freed_bytes,
        policy=policy.in_words(),
        refused=plan.refused,
    )


def _without(reading: CheckpointReading, done: Sequence[Outcome]) -> CheckpointReading:
    """What is left of it, by a watcher that prunes."""
    gone = {name for each in done for name in each.done}
    left = tuple(one for one in reading.found if one.name not in gone)
    prunable = sum(one.bytes or 0 for one in left if one.goes)
    return replace(reading, found=left, prunable_bytes=prunable, prunes=True)


def _pruned(desk: Desk, plan: Plan) -> list[Outcome]:
    """Do it, if there is anything to do."""
    if plan.refused or plan.idle:
        return []
    return [desk.apply(plan, "trainwatch watch")]


def _failures(done: Sequence[Outcome]) -> list[str]:
    failed = [why for each in done for why in each.failed]
    return [f"{len(failed)} checkpoints could not be removed, e.g. {failed[0]}"] if failed else []
