"""A real server on a real socket, and requests to it as raw as they come: a client would mend them."""

import asyncio
import sys
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from pathlib import Path
from typing import NamedTuple

from aiohttp import web

from tests.app.viewed import iteration
from trainwatch.app.web.gate import COOKIE, Gate
from trainwatch.app.web.listen import Listening, address, listening
from trainwatch.app.web.server import Limits, Server, silent


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]
    body: str


class Served(NamedTuple):
    """A server, and how it is reached."""

    gate: Gate
    server: Server
    opened: Listening
    said: list[str]

    async def connect(self) -> tuple[asyncio.StreamReader, asyncio.StreamWriter]:
        """A connection, as it is."""
        if self.opened.far_end.startswith("/"):
            return await asyncio.open_unix_connection(self.opened.far_end)
        host, _, port = self.opened.far_end.rpartition(":")
        return await asyncio.open_connection(host.strip("[]"), int(port))

    async def raw(self, text: str) -> Answer:
        """What is answered to this very text."""
        reader, writer = await self.connect()
        writer.write(text.replace("\n", "\r\n").encode("utf-8", "surrogateescape"))
        async with asyncio.timeout(30):
            first, *rest = (await reader.readuntil(b"\r\n\r\n")).decode().splitlines()
            pairs = (line.partition(": ") for line in rest)
            headers = {name.lower(): value for name, _, value in pairs}
            body = await reader.readexactly(int(headers.get("content-length", "0")))
        writer.close()
        return Answer(int(first.split()[1]), headers, body.decode("utf-8", "replace"))

    async def ask(self, path: str = "", method: str = "GET", **headers: str | None) -> Answer:
        """A request of somebody who is in; `headers` say what is different, None what is not there.

        `path` is under our place unless it begins with a slash or is a whole address.
        """
        told: dict[str, str | None] = {
            "Host": self.opened.host,
            "Cookie": f"{COOKIE}={self.gate.new_cookie()}",
            "Connection": "close",
            **{name.replace("_", "-"): value for name, value in headers.items()},
        }
        lines = [f"{name}: {value}" for name, value in told.items() if value is not None]
        where = path if path.startswith(("/", "http:")) else self.gate.place + path
        return await self.raw("\n".join([f"{method} {where} HTTP/1.1", *lines, "", ""]))

    async def upgrade(self, **headers: str | None) -> Answer:
        """The beginning of a websocket, as a browser asks for it."""
        usual: dict[str, str | None] = {
            "Connection": "Upgrade",
            "Upgrade": "websocket",
            "Origin": f"http://{self.opened.host}",
            "Sec_WebSocket_Key": "dGhlIHNhbXBsZSBub25jZQ==",
            "Sec_WebSocket_Version": "13",
        }
        usual.update(headers)
        return await self.ask("ws", "GET", **usual)

    @property
    def cookies(self) -> dict[str, str]:
        """Of somebody who is in."""
        return {COOKIE: self.gate.new_cookie()}

    @property
    def url(self) -> str:
        """For a client on loopback."""
        return f"http://{self.opened.host}{self.gate.place}"


def log_in(folder: Path) -> Path:
    """A log of 300 iterations."""
    path = folder / "tr1-13B.log"
    path.write_text("".join(iteration(n) for n in range(1, 301)))
    return path


def command(folder: Path) -> list[str]:
    """Draws a log's screen for a browser."""
    words = (sys.executable, "-m", "trainwatch", "tui", "--for-browser", "--read-only")
    return [*words, "--state-dir", str(folder / "state"), "--", str(log_in(folder))]


@asynccontextmanager
async def served(
    listen: str = "127.0.0.1:0",
    draws: Sequence[str] = (sys.executable, "-c", "input()"),
    limits: Limits = Limits(),  # noqa: B008 - frozen
) -> AsyncIterator[Served]:
    """A server until the context ends."""
    said: list[str] = []
    gate = Gate(lambda: 0.0)
    server = Server(gate, "tr1-13B", draws, said.append, limits)
    runner = web.AppRunner(server.app(), access_log=None, logger=silent(), handle_signals=False)
    await runner.setup()
    with listening(address(listen)) as opened:
        await web.SockSite(runner, opened.socket).start()
        try:
            yield Served(gate, server, opened, said)
        finally:
            await server.close()
            await runner.cleanup()
