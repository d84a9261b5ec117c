"""The screen in a real browser: it shows, takes keys, loads nothing from elsewhere, and is nobody else's."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from pathlib import Path

import pytest
from aiohttp import web

from tests.app.web.chromium import CHROMIUM, Page, chromium
from tests.app.web.serving import Served, command, served
from trainwatch.app.web import page as pages

pytestmark = pytest.mark.skipif(
    CHROMIUM is None, reason="no chromium here (apt-get install chromium)"
)
_EVIL = """<!doctype html><title>?</title><body><script>
const told = {}
const done = () => { if (Object.keys(told).length === 3) document.title = JSON.stringify(told) }
const socket = new WebSocket("ws://HOST/PLACE/ws")
socket.onopen = () => { told.socket = "open"; done() }
socket.onerror = () => { told.socket = "refused"; done() }
fetch("http://HOST/PLACE/", {credentials: "include"}).then(
  () => { told.page = "read"; done() }, () => { told.page = "refused"; done() })
const script = document.createElement("script")
script.onload = () => { told.script = "loaded"; done() }
script.onerror = () => { told.script = "refused"; done() }
script.src = "http://HOST/PLACE/textual.js"
document.body.append(script)
</script>"""


def complaints(page: Page) -> list[str]:
    """Of the page; not that this machine draws without a graphics card."""
    return [each for each in page.complaints if "WebGL" not in each]


async def test_it_shows_takes_keys_and_ends(tmp_path: Path) -> None:
    async with served(draws=command(tmp_path)) as there, chromium(tmp_path / "profile") as page:
        link = f"{there.url}?token={there.gate.new_token()}"
        await page.open(link)
        await page.until(lambda shown: "300 / 1,000" in shown and "read-only" in shown)
        assert await page.value("location.href") == there.url, "the token is not in the address"
        assert await page.value("document.cookie") == "", "nor is the cookie any script's"
        shown = await page.until(lambda shown: "iteration      300/" in shown)
        assert "no alerts" not in shown
        await page.press("A")
        await page.until(lambda shown: "no alerts" in shown)
        await page.press("a")
        await page.until(lambda shown: "read-only: nothing can be changed from here" in shown)
        away = [url for url in page.asked if there.gate.place not in url]
        assert (away, complaints(page)) == ([], [])
        await page.press("q")
        await page.until(lambda shown: "This screen has ended" in shown, page=True)
        await page.value("document.querySelector('#said a').click()")
        await page.until(lambda shown: "300 / 1,000" in shown)


async def test_another_browser_is_refused(tmp_path: Path) -> None:
    async with served(draws=command(tmp_path)) as there:
        link = f"{there.url}?token={there.gate.new_token()}"
        async with chromium(tmp_path / "mine") as page:
            await page.open(link)
            await page.until(lambda shown: "read-only" in shown)
            async with chromium(tmp_path / "theirs") as other:
                await other.open(link)
                text = await other.until(lambda shown: "trainwatch" in shown, page=True)
                assert text.strip() == pages.STALE
                await other.open(there.url)
                text = await other.until(lambda shown: "somebody" in shown, page=True)
                assert text.strip() == pages.REFUSED
            assert len(there.server._screens) == 1
            await page.open(link)
            await page.until(lambda shown: "read-only" in shown)  # my own second click


@asynccontextmanager
async def other_server(text: str) -> AsyncIterator[str]:
    """Another page of this machine, which is `localhost` as we are."""

    async def answer(_request: web.Request) -> web.Response:
        return web.Response(text=text, content_type="text/html")

    app = web.Application()
    app.router.add_get("/", answer)
    runner = web.AppRunner(app, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    try:
        yield f"http://127.0.0.1:{runner.addresses[0][1]}/"
    finally:
        await runner.cleanup()


async def test_a_page_of_somebody_else_gets_nothing_from_a_browser_that_is_in(
    tmp_path: Path,
) -> None:
    async with served(draws=command(tmp_path)) as there, chromium(tmp_path / "profile") as page:
        await page.open(f"{there.url}?token={there.gate.new_token()}")
        await page.until(lambda shown: "read-only" in shown)
        evil = _EVIL.replace("HOST", there.opened.host).replace("/PLACE/", there.gate.place)
        async with other_server(evil) as url:
            await page.open(url)
            async with asyncio.timeout(60):
                while not str(told := await page.value("document.title")).startswith("{"):
                    await asyncio.sleep(0.05)
        everything = {"socket": "refused", "page": "refused", "script": "refused"}
        assert json.loads(told) == everything


@asynccontextmanager
async def forwarded(there: Served) -> AsyncIterator[str]:
    """A port that leads to the server's socket, as `ssh -L` makes one."""

    async def pump(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        while some := await reader.read(65536):
            writer.write(some)
        writer.close()

    async def both(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await there.connect()
        await asyncio.gather(pump(reader, far_writer), pump(far_reader, writer))

    server = await asyncio.start_server(both, "127.0.0.1", 0)
    try:
        yield f"127.0.0.1:{server.sockets[0].getsockname()[1]}"
    finally:
        server.close()


async def test_through_a_tunnel_to_a_socket(tmp_path: Path) -> None:
    """Whatever port the near end of the tunnel has."""
    async with (
        served(f"unix:{tmp_path / 'own' / 'web'}", command(tmp_path)) as there,
        forwarded(there) as host,
        chromium(tmp_path / "profile") as page,
    ):
        place = there.gate.place
        await page.open(f"http://{host}{place}?token={there.gate.new_token()}")
        await page.until(lambda shown: "300 / 1,000" in shown)
        assert await page.value("location.href") == f"http://{host}{place}"
