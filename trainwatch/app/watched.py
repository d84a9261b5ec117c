"""One run under watch: its log, its state, and what is still to be kept."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress

from msgspec.structs import replace

from trainwatch.app.eye import Eye, Look
from trainwatch.app.keeping import Keeping
from trainwatch.app.portrait import Besides, Portrait
from trainwatch.app.telling import Teller
from trainwatch.app.voice import Voice
from trainwatch.core.columns import Columns
from trainwatch.core.errors import LeaseHeld, TrainwatchError
from trainwatch.core.facts import Facts
from trainwatch.core.figures import COLUMNS
from trainwatch.core.hands.deeds import Plan
from trainwatch.core.hands.view import shape
from trainwatch.core.journal import as_event, by_time
from trainwatch.core.judge import Judge
from trainwatch.core.logs.scan import Marked, Scanner
from trainwatch.core.model.alerts import Change
from trainwatch.core.model.observations import (
    DeedReading,
    LogChunk,
    Observation,
    QueueReading,
    WatcherReading,
)
from trainwatch.core.model.state import RECENT_ROWS, Event, RunState
from trainwatch.core.model.status import Status
from trainwatch.core.model.telling import Outbox, Receiver
from trainwatch.core.ports import Log, Saved, Sender, Store
from trainwatch.core.readings import is_said_again
from trainwatch.core.rules.settings import AlertSettings
from trainwatch.core.rules.sight import Sight
from trainwatch.core.run import Reader

_MOST_RECENT_ROWS = RECENT_ROWS + RECENT_ROWS // 4  # then the oldest are let go of
_MOST_OBSERVED = 200  # that wait for the log to be read
LIVE_GAP_S = 600.0  # lines that came since a look so recent came now, as far as clocks go


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
        self.recent = saved.recent.only(COLUMNS) if saved else Columns()
        self.silent_after_s: float | None = None  # set by whoever looks only now and then
        self._eye, self._portrait = Eye(log_path, log, scanner), Portrait(log_path, configured)
        self._keeping = Keeping(store, warning)
        self._reader = Reader(scanner, utc_offset_s=utc_offset_s)
        self._record = record
        self._judge = judge or Judge(name, AlertSettings(), configured or Facts())
        self._voice = Voice(teller)
        self._observed = list[Observation]()  # not judged yet
        self._plan: Plan = ()
        self.remarks: tuple[str, ...] = ()  # of whoever watches all runs
        self.troubles: dict[str, str] = {}  # why what cannot be seen, see app/sources.py
        self._mark = log.mark
        self._looked_at = saved.looked_at if saved else None

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
        ours = [self.warning] if self.warning else []
        known = Besides(
            blind=self.blind,
            log_bytes=self.size,
            warnings=(*ours, *self.remarks, *self._voice.remarks()),
            plan=self._plan,
            silent_after_s=self.silent_after_s,
            troubles=self.troubles,
        )
        return self._portrait.status(self.sight(now), self.recent, known)

    @property
    def blind(self) -> str:
        """Why the log cannot be seen, in a sentence; empty when it can."""
        return self._eye.blind

    @property
    def size(self) -> int | None:
        """Of the log, in bytes, as last seen."""
        return self._eye.size

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
        self._fold(now, self._eye.finish(now))
        self._keep(now)
        self._publish(now)

    def give_up(self, error: Exception, now: float) -> None:
        """Say why this run is not watched any longer, and let go of it."""
        if not isinstance(error, LeaseHeld):
            kind = "" if isinstance(error, TrainwatchError) else f"{type(error).__name__}: "
            self._eye.blind = f"trainwatch gave up watching this log: {kind}{error}"
            with suppress(TrainwatchError):
                self._publish(now)
        self.close()

    def tell_out(self, now: float, patience_s: float) -> None:
        """Wait for the messages under way, and keep what became of them: the process ends."""
        if self._take_outbox(self._voice.finish(now, patience_s)):
            self._keep(now)
            self._publish(now)

    def close(self) -> None:
        """Let go of log and store."""
        self._voice.close()
        self._eye.close()
        self._keeping.close()

    def _take(self, now: float) -> bool:
        if self._keeping.is_full:
            return False
        before, look = self.blind, self._eye.look(now)
        if self.blind != before:
            self._keeping.changed(keep=False)
        if look is None:
            return False
        self._fold(now, look)
        if not look.read.more:
            rest = self._eye.rest(look, now)
            if rest is not None:
                self._fold(now, rest)
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
        self.note(event)
        self._keep(now)
        return self._keeping.is_kept

    def note(self, event: Event) -> None:
        """A line for the journal."""
        self._keeping.note([event])
        self._keeping.changed()

    def judge_by(self, alerts: AlertSettings, configured: Facts) -> None:
        """These rules and facts are in force from now on; what is known of the run stays."""
        self._judge = self._judge.renewed(alerts, configured)
        self._portrait = Portrait(self.log_path, configured)
        self._keeping.changed()

    def tell_by(self, receivers: Sequence[Receiver], senders: Mapping[str, Sender]) -> None:
        """These are told from now on; what is being told goes on."""
        self._voice.renew(receivers, senders, self._judge.memory.outbox)

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
            self._keeping.changed(keep=counted or not is_said_again(seen, before))

    def _fold(self, now: float, look: Look) -> None:
        read, self._mark = look.read, look.mark
        if not read.data:
            return
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
            self.recent.extend(step.rows.only(COLUMNS))
            self._heed(self._judge.told(), step.events)
        if self.recent.rows > _MOST_RECENT_ROWS:
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
            self._voice.heed(changes)
            self._keeping.changed()

    def _tell(self, now: float) -> None:
        self._take_outbox(self._voice.tick(now, self._judge.memory.book))

    def _take_outbox(self, outbox: Outbox | None) -> bool:
        if outbox is not None:
            self._judge.memory.outbox = outbox
            self._keeping.changed()
        return outbox is not None

    def _keep(self, now: float) -> None:
        self._keeping.keep(self.state, self._mark, self._judge.memory, now)

    def _publish(self, now: float) -> None:
        self._keeping.tell(self.status, now)
