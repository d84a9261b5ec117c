"""One run under watch: its log, its state, and what is still to be kept."""

from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from msgspec.structs import replace

from trainwatch.app.keeping import Keeping
from trainwatch.app.probe import Probe
from trainwatch.app.telling import Teller
from trainwatch.core import house
from trainwatch.core.columns import Columns
from trainwatch.core.errors import LeaseHeld, TrainwatchError
from trainwatch.core.facts import Facts
from trainwatch.core.figures import Figures, figures_of
from trainwatch.core.hands.deeds import Plan
from trainwatch.core.hands.view import shape, views
from trainwatch.core.journal import as_event, by_time
from trainwatch.core.judge import Judge
from trainwatch.core.logs.scan import Marked, Scanner
from trainwatch.core.model.alerts import Change
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.observations import (
    DeedReading,
    LogChunk,
    Observation,
    ProcessReading,
    QueueReading,
    WatcherReading,
)
from trainwatch.core.model.state import RECENT_ROWS, Event, RunState
from trainwatch.core.model.status import Status
from trainwatch.core.ports import Log, LogRead, Saved, Store
from trainwatch.core.processes import says_the_same
from trainwatch.core.rules.settings import AlertSettings
from trainwatch.core.rules.sight import Sight
from trainwatch.core.run import Reader
from trainwatch.core.status import status_of
from trainwatch.core.warned import with_alerts

_MOST_OBSERVED = 200  # that wait for the log to be read
BLOCK_BYTES = 1024 * 1024
DEADLINE_S = 20.0  # a look at a log that takes longer hangs
PATIENCE_S = 120.0  # a last line without an end is read after so long a silence
LIVE_GAP_S = 600.0  # lines that came since a look so recent came now, as far as clocks go


class Look(NamedTuple):
    """A look at the log, prepared for the fold in the probe's thread."""

    read: LogRead
    marked: Marked | None
    mark: Mark


class Watched:
    """Reads a log, folds it, keeps what came of it."""

    def __init__(
        self,
        name: str,
        log_path: str,
        log: Log,
        store: Store | None,
        scanner: Scanner,
        *,
        saved: Saved | None = None,
        configured: Facts | None = None,
        utc_offset_s: float = 0.0,
        record: Callable[[Observation], None] | None = None,
        judge: Judge | None = None,
        teller: Teller | None = None,
        warning: str = "",
    ) -> None:
        """`store` None keeps everything in memory; `saved` is what it held, `log` goes on from there.

        `judge` has the memory that was saved; without one, all rules are as they are without settings.
        `teller` goes on with its outbox; `warning` stands until something is kept.
        """
        self.name = name
        self.log_path = log_path
        self.state = saved.state if saved else RunState(run=name, log=log_path)
        self.recent = saved.recent if saved else Columns()
        self.blind = ""  # why the log cannot be seen, in a sentence
        self.silent_after_s: float | None = None  # set by whoever looks only now and then
        self.size: int | None = None
        self._configured = configured or Facts()
        self._log, self._scanner = log, scanner
        self._keeping = Keeping(store, warning)
        self._reader = Reader(scanner, utc_offset_s=utc_offset_s)
        self._record = record
        self._judge = judge or Judge(name, AlertSettings(), self._configured)
        self._teller = teller
        self._untold = list[Change]()
        self._observed = list[Observation]()  # not judged yet
        self._plan: Plan = ()
        self.remarks: tuple[str, ...] = ()  # of whoever watches all runs
        self.troubles: dict[str, str] = {}  # why what cannot be seen, see app/sources.py
        self._probe = Probe(self._look)
        self._mark = log.mark
        self._looked_at = saved.looked_at if saved else None
        self._figures: tuple[RunState, int, Figures] | None = None
        self._grew_at = float("-inf")

    def tick(self, now: float, heartbeat_s: float) -> bool:
        """Read a block, keep it, say so. True if there is more to read at once."""
        self._judge_time(now)
        more = self._take(now)
        self._judge_observed(now)
        self._judge_sight(now)
        self._tell(now)
        if not more or self._keeping.is_due(now):
            self._keep(now)
            self._keeping.tell(self.status, now, heartbeat_s)
        return more

    def status(self, now: float) -> Status:
        """How the run is doing."""
        status = status_of(
            self.state,
            self.recent,
            self._configured,
            now,
            figures=self._figures_now(),
            log=self.log_path,
            log_bytes=self.size,
            heartbeat_at=now,
        )
        status = with_alerts(status, self._judge.memory.book, now)
        if self.blind:
            status = replace(status, health="unknown", reason=self.blind)
        elif self.size == 0 and status.health == "unknown" and not self.state.speaks:
            status = replace(status, reason="the log is empty so far")
        warnings = [
            *status.warnings,
            *([self.warning] if self.warning else []),
            *self.remarks,
        ]
        if self._teller is not None:
            troubles = self._teller.troubles().items()
            warnings += [f"receiver {name}: {why}" for name, why in troubles]
        hands = views(self._plan, self._judge.memory.deeds, now)
        return replace(
            status,
            warnings=tuple(warnings),
            hands=hands,
            silent_after_s=self.silent_after_s,
            troubles=self.troubles,
            **house.views(self.sight(now)),
        )

    def _figures_now(self) -> Figures:
        """The same while nothing is read: a heartbeat needs no median of thousands of rows."""
        known = self._figures
        if known is None or known[0] is not self.state or known[1] != self.recent.rows:
            made = figures_of(self.state, self.recent, self._configured)
            known = self._figures = (self.state, self.recent.rows, made)
        return known[2]

    @property
    def warning(self) -> str:
        """Why nothing can be kept; empty when it can."""
        return self._keeping.warning

    @property
    def read_to(self) -> int:
        """How far the log is read, in bytes."""
        return self._mark.offset

    def finish(self, now: float) -> None:
        """Read the last line where it has no end: nothing more is expected."""
        self._fold(now, Look(self._log.finish(), None, self._log.mark))
        self._keep(now)
        self._publish(now)

    def give_up(self, error: Exception, now: float) -> None:
        """Say why this run is not watched any longer, and let go of it."""
        if not isinstance(error, LeaseHeld):
            kind = "" if isinstance(error, TrainwatchError) else f"{type(error).__name__}: "
            self._say(blind=f"trainwatch gave up watching this log: {kind}{error}")
            with suppress(TrainwatchError):
                self._publish(now)
        self.close()

    def tell_out(self, now: float, patience_s: float) -> None:
        """Wait for the messages under way, and keep what became of them: the process ends."""
        if self._teller is not None and self._teller.finish(now, patience_s):
            self._kept_outbox()
            self._keep(now)
            self._publish(now)

    def close(self) -> None:
        """Let go of log and store."""
        if self._teller is not None:
            self._teller.close()
        self._probe.close()
        self._log.close()
        self._keeping.close()

    def _look(self) -> Look:
        read = self._log.poll(BLOCK_BYTES)
        return Look(read, self._scanner.mark(read.data) if read.data else None, self._log.mark)

    def _take(self, now: float) -> bool:
        if self._keeping.is_full:
            return False
        look = self._probe.answer(DEADLINE_S)
        if look is None:
            self._say(blind=f"{self.log_path}: reading it hangs; does its filesystem answer?")
            return False
        if look.read.more:
            self._probe.ask()  # the next block is read and searched while this one is folded
        if look.read.state in ("missing", "unreadable"):
            self._say(blind=look.read.why)
            return False
        self._say(blind="")
        self.size = look.read.size if look.read.size is not None else self.size
        self._fold(now, look)
        if not look.read.more:
            self._take_last_line(now, look.read)
            self._looked_at = now
        return look.read.more

    def observe(self, seen: Sequence[Observation]) -> None:
        """Hear of what is no log: judged once the log is read to its end. Of the queue the newest counts."""
        waiting = self._observed
        if any(isinstance(each, QueueReading) for each in seen):
            waiting = [each for each in waiting if not isinstance(each, QueueReading)]
        self._observed = [*waiting, *seen][-_MOST_OBSERVED:]

    @property
    def looked_at(self) -> float | None:
        """When the log was last read to its end."""
        return self._looked_at

    @property
    def unkept(self) -> str:
        """The same, also where there is no store at all."""
        return self._keeping.trouble

    def sight(self, now: float) -> Sight:
        """What a rule, or a plan, is handed."""
        return self._judge.sight(self.state, now)

    def write_down(self, seen: DeedReading, event: Event, now: float) -> bool:
        """Take a deed of our hands, and keep it at once. False where it could not be kept."""
        self._see(seen)
        self._keeping.note([event])
        self._keeping.changed()
        self._keep(now)
        return self._keeping.is_kept

    def show(self, plan: Plan, now: float) -> None:
        """What the hands would do, for views."""
        before, self._plan = self._plan, plan
        if shape(before) != shape(plan):
            self._publish(now)

    def _judge_observed(self, now: float) -> None:
        """The trap: while old lines are caught up with, `now` would make a silence of each pause in them."""
        if not self._observed or not (self._is_live(now) or self.blind):
            return
        observed, self._observed = self._observed, []
        for seen in observed:
            before, answers = self.state, self._judge.memory.deeds.answers
            self._see(seen)
            counted = self._judge.memory.deeds.answers != answers
            self._keeping.changed(keep=counted or not _says_the_same(seen, before))

    def _fold(self, now: float, look: Look) -> None:
        read, self._mark = look.read, look.mark
        if not read.data:
            return
        self._grew_at = now
        self._keeping.changed()
        chunk = LogChunk(
            at=now,
            path=self.log_path,
            data=read.data,
            offset=read.offset,
            generation=read.generation,
            live=self._is_live(now),
        )
        self._see(chunk, look.marked)

    def _see(self, seen: Observation, marked: Marked | None = None) -> None:
        """Fold an observation, and judge it."""
        if self._record is not None:
            self._record(seen)
        before = self.state
        for step in self._judge.see(seen, before, self._reader.steps(before, seen, marked)):
            self.state = step.state
            self._keeping.add(step.rows)
            self.recent.extend(step.rows)
            self._heed(self._judge.told(), step.events)
        if self.recent.rows > 2 * RECENT_ROWS:
            self.recent = self.recent.tail(RECENT_ROWS)
        self._heed(self._judge.told())

    def _is_live(self, now: float) -> bool:
        return self._looked_at is not None and now - self._looked_at <= LIVE_GAP_S

    def _judge_time(self, now: float) -> None:
        """Silence says something only where everything that was written is read."""
        if not self._is_live(now) and not self.blind:
            return
        for request in self._keeping.requests():
            self._see(replace(request, at=now))
            self._keeping.changed()
        self._heed(self._judge.pass_time(self.state, now))

    def _judge_sight(self, now: float) -> None:
        if self.blind != self._judge.memory.hands.blind:
            self._see(WatcherReading(at=now, blind=self.blind))

    def _heed(self, changes: Sequence[Change], events: Sequence[Event] = ()) -> None:
        """Alert changes go to the journal, among what happened meanwhile, and to people."""
        told = by_time(events, changes)
        self._keeping.note([as_event(e) if isinstance(e, Change) else e for e in told])
        if changes:
            self._untold.extend(changes)
            self._keeping.changed()

    def _tell(self, now: float) -> None:
        changes, self._untold = self._untold, []
        if self._teller is not None:
            alarms = self._judge.memory.book.alarms
            firing = {(a.finding.rule, a.finding.key) for a in alarms if a.fired_at is not None}
            if self._teller.tick(now, changes, firing):
                self._kept_outbox()

    def _kept_outbox(self) -> None:
        if self._teller is not None:
            self._judge.memory.outbox = self._teller.outbox
            self._keeping.changed()

    def _take_last_line(self, now: float, read: LogRead) -> None:
        """A last line that never got its end is read when the log has long been silent."""
        unread = read.size is not None and read.size > self._mark.offset
        if unread and not read.data and PATIENCE_S < now - self._grew_at < float("inf"):
            self._fold(now, Look(self._log.finish(), None, self._log.mark))

    def _keep(self, now: float) -> None:
        self._keeping.keep(self.state, self._mark, self._judge.memory, now)

    def _publish(self, now: float) -> None:
        self._keeping.tell(self.status, now)

    def _say(self, *, blind: str) -> None:
        if blind != self.blind:
            self.blind = blind
            self._keeping.changed(keep=False)


def _says_the_same(seen: Observation, before: RunState) -> bool:
    """Whether the scheduler only says again what it said: not worth a write to a shared disk a minute."""
    if isinstance(seen, ProcessReading):
        return says_the_same(seen, before.processes)
    known = before.queue
    if not isinstance(seen, QueueReading) or known is None:
        return False
    says = (seen.state, seen.jobs, seen.maintenance)
    return (known.state, known.jobs, known.maintenance) == says
