"""Asks for a word or a place, and goes there in the log."""

from abc import abstractmethod

from trainwatch.app.tui.lower import Lower
from trainwatch.app.tui.opened import if_opened
from trainwatch.app.tui.places import called, place_of
from trainwatch.app.tui.program import Program
from trainwatch.core.model.snapshot import EMPTY, Snapshot


class Asking(Program):
    """A program on whose screen there may be a run."""

    snapshot: Snapshot = EMPTY  # what is shown

    @property
    @abstractmethod
    def opened(self) -> bool:
        """Whether there is a run."""

    @abstractmethod
    def action_lower(self, pane: str) -> None:
        """Show a pane of the lower half, and give it the keys."""

    @if_opened
    def action_search(self) -> None:
        """Ask what to search for."""
        asks = "search the log: text or a regular expression"
        self._ask("search", asks, self._lower.searched)

    @if_opened
    def on_log_panel_go_to(self) -> None:
        """Ask for a place."""
        asks = "an iteration, a share as 50%, or a time as 14:30, 2026-11-20 14:30, -2h"
        self._ask("go to", asks)

    @if_opened
    def answer(self, kind: str, text: str) -> None:
        """What was typed into the prompt."""
        if kind == "search":
            self.action_lower("log")
            self._lower.search(text)
        else:
            self._go_to(text)

    @property
    def _lower(self) -> Lower:
        return self.query_one(Lower)

    def _go_to(self, text: str) -> None:
        place = place_of(text, self.snapshot)
        if place is None:
            self.say(f"'{text}' is neither an iteration nor a share (50%) nor a time (14:30, -2h)")
            return
        self.action_lower("log")
        self._lower.jump(place, called(text, place))

    def _ask(self, kind: str, placeholder: str, value: str = "") -> None:
        from trainwatch.app.tui.prompt import Prompting

        self.push_screen(Prompting(kind, placeholder, value), self._answered)

    def _answered(self, said: tuple[str, str] | None) -> None:
        if said is not None:
            self.answer(*said)
