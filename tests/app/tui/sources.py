"""Where the screen has its snapshots from, in a test: a source that always says the same."""

import math
from array import array
from collections.abc import Callable

from msgspec.structs import replace

from tests.app.tui.histories import FIRST, LAST, STEP_S, TARGET
from tests.app.tui.runs import HEALTHY
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.snapshot import Line, Page, Search, Snapshot, Wanted


def log_text(first: int = FIRST, last: int = LAST) -> list[str]:
    """A log, ten bytes or more a line."""
    return [
        f"[default7]: iteration {n:8d}/{TARGET:8d} | consumed samples: {n * 2048:12d} | elapsed time "
        f"per iteration (s): {STEP_S:.2f} | learning rate: 2.400E-05 | lm loss: 1.912000E+00 |"
        for n in range(first, last + 1)
    ]


class FixedSource:
    """A source that always says the same, of a log that is a list of lines."""

    def __init__(self, snapshot: Snapshot = HEALTHY, lines: list[str] | None = None) -> None:
        self.snapshot = snapshot
        self.lines = log_text() if lines is None else lines
        self.asked: list[Wanted] = []
        self.requests: list[AlertRequest] = []
        self.refuse: Exception | None = None
        self.hushed = 0
        self.offsets = [0]
        for line in self.lines:
            self.offsets.append(self.offsets[-1] + len(line.encode("utf-8", "replace")) + 1)

    def read(self, wanted: Wanted) -> Snapshot:
        self.asked.append(wanted)
        table = self.snapshot.history.columns
        nothing = array("d", (math.nan,)) * self.snapshot.history.rows
        chosen = {name: table.get(name, nothing) for name in wanted.columns}
        seen = replace(self.snapshot.history, columns=chosen)
        page = self.page(wanted) if wanted.lines else Page()  # as app/viewing.py
        page = self.snapshot.page if self.snapshot.page.trouble else page
        return replace(self.snapshot, history=seen, page=page)

    def ask(self, request: AlertRequest) -> None:
        if self.refuse is not None:
            raise self.refuse
        self.requests.append(request)

    def hush(self) -> None:
        self.hushed += 1

    def page(self, wanted: Wanted) -> Page:
        stop = len(self.lines)
        if wanted.place is not None:
            at = next((n for n in range(stop) if self.offsets[n + 1] > wanted.place), stop)
            stop = min(stop, at + wanted.lines - wanted.lines // 2)
        start = max(0, stop - wanted.lines)
        lines = tuple(Line(self.offsets[n], self.lines[n]) for n in range(start, stop))
        return Page(lines=lines, end=self.offsets[stop], size=self.offsets[-1])

    def find(self, wanted: Search, stop: Callable[[int], bool]) -> int | None:
        import re

        try:
            pattern = re.compile(wanted.text)
        except (re.error, OverflowError):
            pattern = re.compile(re.escape(wanted.text))
        hits = [n for n, line in enumerate(self.lines) if pattern.search(line)]
        if wanted.backwards:
            above = [self.offsets[n] for n in hits if self.offsets[n] < wanted.place]
            return above[-1] if above else None
        return next((self.offsets[n] for n in hits if self.offsets[n] >= wanted.place), None)
