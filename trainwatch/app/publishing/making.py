"""What a run's public folder holds, made of what is kept of the run."""

from typing import NamedTuple, Protocol

import msgspec

from trainwatch.app.accounting import Books, add_up, pace_s
from trainwatch.app.publishing.curves import Curves
from trainwatch.core.facts import Facts
from trainwatch.core.model.goodput import Hours
from trainwatch.core.model.public import Shown
from trainwatch.core.model.status import Status
from trainwatch.core.public import public_of

STATUS, PAGE = "status.json", "index.html"


class Kept(Books, Protocol):
    """What is kept of a run (adapters/store/reader.py)."""

    def status(self) -> Status | None: ...


class Made(NamedTuple):
    """Two files."""

    status: bytes
    page: bytes


class Reckoning:
    """Where the hours went, added up anew now and then: it takes seconds for a million iterations."""

    def __init__(self, kept: Books, facts: Facts) -> None:
        self._kept, self._facts = kept, facts
        self._at, self._last = float("-inf"), Hours()

    def look(self, now: float, rows: int) -> Hours:
        """As it was added up last, which may be now. Raises as `add_up`."""
        if not 0 <= now - self._at < pace_s(rows):
            self._at, self._last = now, add_up(self._kept, self._facts, now)
        return self._last


class Maker:
    """Makes the files of one run again and again."""

    def __init__(self, kept: Kept, facts: Facts, shown: Shown) -> None:
        """`facts` are the configured ones."""
        self._kept, self._shown = kept, shown
        self._reckoning, self._curves = Reckoning(kept, facts), Curves()

    def make(self, now: float, status: Status | None = None) -> Made | None:
        """The files now; None before anything is known. `status`: if not as it was published last.

        Raises OSError, StoreUnusable.
        """
        from trainwatch.app.publishing.page import page

        status, saved = status or self._kept.status(), self._kept.load()
        if status is None or saved is None:
            return None
        rows = saved.state.rows
        drawn = self._curves.read(self._kept, rows, status.global_batch_size)
        hours = self._reckoning.look(now, rows) if self._shown.attempts else None
        events = self._kept.events() if self._shown.alerts else ()
        told = public_of(status, self._shown, now, hours=hours, events=events)
        gpus = {one.index: one.gpus for one in status.attempts if one.gpus}
        text = page(told, drawn, gpus)
        return Made(msgspec.json.format(msgspec.json.encode(told)) + b"\n", text.encode())
