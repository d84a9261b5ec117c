"""From the command to the server and back: what is printed, and how it ends."""

import asyncio
import os
import signal
import socket as sockets
import sys
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from trainwatch.app import clock, names
from trainwatch.app.web import page
from trainwatch.app.web.gate import Gate
from trainwatch.app.web.listen import Address, Listening, listening, tunnel
from trainwatch.core.errors import ExitCode

_BACKGROUND_S = 1.0
_SIGNALS = (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)


class Served(NamedTuple):
    """What is served: a run's name, the command that draws it for a browser, for how long without a key."""

    name: str
    command: Sequence[str]
    idle_s: float
    writable: bool


def serve(
    what: Served, where: Address, show: Callable[[str], None], say: Callable[[str], None]
) -> int:
    """Serve until a signal comes. `show` is handed each link, `say` is told the rest.

    Raises UsageError where nothing can be opened, MissingExtra without textual-serve.
    """
    page.load()
    with listening(where) as opened:
        asyncio.run(_serve(what, opened, show, say))
    return ExitCode.INTERRUPTED


async def _serve(
    what: Served, opened: Listening, show: Callable[[str], None], say: Callable[[str], None]
) -> None:
    from aiohttp import web

    from trainwatch.app.web.server import Limits, Server, silent

    gate, over = Gate(clock.elapsed), asyncio.Event()
    server = Server(gate, what.name, what.command, say, Limits(idle_s=what.idle_s))
    runner = web.AppRunner(
        server.app(), access_log=None, logger=silent(), handle_signals=False, shutdown_timeout=1.0
    )
    await runner.setup()
    try:
        await web.SockSite(runner, opened.socket).start()
        _heed(over)
        link = _Links(gate, opened, show)
        link.new()
        _introduce(what, opened, say, asks=_on_enter(link.new))
        await over.wait()
    finally:
        await server.close()
        await runner.cleanup()


class _Links(NamedTuple):
    """Prints links; each ends the one before."""

    gate: Gate
    opened: Listening
    show: Callable[[str], None]

    def new(self) -> None:
        """Print one."""
        token = self.gate.new_token()
        self.show(f"http://{self.opened.host}{self.gate.place}?token={token}")


def _introduce(what: Served, opened: Listening, say: Callable[[str], None], *, asks: bool) -> None:
    can = "its keys change things" if what.writable else "read-only"
    say(f"{what.name} in a browser, {can}. The link opens once, within an hour.")
    say(f"on your laptop first: {tunnel(opened, names.user(), sockets.gethostname())}")
    ends = f"kill {os.getpid()} ends it; for a new link start it again"
    say("Enter: a new link; ctrl+c: the end" if asks else ends)


def _heed(over: asyncio.Event) -> None:
    """A signal ends us in order; but a terminal that is closed does not end what `nohup` began."""
    loop = asyncio.get_running_loop()
    for number in _SIGNALS:
        if number != signal.SIGHUP or signal.getsignal(number) != signal.SIG_IGN:
            loop.add_signal_handler(number, over.set)


def _on_enter(do: Callable[[], None]) -> bool:
    """Do it whenever Enter is pressed in our terminal, if we have one and are not in its background."""
    if not sys.stdin.isatty():
        return False
    number = sys.stdin.fileno()

    loop = asyncio.get_running_loop()

    def listen() -> None:
        loop.add_reader(number, pressed)

    def pressed() -> None:
        with suppress(OSError):
            if (
                os.tcgetpgrp(number) != os.getpgrp()
            ):  # to read would stop us, to look again at once be busy
                loop.remove_reader(number)
                loop.call_later(_BACKGROUND_S, listen)
            elif os.read(number, 1024):
                do()
            else:
                loop.remove_reader(number)

    listen()
    return True
