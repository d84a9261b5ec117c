"""All runs, and any of them on a screen of its own: Enter opens one, Escape goes back.

The trap: closing a run gives back its lease, which may take seconds on a slow disk. It happens in a thread,
and whoever ends the program waits for it.
"""

import threading
from collections.abc import Callable
from contextlib import suppress
from typing import Protocol, Unpack

from textual.app import ComposeResult
from textual.css.query import NoMatches
from textual.message import Message

from trainwatch.app.tui import feed
from trainwatch.app.tui.app import ScreenApp
from trainwatch.app.tui.choices import Choice, of_keys, opening, sorting
from trainwatch.app.tui.fleet import FleetScreen
from trainwatch.app.tui.fleetfeed import FleetFeed, Reads
from trainwatch.app.tui.fleetlist import FleetList
from trainwatch.app.tui.habits import of_fleet
from trainwatch.app.tui.help import FLEET_PAGES, PAGES, Help
from trainwatch.app.tui.hints import Hints
from trainwatch.app.tui.keys import ANYWHERE, BACK, FLEET, FLEET_ANYWHERE, bindings
from trainwatch.app.tui.lettinggo import empty
from trainwatch.app.tui.program import Given, Program
from trainwatch.core.model.fleet import Fleet, FleetRow
from trainwatch.core.model.snapshot import EMPTY

_CLOSE_S = 10.0  # a run whose disk hangs may keep us from leaving this long


class Closable(feed.Source, Protocol):
    """What the screen of one run is handed, and its end."""

    def close(self) -> None: ...


class FleetApp(ScreenApp):
    """Many runs."""

    BINDINGS = bindings(BACK)

    class Freshly(Message):
        """All runs were read."""

        def __init__(self, fleet: Fleet) -> None:
            super().__init__()
            self.fleet = fleet

        def can_replace(self, message: Message) -> bool:
            """Where showing takes longer than reading, only the last is shown."""
            return isinstance(message, FleetApp.Freshly)

    def __init__(
        self,
        fleet: Reads,
        open_run: Callable[[FleetRow], Closable],
        *,
        fleet_feed: FleetFeed | None = None,
        painted: Callable[["FleetApp"], None] | None = None,
        **given: Unpack[Given],
    ) -> None:
        """`open_run` asks no disk. `fleet_feed` may read already; `painted` is told of paints of all runs."""
        super().__init__(None, **given)
        self.fleet = Fleet(at=0.0)
        self._fleet_feed = fleet_feed or FleetFeed(fleet)
        self._open_run, self._painted = open_run, painted
        self._run: Closable | None = None
        self._left: list[threading.Thread] = []

    def compose(self) -> ComposeResult:
        """Nothing: a run is put here when it is opened."""
        yield from ()

    def begin(self) -> None:
        """All runs first."""
        screen = FleetScreen(self._fleet_feed, self.habits, read_only=self.read_only)
        self.install_screen(screen, "fleet")
        self.push_screen("fleet")
        self._fleet_feed.start()
        seen = self._fleet_feed.attach(lambda fleet: self._tell(self.Freshly(fleet)))
        if seen is not None:
            self.call_after_refresh(self._show_fleet, seen)

    def on_unmount(self) -> None:
        """Stop reading."""
        self._fleet_feed.close()

    def on_fleet_app_freshly(self, event: Freshly) -> None:
        """All runs were read."""
        self._show_fleet(event.fleet)

    async def on_fleet_list_opened(self, event: FleetList.Opened) -> None:
        """Show a run."""
        if self._run is None:
            await self._enter(event.row)

    async def go_to(self, row: FleetRow) -> None:
        """Show a run, from wherever we are."""
        if self._run is not None:
            await self.action_leave_run()
        await self._enter(row)

    def choices(self) -> list[Choice]:
        """All that can be done now: keys, then other runs."""
        if self._run is not None:
            return [*super().choices(), *opening(self.fleet.rows, self.go_to)]
        runs = self._screen_of_all
        keys = of_keys(self, (*FLEET, *FLEET_ANYWHERE), read_only=self.read_only)
        others = [*sorting(runs.runs), *Program.choices(self)]
        return [*keys, *opening(self.fleet.rows, self.go_to), *others]

    async def _enter(self, row: FleetRow) -> None:
        self._run = self._open_run(row)
        await self.default_screen.mount(*self.panels(self._run))
        self.look_at(self._run)
        self.uncover(self._screen_of_all)
        self.pop_screen()

    async def action_leave_run(self) -> None:
        """To all runs; the run is left to itself."""
        if self._run is None:
            return
        self.note()
        self._leave()
        self.uncover(self.default_screen)
        await self.push_screen("fleet")
        self.default_screen.remove_class("-only-charts", "-only-lower")
        await empty(self.default_screen)
        self.snapshot = EMPTY

    def action_keys(self) -> None:
        """Help on what is seen."""
        pages, beside = (FLEET_PAGES, ()) if self._run is None else (PAGES, BACK)
        self.push_screen(Help(pages, beside, read_only=self.read_only))

    def close(self) -> None:
        """Stop watching what was opened: after the screen is gone."""
        self._leave()
        for thread in self._left:
            thread.join(_CLOSE_S)

    def hints(self) -> Hints:
        """Of a run, with the way back among them."""
        return Hints(everywhere=(*BACK, *ANYWHERE), read_only=self.read_only)

    def note(self) -> None:
        """Remember what is chosen now."""
        super().note()
        with suppress(NoMatches, KeyError):  # it is being taken down, or already was
            self.habits.note(of_fleet(self._screen_of_all.runs))

    def say(self, text: str) -> None:
        """On whichever screen is seen."""
        if self._run is None:
            self._screen_of_all.say(text)
        else:
            super().say(text)

    @property
    def complete(self) -> bool:
        """Whether all runs were read, and those in view with how fast they were."""
        in_view = set(self._screen_of_all.runs.in_view)
        return not self.fleet.unread and in_view <= self.fleet.speeds.keys()

    @property
    def _screen_of_all(self) -> FleetScreen:
        screen = self.get_screen("fleet")
        assert isinstance(screen, FleetScreen)
        return screen

    def _show_fleet(self, fleet: Fleet) -> None:
        self.fleet = fleet
        if not self._screen_of_all.is_mounted:
            return
        self._screen_of_all.show_fleet(fleet)
        if self._painted is not None:
            self.call_after_refresh(self._painted, self)

    def _leave(self) -> None:
        run, self._run = self._run, None
        if run is None:
            return
        self.end_feed()
        thread = threading.Thread(target=run.close, daemon=True, name="leave")
        thread.start()
        self._left = [*(each for each in self._left if each.is_alive()), thread]
