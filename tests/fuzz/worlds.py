"""What is fuzzed inside: a screen, and a source that says what it is given. No disk, no log."""

from collections.abc import Callable, Sequence
from typing import Protocol

from tests.app.tui.fleets import fleet
from tests.app.tui.runs import HEALTHY
from tests.app.tui.sources import FixedSource
from tests.fuzz.mutants import runs, scene
from trainwatch.app.tui.app import ScreenApp
from trainwatch.app.tui.fleet import FleetScreen
from trainwatch.app.tui.fleetapp import FleetApp
from trainwatch.core.model.fleet import Fleet, FleetRow
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.snapshot import Search, Snapshot, Wanted


class Shown:
    """Where a screen has its snapshots from; it may be given others, and remembers nothing."""

    def __init__(self) -> None:
        self.fixed = FixedSource(HEALTHY)

    def read(self, wanted: Wanted) -> Snapshot:
        fixed = self.fixed
        fixed.asked.clear()
        return fixed.read(wanted)

    def find(self, wanted: Search, stop: Callable[[int], bool]) -> int | None:
        """Plain text: a pattern made of random characters might take for ever."""
        del stop
        places = zip(self.fixed.offsets, self.fixed.lines, strict=False)
        hits = [at for at, line in places if wanted.text in line]
        if wanted.backwards:
            return max((at for at in hits if at < wanted.place), default=None)
        return min((at for at in hits if at >= wanted.place), default=None)

    def hush(self) -> None:
        pass

    def ask(self, request: AlertRequest) -> None:
        if self.fixed.snapshot is not HEALTHY and request.rule:
            raise PermissionError(13, "[/bold] not permitted", "\x1b[2J")

    def close(self) -> None:
        """Nothing is held."""


class ShownRuns:
    """The same of all runs."""

    def __init__(self) -> None:
        self.seen = fleet()

    def read(self, in_view: Sequence[str] = ()) -> Fleet:
        del in_view
        return self.seen


class World(Protocol):
    """A screen, and what it is handed."""

    name: str
    app: ScreenApp

    def see(self, number: int) -> None: ...

    def see_what_is_well(self) -> None: ...

    def is_well(self) -> bool: ...


class OneRun:
    """The screen of one run."""

    name = "run"

    def __init__(self) -> None:
        self.source = Shown()
        self.app: ScreenApp = ScreenApp(self.source, save_picture=lambda _: "[/bold]\x1b[2J.svg")

    def see(self, number: int) -> None:
        """Another snapshot, and another log."""
        self.source.fixed = FixedSource(*scene(number))

    def see_what_is_well(self) -> None:
        """The healthy run."""
        self.source.fixed = FixedSource(HEALTHY)

    def is_well(self) -> bool:
        """Whether it is shown."""
        return "2,400 / 3,000" in text_of(self.app)


class ManyRuns:
    """The screen of all runs, and those that are opened there."""

    name = "fleet"

    def __init__(self) -> None:
        self.source, self.run = ShownRuns(), Shown()
        app = FleetApp(self.source, self._open, save_picture=lambda _: "\x1b[2J.svg")
        self.app: ScreenApp = app

    def see(self, number: int) -> None:
        """Other runs, and another one of those that are opened."""
        self.source.seen = runs(number)
        self.run.fixed = FixedSource(*scene(number))

    def see_what_is_well(self) -> None:
        """As it was first."""
        self.source.seen, self.run.fixed = fleet(), FixedSource(HEALTHY)

    def is_well(self) -> bool:
        """Whether it is shown."""
        return isinstance(self.app.screen, FleetScreen) and " 8 runs" in text_of(self.app)

    def _open(self, row: FleetRow) -> Shown:
        del row
        return self.run


def text_of(app: ScreenApp) -> str:
    """What stands on the screen."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)
