"""Telling, carried out: each message in a thread of its own, so that a receiver that hangs stops nothing.

The trap: the outbox says what was told. Whoever keeps it must keep it with the alert book, after each
tick that changed it: a change that is in neither is lost, one that was sent but not kept comes twice.
"""

import time
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial

from trainwatch.app.probe import Probe
from trainwatch.core import outbox
from trainwatch.core.model.alerts import Change
from trainwatch.core.model.telling import Outbox, Outcome, Receiver, Sending
from trainwatch.core.ports import Sender
from trainwatch.core.sending import due

DEADLINE_S = (
    60.0  # a message that takes longer is sent again; what becomes of this one is still heard
)
MOST_HANGING = 3  # calls to one receiver that may hang at a time


class _Call:
    """A call under way in its own thread. It raises nothing: what fails becomes an outcome."""

    def __init__(self, do: Callable[[], Outcome], now: float) -> None:
        self.began, self.late = now, False
        self._probe = Probe(do)
        self._probe.ask()

    def outcome(self, wait_s: float = 0.0) -> Outcome | None:
        """What became of it; None while it is under way."""
        try:
            found = self._probe.answer(wait_s)
        except Exception as error:  # noqa: BLE001 - a sender's bug must not end the watch
            found = Outcome(result="again", why=f"sending failed with {type(error).__name__}")
        if found is not None:
            self.close()
        return found

    def overdue(self, now: float, deadline_s: float) -> bool:
        """Whether it hangs, for the first time that is asked. A clock that was set back counts as now."""
        self.began = min(self.began, now)
        if self.late or now - self.began < deadline_s:
            return False
        self.late = True
        return True

    def close(self) -> None:
        """Let the thread end, when the call does."""
        self._probe.close()


class Teller:
    """Tells the receivers of one run. `outbox` is what to keep."""

    def __init__(
        self,
        receivers: Sequence[Receiver],
        senders: Mapping[str, Sender],
        outbox: Outbox | None = None,
        *,
        deadline_s: float = DEADLINE_S,
    ) -> None:
        """`senders` are by receiver's name."""
        self.outbox = Outbox() if outbox is None else outbox
        self._receivers, self._senders = tuple(receivers), dict(senders)
        self._deadline_s = deadline_s
        self._calls = list[tuple[Sending, _Call]]()

    def tick(
        self,
        now: float,
        changes: Iterable[Change] = (),
        firing: Collection[tuple[str, str]] | None = None,
    ) -> bool:
        """Hear what became of messages, queue changes, send what is due. Never waits.

        `firing`: (rule, key) of all that fires now by the book; what else was told to fire is over. True
        if the outbox changed.
        """
        before = self.outbox
        self._hear(now)
        self.outbox = outbox.queue(self.outbox, changes, self._receivers, now)
        if firing is not None:
            self.outbox = outbox.settled(self.outbox, firing)
        for sending in due(self.outbox, self._receivers, now, self._busy()):
            send = partial(self._senders[sending.receiver].send, sending, now)
            self._calls.append((sending, _Call(send, now)))
        return self.outbox is not before

    def renew(self, receivers: Sequence[Receiver], senders: Mapping[str, Sender]) -> None:
        """Tell these from now on. What is being told goes on: it would come twice."""
        self._receivers, self._senders = tuple(receivers), dict(senders)
        self.outbox = outbox.refreshed(self.outbox)

    def finish(self, now: float, patience_s: float) -> bool:
        """Wait for what is under way, before the process ends. True if the outbox changed."""
        before, until = self.outbox, time.monotonic() + patience_s
        for sending, call in tuple(self._calls):
            outcome = call.outcome(max(0.0, until - time.monotonic()))
            self._settle(sending, call, outcome, now)
        return self.outbox is not before

    def troubles(self) -> dict[str, str]:
        """By receiver: why it does not get its messages."""
        return outbox.troubles(self.outbox)

    @property
    def under_way(self) -> int:
        """How many messages are being sent."""
        return len(self._calls)

    def close(self) -> None:
        """Let go. What hangs ends with the process."""
        for _, call in self._calls:
            call.close()

    def _busy(self) -> set[str]:
        names = [sending.receiver for sending, _ in self._calls]
        waiting = {sending.receiver for sending, call in self._calls if not call.late}
        return waiting | {name for name in names if names.count(name) >= MOST_HANGING}

    def _hear(self, now: float) -> None:
        for sending, call in tuple(self._calls):
            self._settle(sending, call, call.outcome(), now)

    def _settle(self, sending: Sending, call: _Call, outcome: Outcome | None, now: float) -> None:
        if outcome is not None:
            self._calls.remove((sending, call))
            if not call.late:
                self.outbox = outbox.told(self.outbox, sending, outcome, now)
            elif outcome.result == "ok":
                self.outbox = outbox.told_late(self.outbox, sending, now)
        elif call.overdue(now, self._deadline_s):
            why = f"it does not answer within {self._deadline_s:.0f} s"
            self.outbox = outbox.told(self.outbox, sending, Outcome(result="again", why=why), now)


class Every:
    """Something small to do each interval, such as a ping; one call at a time, and never waited for."""

    def __init__(self, interval_s: float) -> None:
        self.trouble = ""  # why the last one failed
        self._interval_s = interval_s
        self._call: _Call | None = None
        self._began_at: float | None = None

    def tick(self, now: float, do: Callable[[], Outcome]) -> None:
        """Do it if it is due and the last one is done."""
        if self.due(now):
            self._began_at = now
            self._call = _Call(do, now)

    def due(self, now: float) -> bool:
        """Whether it is time, and the last one is done."""
        self.hear(now)
        began = self._began_at
        return self._call is None and (began is None or not 0 <= now - began < self._interval_s)

    def hear(self, now: float, wait_s: float = 0.0) -> None:
        """Take what became of the last one; wait for it before the process ends."""
        if self._call is None:
            return
        outcome = self._call.outcome(wait_s)
        if outcome is not None:
            self._call, self.trouble = None, outcome.why
        elif self._call.overdue(now, DEADLINE_S):
            self.trouble = f"it does not answer within {DEADLINE_S:.0f} s"

    def close(self) -> None:
        """Let go."""
        if self._call is not None:
            self._call.close()
