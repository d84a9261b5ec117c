"""The screens here, without a terminal: Textual's own parser reads what a terminal would send.

The trap: much fails without a word, in threads and callbacks. All of it is caught (`Escaped`).
"""

import asyncio
import signal
import sys
import threading
import time
from collections import Counter
from collections.abc import Callable
from contextlib import AsyncExitStack
from types import FrameType
from typing import Any

import psutil
import textual.constants
from textual import events
from textual._xterm_parser import XTermParser
from textual.drivers.headless_driver import HeadlessDriver
from textual.geometry import Size
from textual.message import Message

from tests.app.tui.conftest import nothing_to_do
from tests.fuzz.steps import PASTE_ENDS, Step, encoded
from tests.fuzz.subject import Failed
from tests.fuzz.worlds import World, text_of
from trainwatch.app.tui.app import ScreenApp
from trainwatch.app.tui.fleetapp import FleetApp

_HANGS_S = 120  # of work without an end of a rest
_RESTLESS_S = 40  # of work: something is due again and again
_LONG_S = 29  # of waiting
_MOST_WAITS = 6  # so long
_SIZE = (120, 40)
_ESCAPES = 12
_LOOKS = 2000  # of 10 ms at most


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
