"""The screens here, without a terminal: Textual's own parser reads what a terminal would send.

The trap: much fails without a word, in threads and callbacks. All of it is caught (`Escaped`).
"""

import asyncio
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from types import FrameType
from typing import Any, Protocol

import psutil
import textual.constants
from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers.headless_driver import HeadlessDriver
from textual.geometry import Size
from textual.message import Message

from tests.app.tui.conftest import nothing_to_do
from tests.app.tui.fleets import fleet
from tests.app.tui.runs import HEALTHY
from tests.app.tui.sources import FixedSource
from tests.fuzz.mutants import runs, scene
from tests.fuzz.steps import PASTE_ENDS, Step, encoded
from tests.fuzz.subject import Failed
from trainwatch.app.tui.app import ScreenApp
from trainwatch.app.tui.fleet import FleetScreen
from trainwatch.app.tui.fleetapp import FleetApp
from trainwatch.core.model.fleet import Fleet, FleetRow
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.snapshot import Search, Snapshot, Wanted

_HANGS_S = 120  # of work without an end of a rest
_RESTLESS_S = 40  # of work: something is due again and again
_LONG_S = 29  # of waiting
_MOST_WAITS = 6  # so long
_SIZE = (120, 40)
_ESCAPES = 12
_LOOKS = 2000  # of 10 ms at most


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


class Inside:
    """A subject (subject.py)."""

    def __init__(self, make: Callable[[], World]) -> None:
        self._make = make
        self._world = make()
        self.name = self._world.name
        self._parser = XTermParser()
        self._all = AsyncExitStack()
        self._escaped: list[str] = []
        self._heard: Counter[str] | None = None  # what is sent, while somebody listens
        textual.constants.ESCAPE_DELAY = 0.0  # type: ignore[misc]

    @property
    def app(self) -> ScreenApp:
        return self._world.app

    @property
    def left(self) -> bool:
        return self.app._exit

    def rss_bytes(self) -> int:
        return psutil.Process().memory_info().rss

    async def begin(self) -> None:
        self._world, self._parser, self._all = self._make(), XTermParser(), AsyncExitStack()
        self._catch()
        await self._all.enter_async_context(self.app.run_test(size=_SIZE, message_hook=self._hear))

    async def do(self, step: Step) -> None:
        match step.kind:
            case "input":
                self._type(step.text)
            case "resize":
                self._resize(step.size)
            case "see":
                self._world.see(step.number)
                self._wake()
            case _:
                await self._rest()

    async def recover(self) -> None:
        self._resize(_SIZE)
        self._world.see_what_is_well()
        self._wake()
        self._type(PASTE_ENDS)
        for _ in range(_ESCAPES):
            self._type(encoded("escape"))
            await self._rest()
        for _ in range(_LOOKS):
            if self.left or self._world.is_well():
                return
            await asyncio.sleep(0.01)
        raise Failed(f"what is well is not shown:\n{text_of(self.app)}")

    async def end(self) -> None:
        self.app.exit()
        try:
            await self._all.aclose()
        except Exception as error:
            raise Failed(f"while leaving: {type(error).__name__}: {error}") from error
        if isinstance(self.app, FleetApp):
            self.app.close()
        self._complain()

    def _type(self, text: str) -> None:
        driver = self.app._driver
        assert driver is not None
        if not text:
            return  # to the parser, the end of all input
        for message in (*self._parser.feed(text), *self._parser.tick()):
            driver.process_message(message)

    def _wake(self) -> None:
        """Read at once: what is new is not waited for."""
        reading = [self.app._feed, getattr(self.app, "_fleet_feed", None)]
        for each in reading:
            if each is not None:
                each._wake.set()

    def _resize(self, size: tuple[int, int]) -> None:
        assert isinstance(self.app._driver, HeadlessDriver)
        self.app._driver._size = size
        self.app.post_message(events.Resize(Size(*size), Size(*size)))

    async def _rest(self) -> None:
        """Until all is done; then the screen is looked at."""
        worked, wait_s, waits = time.process_time(), 0.0, 0
        signal.setitimer(signal.ITIMER_PROF, _HANGS_S)
        try:
            while wait_s == 0.0 or wait_s > _LONG_S:  # given up, not calm
                began = time.monotonic()
                await nothing_to_do()
                wait_s = time.monotonic() - began
                waits += 1
                if time.process_time() - worked > _RESTLESS_S or waits > _MOST_WAITS:
                    raise Failed(f"it does not come to rest: {await self._restless()}")
        finally:
            signal.setitimer(signal.ITIMER_PROF, 0)
        self._complain()
        if not self.left:
            look_at(self.app)

    def _hear(self, message: Message) -> None:
        if self._heard is not None:
            self._heard[f"{message!r:.80} from {message._sender!r:.80}"] += 1

    async def _restless(self) -> str:
        """What goes on in a second."""
        self._heard = Counter()
        await asyncio.sleep(1.0)
        heard, self._heard = self._heard, None
        flags = ("_layout_required", "_scroll_required", "_repaint_required", "_dirty_widgets")
        screens = [
            (each, {flag: getattr(each, flag) for flag in flags}) for each in self.app.screen_stack
        ]
        return "\n".join(map(str, [*heard.most_common(30), *screens, _under_way()]))

    def _complain(self) -> None:
        error = self.app._exception
        if error is not None:
            raise Failed(f"the screen failed: {type(error).__name__}: {error}") from error
        if self._escaped:
            raise Failed(f"nobody caught: {self._escaped[0]}")

    def _catch(self) -> None:
        """What nobody else does."""

        def of_loop(_: object, context: dict[str, Any]) -> None:
            self._escaped.append(f"in the loop: {context}")

        asyncio.get_running_loop().set_exception_handler(of_loop)
        threading.excepthook = lambda told: self._escaped.append(f"in a thread: {told}")
        sys.unraisablehook = lambda told: self._escaped.append(f"nowhere: {told}")
        signal.signal(signal.SIGPROF, _hangs)


def _under_way() -> str:
    """What keeps the loop busy."""
    loop: Any = asyncio.get_running_loop()
    tasks = [f"{task.get_name()} {task.get_stack(limit=1)}" for task in asyncio.all_tasks()]
    return f"{[*loop._ready]} {sorted(loop._scheduled)[:9]} {tasks}"


def _hangs(_: int, frame: FrameType | None) -> None:
    """In the midst of what hangs, so that what is raised says where."""
    raise Failed(f"it hangs in {frame}")


def text_of(app: ScreenApp) -> str:
    """What stands on the screen."""
    strips = app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)


def look_at(app: ScreenApp) -> None:
    """What must be of every screen."""
    shown = text_of(app)
    control = sorted({each for each in shown.replace("\n", "") if not each.isprintable()})
    if control:
        raise Failed(f"control characters on the screen: {control}\n{shown}")
    if "this is a bug" in app.snapshot.trouble:
        raise Failed(app.snapshot.trouble)
    width, height = app.size
    strips = app.screen._compositor.render_strips()
    wrong = {strip.cell_length for strip in strips} - {width}
    if wrong or len(strips) != height:
        raise Failed(f"{len(strips)} lines as wide as {wrong} on a screen of {width}x{height}")
