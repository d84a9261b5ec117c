"""The status of a run under watch: its state, its alerts, and what only its watcher knows.

The trap: a heartbeat must cost nothing. Figures are medians of thousands of rows; they are kept while nothing
is read.
"""

from typing import NamedTuple

from msgspec.structs import replace

from trainwatch.core import house
from trainwatch.core.columns import Columns
from trainwatch.core.facts import Facts
from trainwatch.core.figures import Figures, figures_of
from trainwatch.core.hands.deeds import Plan
from trainwatch.core.hands.view import views
from trainwatch.core.model.state import RunState
from trainwatch.core.model.status import Status
from trainwatch.core.rules.sight import Sight
from trainwatch.core.status import status_of
from trainwatch.core.warned import with_alerts


class Besides(NamedTuple):
    """What a watcher knows of a run besides its state."""

    blind: str  # why the log cannot be seen, in a sentence
    log_bytes: int | None
    warnings: tuple[str, ...]
    plan: Plan  # what the hands would do
    silent_after_s: float | None
    troubles: dict[str, str]  # why what cannot be seen, see app/sources.py


class Portrait:
    """Of one run."""

    def __init__(self, log_path: str, configured: Facts | None) -> None:
        self._log_path, self._configured = log_path, configured or Facts()
        self._figures: tuple[RunState, int, Figures] | None = None

    def status(self, sight: Sight, recent: Columns, known: Besides) -> Status:
        """How the run is doing; `recent` are its last iterations."""
        state, memory, now = sight.state, sight.memory, sight.now
        status = status_of(
            state,
            recent,
            self._configured,
            now,
            figures=self._figures_of(state, recent),
            log=self._log_path,
            log_bytes=known.log_bytes,
            heartbeat_at=now,
        )
        status = with_alerts(status, memory.book, now)
        if known.blind:
            status = replace(status, health="unknown", reason=known.blind)
        elif known.log_bytes == 0 and status.health == "unknown" and not state.speaks:
            status = replace(status, reason="the log is empty so far")
        return replace(
            status,
            warnings=(*status.warnings, *known.warnings),
            hands=views(known.plan, memory.deeds, now),
            silent_after_s=known.silent_after_s,
            troubles=known.troubles,
            **house.views(sight),
        )

    def _figures_of(self, state: RunState, recent: Columns) -> Figures:
        """The same while nothing is read."""
        known = self._figures
        if known is None or known[0] is not state or known[1] != recent.rows:
            made = figures_of(state, recent, self._configured)
            known = self._figures = (state, recent.rows, made)
        return known[2]
