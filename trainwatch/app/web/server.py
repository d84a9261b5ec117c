"""The server: the gate before everything, a page, a few files, and a screen for each websocket."""

import asyncio
import logging
from collections.abc import Awaitable, Callable, Sequence
from contextlib import suppress
from typing import NamedTuple

from aiohttp import WSMsgType, web
from aiohttp.typedefs import Handler

from trainwatch.app.web import page, talk
from trainwatch.app.web.gate import COOKIE, Asked, Gate, Verdict
from trainwatch.app.web.screen import Screen

HEARTBEAT_S = 20.0  # a browser that is gone, or a tunnel that is cut, is noticed by it
_DEFAULT = (80, 24)
_TRY_LATER = 503


class Limits(NamedTuple):
    """How many screens at once, and how long one may be without a key or a click."""

    screens: int = 4
    idle_s: float = 12 * 3600.0


class Server:
    """Serves one run. `say` is told, in a line, what its owner should know."""

    def __init__(
        self,
        gate: Gate,
        name: str,
        command: Sequence[str],
        say: Callable[[str], None],
        limits: Limits = Limits(),  # noqa: B008 - frozen
    ) -> None:
        """`command` draws a screen for a browser. Raises MissingExtra."""
        self._gate, self._name, self._command = gate, name, command
        self._say, self._limits = say, limits
        self._files = page.load()
        self._open = 0
        self._sockets: set[web.WebSocketResponse] = set()
        self._screens: set[Screen] = set()

    def app(self) -> web.Application:
        """What aiohttp serves."""
        made = web.Application(middlewares=[self._watch_gate], client_max_size=1024)
        place = self._gate.place
        made.router.add_get(place, self._page)
        made.router.add_get(f"{place}ws", self._socket, allow_head=False)
        made.router.add_get(place + "{name}", self._file)
        made.on_response_prepare.append(_harden)
        return made

    async def close(self) -> None:
        """End all screens, at once, and begin no more."""
        self._limits = self._limits._replace(screens=0)
        await asyncio.gather(*(screen.close() for screen in [*self._screens]))
        for socket in [*self._sockets]:
            await socket.close()

    @web.middleware
    async def _watch_gate(self, request: web.Request, handler: Handler) -> web.StreamResponse:
        verdict = self._gate.judge(asked(request))
        try:
            match verdict:
                case Verdict.PASS:
                    return await handler(request)
                case Verdict.WELCOME | Verdict.ONWARD:
                    return self._let_in(verdict)
            return _told(page.STALE if verdict is Verdict.STALE else page.REFUSED, 403)
        except web.HTTPException as answer:
            return _told(page.ABSENT, answer.status)
        except (ConnectionError, asyncio.CancelledError):
            raise
        except Exception as error:  # noqa: BLE001 - nobody outside is shown what it was
            self._say(f"a request could not be answered ({type(error).__name__}); this is a bug")
            return _told(page.BROKEN, 500)

    def _let_in(self, verdict: Verdict) -> web.Response:
        answer = web.Response(status=303, headers={"Location": self._gate.place})
        if verdict is Verdict.WELCOME:
            cookie, place = self._gate.new_cookie(), self._gate.place
            answer.set_cookie(COOKIE, cookie, path=place, httponly=True, samesite="Strict")
        return answer

    async def _page(self, request: web.Request) -> web.Response:
        if self._open >= self._limits.screens:
            return _told(page.FULL, _TRY_LATER)
        host = request.headers["Host"]
        text = page.screen(self._name, f"ws://{host}{self._gate.place}ws")
        headers = {"Content-Security-Policy": page.policy(host)}
        return web.Response(text=text, content_type="text/html", headers=headers)

    async def _file(self, request: web.Request) -> web.Response:
        file = self._files.get(request.match_info["name"])
        if file is None:
            raise web.HTTPNotFound
        return web.Response(body=file.content, content_type=file.kind)

    async def _socket(self, request: web.Request) -> web.StreamResponse:
        if not _upgrades(request):
            raise web.HTTPNotFound
        if self._open >= self._limits.screens:
            return _told(page.FULL, _TRY_LATER)
        self._open += 1  # before anything is waited for: the next one is counted with it
        try:
            return await self._serve(request)
        finally:
            self._open -= 1

    async def _serve(self, request: web.Request) -> web.WebSocketResponse:
        socket = web.WebSocketResponse(heartbeat=HEARTBEAT_S, max_msg_size=talk.LONGEST_BYTES)
        await socket.prepare(request)
        width, height = _size(request)
        try:
            screen = await Screen.open(self._command, width, height)
        except OSError as error:  # a login node allows a user so many processes
            self._say(f"a screen in the browser could not be started: {error.strerror or error}")
            await socket.close()
            return socket
        self._screens.add(screen)
        self._sockets.add(socket)
        drawing = asyncio.create_task(self._draw(screen, socket))
        try:
            await self._hear(screen, socket)
        finally:
            await _through(self._end(screen, drawing, socket))
        return socket

    async def _draw(self, screen: Screen, socket: web.WebSocketResponse) -> None:
        """Until the process ends; then the page says so."""
        await screen.show(socket.send_bytes)
        if why := screen.why():
            self._say(f"a screen in the browser {why}")
        await socket.close()

    async def _hear(self, screen: Screen, socket: web.WebSocketResponse) -> None:
        """Until the browser is gone, or nobody has touched the page for long."""
        with suppress(TimeoutError):
            while True:
                async with asyncio.timeout(self._limits.idle_s):
                    message = await socket.receive()
                if message.type is not WSMsgType.TEXT:
                    return
                packet = talk.packet(message.data)
                if packet is not None:
                    await screen.tell(packet)

    async def _end(
        self, screen: Screen, drawing: "asyncio.Task[None]", socket: web.WebSocketResponse
    ) -> None:
        await screen.close()
        await drawing
        self._screens.discard(screen)
        self._sockets.discard(socket)


def asked(request: web.Request) -> Asked:
    """What of a request decides."""
    return Asked(
        method=request.method,
        path=request.raw_path.partition("?")[0],
        hosts=tuple(request.headers.getall("Host", [])),
        origins=tuple(request.headers.getall("Origin", [])),
        cookie=request.cookies.get(COOKIE, ""),
        token=request.query.get("token"),
        socket=_upgrades(request),
    )


def silent() -> logging.Logger:
    """For aiohttp: what it logs of a bad request is the request, and that may hold a token."""
    made = logging.Logger("trainwatch.web")  # apart from all others
    made.addHandler(logging.NullHandler())
    return made


def _upgrades(request: web.Request) -> bool:
    return "Upgrade" in request.headers


def _size(request: web.Request) -> tuple[int, int]:
    try:
        found = talk.size(int(request.query["width"]), int(request.query["height"]))
    except (KeyError, ValueError):
        found = None
    return found or _DEFAULT


def _told(said: str, status: int) -> web.Response:
    return web.Response(text=page.plain(said), status=status, content_type="text/html")


async def _harden(_request: web.Request, response: web.StreamResponse) -> None:
    for name, value in page.HEADERS.items():
        response.headers.setdefault(name, value)
    response.headers["Server"] = page.HEADERS["Server"]


async def _through(work: Awaitable[None]) -> None:
    """Do it to the end, even if whoever waits for it is told to stop: no process is left."""
    task = asyncio.ensure_future(work)
    try:
        await asyncio.shield(task)
    except asyncio.CancelledError:
        await task
        raise
