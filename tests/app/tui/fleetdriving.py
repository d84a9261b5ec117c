"""Driving the screen of all runs in tests."""

from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from textual.pilot import Pilot

from tests.app.tui.driving import steady, until
from tests.app.tui.fleets import NOW, FixedFleet, FixedRun, fleet
from trainwatch.app.tui.fleetapp import FleetApp
from trainwatch.app.tui.fleetlist import FleetList
from trainwatch.core.model.fleet import Fleet, FleetRow, Group


class Opened:
    """The screen of all runs, on something that says the same until it is given something else."""

    def __init__(
        self, seen: Fleet, run: Callable[[], FixedRun] = FixedRun, *, read_only: bool = False
    ) -> None:
        """`run` makes what is opened."""
        self.source = FixedFleet(seen)
        self.runs: list[tuple[FleetRow, FixedRun]] = []
        self.pictures: list[str] = []
        self._run = run
        saves = self._save
        self.app = FleetApp(
            self.source, self.open, save_picture=saves, save_png=saves, read_only=read_only
        )

    def open(self, row: FleetRow) -> FixedRun:
        self.runs.append((row, self._run()))
        return self.runs[-1][1]

    def _save(self, picture: str) -> str:
        self.pictures.append(picture)
        return "picture.svg"

    @property
    def listing(self) -> FleetList:
        return self.app._screen_of_all.runs

    @property
    def shown(self) -> list[str]:
        """Names, and groups in brackets."""
        return [f"[{e.name}]" if isinstance(e, Group) else e.run for e in self.listing.entries]

    @property
    def picked(self) -> str:
        return self.listing.picked.run if self.listing.picked else ""

    def show(self, seen: Fleet) -> None:
        """As if it had just been read."""
        self.source.seen = seen
        self.app._show_fleet(seen)


@asynccontextmanager
async def opened(
    seen: Fleet | None = None,
    size: tuple[int, int] = (120, 40),
    run: Callable[[], FixedRun] = FixedRun,
    *,
    read_only: bool = False,
) -> AsyncIterator[tuple[Opened, Pilot[None]]]:
    screen = Opened(seen or fleet(), run, read_only=read_only)
    async with screen.app.run_test(size=size) as pilot:
        await until(
            pilot, lambda: screen.app.fleet.at == NOW and screen.listing.entries != [], "the runs"
        )
        await steady(pilot)
        yield screen, pilot
    screen.app.close()
