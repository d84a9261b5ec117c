"""A real Chromium, driven over its DevTools protocol with aiohttp's client: nothing is installed for it."""

import asyncio
import shutil
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import aiohttp

CHROMIUM = shutil.which("chromium") or shutil.which("google-chrome")
PATIENCE_S = 120.0  # a busy machine starts a browser and a screen late
# The page keeps its terminal to itself; it is caught as it is made.
_CATCH = """
Object.defineProperty(Object.prototype, "webglAddon", {configurable: true, set(value) {
  window.caught = this
  Object.defineProperty(this, "webglAddon", {value, writable: true, configurable: true})
}})
"""
_READ = """
(() => {
  const terminal = window.caught && window.caught.terminal
  if (!terminal) return ""
  const buffer = terminal.buffer.active
  const line = n => buffer.getLine(n)?.translateToString(true) ?? ""
  return Array.from({length: terminal.rows}, (_, n) => line(n)).join("\\n")
})()
"""


class Page:
    """A tab."""

    def __init__(self, socket: aiohttp.ClientWebSocketResponse) -> None:
        self._socket = socket
        self._number = 0
        self._answers: dict[int, asyncio.Future[dict[str, Any]]] = {}
        self.complaints: list[str] = []
        self.asked: list[str] = []  # every address the page wanted something from
        self._listens = asyncio.create_task(self._listen())

    async def begin(self) -> None:
        """Before anything is loaded."""
        for domain in ("Page", "Runtime", "Log", "Network"):
            await self.call(f"{domain}.enable")
        await self.call("Page.addScriptToEvaluateOnNewDocument", source=_CATCH)

    async def call(self, method: str, **arguments: object) -> dict[str, Any]:
        """A DevTools command."""
        self._number += 1
        number = self._number
        self._answers[number] = asyncio.get_running_loop().create_future()
        await self._socket.send_json({"id": number, "method": method, "params": arguments})
        answer = await asyncio.wait_for(self._answers[number], PATIENCE_S)
        assert "error" not in answer, answer
        found: dict[str, Any] = answer["result"]
        return found

    async def open(self, url: str) -> None:
        """Go there."""
        await self.call("Page.navigate", url=url)

    async def value(self, expression: str) -> Any:
        """Of JavaScript, in the page."""
        answer = await self.call("Runtime.evaluate", expression=expression, returnByValue=True)
        return answer["result"].get("value")

    async def screen(self) -> str:
        """What stands in the terminal."""
        return str(await self.value(_READ))

    async def text(self) -> str:
        """What stands in the page."""
        return str(await self.value("document.body ? document.body.innerText : ''"))

    async def until(self, true: Callable[[str], bool], *, page: bool = False) -> str:
        """What stands there once it is as expected."""
        shown = ""
        try:
            async with asyncio.timeout(PATIENCE_S):
                while True:
                    shown = await (self.text() if page else self.screen())
                    if true(shown):
                        return shown
                    await asyncio.sleep(0.1)
        except TimeoutError:
            raise AssertionError(f"never shown; {self.complaints}:\n{shown}") from None

    async def press(self, key: str) -> None:
        """A key with a letter on it."""
        for kind in ("keyDown", "keyUp"):
            text = {"text": key} if kind == "keyDown" else {}
            await self.call("Input.dispatchKeyEvent", type=kind, key=key, **text)

    def close(self) -> None:
        """No more listening."""
        self._listens.cancel()

    async def _listen(self) -> None:
        async for message in self._socket:
            told = message.json()
            if told.get("id") in self._answers:
                self._answers.pop(told["id"]).set_result(told)
            elif told.get("method") == "Log.entryAdded":
                self.complaints.append(str(told["params"]["entry"]["text"]))
            elif told.get("method") == "Runtime.exceptionThrown":
                self.complaints.append(str(told["params"]["exceptionDetails"]))
            elif told.get("method") == "Network.requestWillBeSent":
                self.asked.append(str(told["params"]["request"]["url"]))
            elif told.get("method") == "Network.webSocketCreated":
                self.asked.append(str(told["params"]["url"]))


@asynccontextmanager
async def chromium(profile: Path) -> AsyncIterator[Page]:
    """A tab of a browser that nobody has used."""
    assert CHROMIUM is not None
    process = await asyncio.create_subprocess_exec(
        CHROMIUM,
        *(
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--remote-debugging-port=0",
            "--no-first-run",
        ),
        *(f"--user-data-dir={profile}", "--window-size=1200,800", "about:blank"),
        stdout=asyncio.subprocess.DEVNULL,
        stderr=asyncio.subprocess.DEVNULL,
    )
    try:
        port = await _port(profile / "DevToolsActivePort")
        async with aiohttp.ClientSession() as session:
            async with session.get(f"http://127.0.0.1:{port}/json/list") as answer:
                tabs = [each for each in await answer.json() if each["type"] == "page"]
            async with session.ws_connect(
                tabs[0]["webSocketDebuggerUrl"], max_msg_size=0
            ) as socket:
                page = Page(socket)
                await page.begin()
                try:
                    yield page
                finally:
                    page.close()
    finally:
        process.terminate()
        await process.wait()


async def _port(file: Path) -> int:
    async with asyncio.timeout(PATIENCE_S):
        while True:
            if file.exists() and (lines := file.read_text().splitlines()):
                return int(lines[0])
            await asyncio.sleep(0.05)
