"""Who tells people of one run: its receivers, or nobody where there are none; both may change while we watch.

The trap: what is being told is not told yet. A change of receivers lets it go on, as it would come twice.
"""

from collections.abc import Mapping, Sequence

from trainwatch.app.telling import Teller
from trainwatch.core.model.alerts import Book, Change
from trainwatch.core.model.telling import Outbox, Receiver
from trainwatch.core.ports import Sender


class Voice:
    """Of one run."""

    def __init__(self, teller: Teller | None) -> None:
        self._teller = teller
        self._untold = list[Change]()

    def heed(self, changes: Sequence[Change]) -> None:
        """Changes of alerts, to be told at the next tick."""
        self._untold.extend(changes)

    def tick(self, now: float, book: Book) -> Outbox | None:
        """Tell what is due, without waiting for it. The outbox, if it changed."""
        changes, self._untold = self._untold, []
        if self._teller is None:
            return None
        firing = {(a.finding.rule, a.finding.key) for a in book.alarms if a.fired_at is not None}
        return self._teller.outbox if self._teller.tick(now, changes, firing) else None

    def finish(self, now: float, patience_s: float) -> Outbox | None:
        """Wait for the messages under way. The outbox, if it changed."""
        if self._teller is None or not self._teller.finish(now, patience_s):
            return None
        return self._teller.outbox

    def renew(
        self, receivers: Sequence[Receiver], senders: Mapping[str, Sender], outbox: Outbox | None
    ) -> None:
        """Tell these from now on; `outbox` is what was kept, for who had nobody to tell."""
        if self._teller is not None and senders:
            self._teller.renew(receivers, senders)
            return
        self.close()
        self._teller = Teller(receivers, senders, outbox) if senders else None

    def remarks(self) -> list[str]:
        """Why who does not get messages, as warnings of a run's status."""
        troubles = self._teller.troubles() if self._teller is not None else {}
        return [f"receiver {name}: {why}" for name, why in troubles.items()]

    def close(self) -> None:
        """Let go."""
        if self._teller is not None:
            self._teller.close()
