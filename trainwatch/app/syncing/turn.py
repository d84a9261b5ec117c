"""One turn of a route: ask what became of the last one, look, plan, write down what is intended, send.

The trap: at any moment this process may be killed. What is intended stands on a disk before anything leaves,
and nothing counts as sent before the other side has said so.
"""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import NamedTuple

from msgspec.structs import replace

from trainwatch.app.syncing.needs import Look, Means
from trainwatch.app.syncing.settings import MB, SyncSettings
from trainwatch.core import sent, upload
from trainwatch.core.errors import LeaseHeld, TrainwatchError
from trainwatch.core.model.observations import SyncReading
from trainwatch.core.model.syncing import (
    Answer,
    Intent,
    Ledger,
    Order,
    Outcome,
    Piece,
    Taken,
)
from trainwatch.core.upload import Plan, Policy

_SLOWEST = 5 * MB  # bytes a second that a deadline grows with
_ASKING_S = 120.0  # for whether something arrived
_HELD_S = 60.0  # somebody else sends: look again then
_FAR_S = 7 * 86_400.0  # a clock that was set back would keep a route waiting for longer


class Said(NamedTuple):
    """How a turn ended. `reading` None: nothing is known, as somebody else sends."""

    reading: SyncReading | None
    look_at: float
    sent: tuple[Piece, ...] = ()
    left_out: tuple[tuple[str, str], ...] = ()
    why: str = ""  # nothing was sent although something could be, or not all
    more: bool = False  # there is more to send at once
    transient: bool = False


class _Leaving:
    """What a plan came to once its files were read: written down before any of it leaves."""

    def __init__(
        self, means: Means, ledger: Ledger, planned: Plan, beat: Callable[[], None]
    ) -> None:
        self._means, self._planned, self._beat = means, planned, beat
        self.token = means.token()
        self.before = self.kept = ledger
        self.unread = list[tuple[str, str]]()  # and why

    def begun(self, taken: tuple[Taken, ...]) -> Sequence[int]:
        """Which pieces may leave, of those that were `taken`. Raises StoreFull, StoreUnusable."""
        planned = self._planned.pieces
        chosen = sent.kept(planned, taken, self.before)
        pairs = zip(planned, taken, strict=True)
        self.unread.extend((piece.name, one.why) for piece, one in pairs if one.why)
        self._beat()  # a look may have taken longer than a lock lives
        if chosen:
            now = self._means.now()
            self.kept = sent.begun(self.before, self.token, chosen.values(), now)
            self._means.files.write(self.kept)
        return tuple(chosen)

    @property
    def pieces(self) -> tuple[Piece, ...]:
        """What was to leave."""
        return self.kept.intent.pieces if self.kept.intent is not None else ()


class Route:
    """Sends what is due over one route."""

    def __init__(self, settings: SyncSettings, means: Means) -> None:
        self.settings, self._means = settings, means
        self.root = str(Path(settings.root).expanduser())
        to = settings.to.rstrip("/")
        self.to = str(Path(to).expanduser()) if to.startswith("~") else to
        self.place = f"{self.to}/{settings.into}" if settings.into else self.to
        self.policy = Policy(
            every_s=settings.every_min * 60,
            calm_s=settings.calm_min * 60,
            most_per_hour=settings.most_commits_per_hour,
            part_bytes=int(settings.part_mb * MB),
        )

    def turn(self, *, at_once: bool = False, began: Callable[[Plan], None] | None = None) -> Said:
        """Send what is due. `at_once`: although it failed a moment ago. Raises nothing but bugs.

        `began` is told the plan before it is carried out.
        """
        try:
            with self._means.files.hold() as beat:
                try:
                    return self._turn(at_once, began, beat)
                finally:
                    self._means.files.clear_spool()
        except LeaseHeld as error:
            return Said(None, self._means.now() + _HELD_S, why=str(error), transient=True)
        except TrainwatchError as error:
            now = self._means.now()
            reading = SyncReading(at=now, route=self.settings.name, ok=False, why=str(error))
            return Said(reading, now + _HELD_S, why=str(error), transient=error.transient)

    def plan(self) -> tuple[Plan, Look]:
        """What would be sent now; nothing is changed by asking. Raises TrainwatchError."""
        ledger = self._ledger()
        look = self._look(ledger)
        return upload.plan(look.files, ledger, self.policy, self._means.now()), look

    def close(self) -> None:
        """End what is under way."""
        self._means.target.close()

    def _ledger(self) -> Ledger:
        return sent.fitting(self._means.files.read(), self.place)

    def _look(self, ledger: Ledger) -> Look:
        known = {name: (one.size, one.mtime_ns) for name, one in ledger.sent.items()}
        return self._means.look(self.root, self.settings.what, known)

    def _turn(
        self, at_once: bool, began: Callable[[Plan], None] | None, beat: Callable[[], None]
    ) -> Said:
        ledger, now = self._ledger(), self._means.now()
        if not at_once and now < ledger.look_at < now + _FAR_S:
            return self._said(ledger)
        doubtful = ledger.intent
        if doubtful is not None:
            ledger = self._asked(ledger, beat)
            if ledger.intent is not None:
                return self._said(ledger)
        look = self._look(ledger)
        if look.trouble:
            ledger = sent.failed(ledger, Outcome(result="again", why=look.trouble), now)
            return self._kept(ledger)
        planned = upload.plan(look.files, ledger, self.policy, self._means.now())
        if not planned.pieces:
            return self._kept(sent.looked(ledger, planned, self._means.now()), look, planned.held)
        if began is not None:
            began(planned)
        return self._sent(ledger, doubtful, planned, look, beat)

    def _asked(self, ledger: Ledger, beat: Callable[[], None]) -> Ledger:
        """After a turn that was cut off: whether it arrived. Its intent is gone when that is known."""
        assert ledger.intent is not None
        order = self._order("arrived", ledger.intent.token, ())
        answer = self._means.target.arrived(order, _ASKING_S, beat)
        now = self._means.now()
        if not isinstance(answer, Answer):
            lost = replace(answer, result="lost")
            ledger = replace(
                sent.failed(ledger, lost, now, self._means.chance()),
                permanent=answer.result == "never",
            )
        elif answer.arrived:
            ledger = sent.arrived(ledger)
        else:
            ledger = replace(ledger, intent=None)
        self._means.files.write(ledger)
        return ledger

    def _sent(
        self,
        ledger: Ledger,
        doubtful: Intent | None,
        planned: Plan,
        look: Look,
        beat: Callable[[], None],
    ) -> Said:
        leaving = _Leaving(self._means, replace(ledger, seen=dict(planned.seen)), planned, beat)
        size = sum(piece.end - piece.start for piece in planned.pieces)
        deadline_s = max(self.settings.deadline_min * 60, size / _SLOWEST)
        order = self._order("send", leaving.token, planned.pieces)
        if doubtful is not None:
            order = replace(order, after=doubtful.token)
        outcome = self._means.target.send(order, deadline_s, leaving.begun, beat)
        if outcome.result == "overtaken":
            known = sent.arrived(replace(leaving.before, intent=doubtful))
            return self._kept(replace(known, look_at=self._means.now()), look)
        pieces = leaving.pieces
        if outcome.result == "sent" and not pieces:
            quiet = planned._replace(pieces=(), look_at=self._means.now() + self.policy.every_s)
            ledger = sent.looked(leaving.before, quiet, self._means.now())
            return self._kept(ledger, look, left_out=leaving.unread)
        now = self._means.now()
        ledger = sent.ended(leaving.kept, outcome, planned.look_at, now, self._means.chance())
        arrived = pieces if outcome.result == "sent" else pieces[: outcome.done]
        there = tuple(one for number, one in enumerate(arrived) if number not in outcome.left)
        return self._kept(ledger, look, left_out=leaving.unread)._replace(sent=there)

    def _order(self, ask: str, token: str, pieces: tuple[Piece, ...]) -> Order:
        chosen = self.settings
        return Order(
            ask="arrived" if ask == "arrived" else "send",
            route=chosen.name,
            to=self.to,
            into=chosen.into,
            root=self.root,
            spool=str(self._means.files.spool / token),
            token=token,
            create=chosen.create,
            private=chosen.private,
            pieces=pieces,
        )

    def _kept(
        self,
        ledger: Ledger,
        look: Look | None = None,
        held: str = "",
        left_out: Sequence[tuple[str, str]] = (),
    ) -> Said:
        self._means.files.write(ledger)
        passed_over = (*(look.left_out if look is not None else ()), *left_out)
        said = self._said(ledger)
        return said._replace(left_out=(*passed_over, *said.left_out), why=said.why or held)

    def _said(self, ledger: Ledger) -> Said:
        now = self._means.now()
        amiss = [f"{name}: {one.why}" for name, one in ledger.refused.items() if one.amiss]
        ok = not ledger.failures and not amiss
        why = ledger.why or (amiss[0] if amiss else "")
        reading = SyncReading(
            at=now,
            route=self.settings.name,
            ok=ok,
            last_ok_at=ledger.last_ok_at,
            permanent=ledger.permanent or (bool(amiss) and not ledger.failures),
            why=why,
            to=self.place,
            sent_bytes=sum(one.bytes for one in ledger.sent.values()),
            sent_files=len(ledger.sent),
            waiting_bytes=upload.waiting(ledger),
            commits=upload.lately(ledger, now),
            most_commits=self.policy.most_per_hour,
            next_at=ledger.look_at,
        )
        return Said(
            reading,
            ledger.look_at,
            left_out=tuple((name, one.why) for name, one in ledger.refused.items()),
            why=why,
            more=not ledger.failures and ledger.look_at <= now,
            transient=not ok and not reading.permanent,
        )
