"""Requests to a real server, on loopback and on a socket in a folder: each is refused or answered."""

import asyncio
import json
import sys
from collections.abc import AsyncIterator
from pathlib import Path

import aiohttp
import pytest

from tests.app.web.serving import Served, command, served
from trainwatch.app.web import page, screen
from trainwatch.app.web.gate import COOKIE
from trainwatch.app.web.server import Limits

PATIENCE_S = 60.0


@pytest.fixture(params=["loopback", "unix"])
async def there(request: pytest.FixtureRequest, tmp_path: Path) -> AsyncIterator[Served]:
    listen = "127.0.0.1:0" if request.param == "loopback" else f"unix:{tmp_path / 'own' / 'web'}"
    async with served(listen) as one:
        yield one


async def test_the_page_and_its_files_are_there(there: Served) -> None:
    got = await there.ask()
    assert got.status == 200
    assert "tr1-13B" in got.body
    assert f'data-session-websocket-url="ws://{there.opened.host}{there.gate.place}ws"' in got.body
    assert "http://" not in got.body
    assert "https://" not in got.body, "all that it needs is here"
    for name in ("textual.js", "xterm.css", "font.ttf", "page.css", "page.js"):
        assert f'"{name}"' in got.body or name == "font.ttf"
        assert (await there.ask(name)).status == 200


async def test_a_link_is_exchanged_for_a_cookie_once(there: Served) -> None:
    token = there.gate.new_token()
    got = await there.ask(f"?token={token}", Cookie=None)
    assert (got.status, got.headers["location"]) == (303, there.gate.place)
    name_and_value, *attributes = got.headers["set-cookie"].split("; ")
    expected = ["HttpOnly", f"Path={there.gate.place}", "SameSite=Strict"]
    assert (name_and_value.partition("=")[0], sorted(attributes)) == (COOKIE, expected)
    assert token not in got.headers["set-cookie"]
    assert (await there.ask(Cookie=name_and_value)).status == 200
    again = await there.ask(f"?token={token}", Cookie=None)
    assert (again.status, again.body) == (403, page.plain(page.STALE))
    assert "press Enter" in again.body
    assert "set-cookie" not in again.headers


REFUSED: list[tuple[str, str, dict[str, str | None]]] = [
    ("", "GET", {"Cookie": None}),
    ("", "GET", {"Cookie": f"{COOKIE}=x"}),
    ("textual.js", "GET", {"Cookie": None}),
    ("page.css", "GET", {"Cookie": None}),
    ("no-such-file", "GET", {"Cookie": None}),
    ("/", "GET", {}),
    ("/", "GET", {"Cookie": None}),
    ("/robots.txt", "GET", {"Cookie": None}),
    ("/static/", "GET", {}),
    ("//", "GET", {}),
    ("http://evil.example/", "GET", {}),
    ("", "GET", {"Host": "evil.example"}),
    ("", "GET", {"Host": None}),
    ("", "GET", {"Origin": "http://evil.example"}),
    ("", "GET", {"Origin": "null"}),
    ("", "POST", {}),
    ("", "OPTIONS", {"Access_Control_Request_Method": "GET"}),
    ("textual.js", "DELETE", {}),
]


@pytest.mark.parametrize(("path", "method", "headers"), REFUSED)
async def test_refused_in_the_same_words(
    there: Served, path: str, method: str, headers: dict[str, str | None]
) -> None:
    got = await there.ask(path, method, **headers)
    assert got.status in (400, 403)
    if got.status == 403:
        assert got.body == page.plain(page.REFUSED)
    assert there.gate.place not in got.body


@pytest.mark.parametrize(
    "headers",
    [
        {"Cookie": None},
        {"Cookie": f"{COOKIE}=x"},
        {"Origin": None},
        {"Origin": "null"},
        {"Origin": "http://evil.example"},
        {"Origin": "http://127.0.0.1:1"},
        {"Host": "evil.example", "Origin": "http://evil.example"},
    ],
)
async def test_a_websocket_is_refused(there: Served, headers: dict[str, str | None]) -> None:
    got = await there.upgrade(**headers)
    assert (got.status, got.body) == (403, page.plain(page.REFUSED))
    assert there.server._screens == set(), "nothing is started for it"


@pytest.mark.parametrize(
    "path",
    [
        "..", "../", "%2e%2e", "%2e%2e/%2e%2e/etc/passwd", "..%2f..%2fetc%2fpasswd", "../../../etc/passwd",
        "//etc/passwd", "js", "js/", "static/", "css/xterm.css", "textual.js/", "textual.js/..",
        "page.css%00", "\\..\\x", "__init__.py", "ws", "download/x",
    ],
)  # fmt: skip
async def test_no_folder_and_no_way_out_of_it(there: Served, path: str) -> None:
    got = await there.ask(path)
    assert got.status in (400, 403, 404)
    assert "root:" not in got.body
    assert "Index of" not in got.body


async def test_every_answer_is_hardened(there: Served) -> None:
    answers = [
        await there.ask(),
        await there.ask("textual.js"),
        await there.ask("none"),
        await there.ask(Cookie=None),
        await there.ask(f"?token={there.gate.new_token()}", Cookie=None),
        await there.ask("?token=x", Cookie=None),
        await there.upgrade(Cookie=None),
    ]
    assert [got.status for got in answers] == [200, 200, 404, 403, 303, 403, 403]
    for got in answers:
        assert got.headers["cache-control"] == "no-store"
        assert got.headers["x-content-type-options"] == "nosniff"
        assert got.headers["referrer-policy"] == "no-referrer"
        assert got.headers["server"] == "trainwatch"
        policy = got.headers["content-security-policy"]
        assert "default-src 'none'" in policy
        assert "frame-ancestors 'none'" in policy
    script = answers[0].headers["content-security-policy"].partition("script-src ")[2]
    assert script.partition(";")[0] == "'self'", "no script in the page, and none from elsewhere"
    assert "unsafe" not in answers[3].headers["content-security-policy"]


async def test_a_name_that_is_markup_is_text(tmp_path: Path) -> None:
    async with served() as there:
        there.server._name = "<script>alert(1)</script>\"'"
        assert "<script>alert" not in (await there.ask()).body


async def test_nothing_is_logged_of_a_request_that_cannot_be_read(
    there: Served, capfd: pytest.CaptureFixture[str]
) -> None:
    token = there.gate.new_token()
    for text in (
        f"GET {there.gate.place}?token={token} HTTP/9.9\n\n",
        f"GET {there.gate.place}?token={token}\n\n",
        f"GET {there.gate.place}?token={token} HTTP/1.1\nHost: {there.opened.host}\nContent-Length: x\n\n",
    ):
        assert (await there.raw(text)).status in (400, 403)
    out, err = capfd.readouterr()
    assert token not in out + err


async def heard(socket: aiohttp.ClientWebSocketResponse, words: bytes) -> None:
    """Until the screen has drawn that."""
    seen = b""
    async with asyncio.timeout(PATIENCE_S):
        while words not in seen:
            message = await socket.receive()
            assert message.type is aiohttp.WSMsgType.BINARY, (message, seen)
            seen += message.data


async def over(socket: aiohttp.ClientWebSocketResponse) -> None:
    """Until the server says that the screen has ended."""
    async with asyncio.timeout(PATIENCE_S):
        while (await socket.receive()).type is aiohttp.WSMsgType.BINARY:
            pass


async def test_a_screen_is_drawn_takes_keys_and_ends(tmp_path: Path) -> None:
    async with served(draws=command(tmp_path)) as there:
        async with aiohttp.ClientSession(cookies=there.cookies) as session:
            url = f"{there.url}ws?width=100&height=30"
            async with session.ws_connect(url, origin=f"http://{there.opened.host}") as socket:
                await heard(socket, b"read-only")
                (one,) = there.server._screens
                await socket.send_str("this is no message")
                await socket.send_str(json.dumps(["resize", {"width": 120, "height": 40}]))
                await socket.send_str(json.dumps(["stdin", "?"]))
                await heard(socket, b"this help")
                await socket.send_str(json.dumps(["stdin", "q"]))
                await socket.send_str(json.dumps(["stdin", "q"]))
                await over(socket)
        assert one._process.returncode == 0
        await gone(there)
    assert there.said == []


async def gone(there: Served) -> None:
    """Until no screen is left."""
    async with asyncio.timeout(PATIENCE_S):
        while there.server._open:
            await asyncio.sleep(0.01)


async def test_only_so_many_at_once(tmp_path: Path) -> None:
    async with served(draws=command(tmp_path), limits=Limits(screens=1)) as there:
        origin = f"http://{there.opened.host}"
        async with aiohttp.ClientSession(cookies=there.cookies) as session:
            async with session.ws_connect(f"{there.url}ws", origin=origin) as socket:
                await heard(socket, b"tr1-13B")
                got = await there.upgrade()
                assert (got.status, got.body) == (503, page.plain(page.FULL))
                assert (await there.ask()).status == 503, "and it is said before a page is shown"
            await gone(there)
            assert (await there.ask()).status == 200
            async with session.ws_connect(f"{there.url}ws", origin=origin) as socket:
                await heard(socket, b"tr1-13B")


async def test_one_that_nobody_touches_ends(tmp_path: Path) -> None:
    async with served(draws=command(tmp_path), limits=Limits(idle_s=0.2)) as there:
        async with aiohttp.ClientSession(cookies=there.cookies) as session:
            origin = f"http://{there.opened.host}"
            async with session.ws_connect(f"{there.url}ws", origin=origin) as socket:
                await over(socket)
        await gone(there)


@pytest.mark.parametrize(
    ("code", "said"),
    [
        ("raise SystemExit('no such log')", "left with 1: no such log"),
        ("print('not a screen')", ""),
        ("import os; os.write(1, b'__GANGLION__\\nD\\xff\\xff\\xff\\xff'); input()", "left with"),
    ],
)
async def test_a_screen_that_fails_is_told_to_its_owner(
    code: str, said: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(screen, "LEAVE_S", 1.0)
    async with served(draws=(sys.executable, "-c", code)) as there:
        async with aiohttp.ClientSession(cookies=there.cookies) as session:
            origin = f"http://{there.opened.host}"
            async with session.ws_connect(f"{there.url}ws", origin=origin) as socket:
                await over(socket)
        await gone(there)
    assert "\n".join(there.said).find(said) >= 0
    assert bool(there.said) == bool(said)


async def test_a_screen_that_cannot_be_started(tmp_path: Path) -> None:
    async with served(draws=(str(tmp_path / "none"),)) as there:
        async with aiohttp.ClientSession(cookies=there.cookies) as session:
            origin = f"http://{there.opened.host}"
            async with session.ws_connect(f"{there.url}ws", origin=origin) as socket:
                await over(socket)
        await gone(there)
    assert there.said == ["a screen in the browser could not be started: No such file or directory"]


async def test_none_is_begun_while_it_ends() -> None:
    async with served() as there:
        await there.server.close()
        assert (await there.upgrade()).status == 503


STUBBORN = (
    "import pathlib, signal, sys, time\n"
    "for number in (signal.SIGTERM, signal.SIGINT, signal.SIGHUP): signal.signal(number, signal.SIG_IGN)\n"
    "pathlib.Path(sys.argv[1]).touch()\n"
    "print('__GANGLION__', flush=True)\n"
    "while True: time.sleep(1)"
)


async def test_one_that_hangs_is_killed(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    deaf = tmp_path / "deaf"
    monkeypatch.setattr(screen, "LEAVE_S", 0.1)
    monkeypatch.setattr(screen, "_TERM_S", 0.1)
    async with served(draws=(sys.executable, "-c", STUBBORN, str(deaf))) as there:
        async with aiohttp.ClientSession(cookies=there.cookies) as session:
            origin = f"http://{there.opened.host}"
            async with session.ws_connect(f"{there.url}ws", origin=origin):
                async with asyncio.timeout(PATIENCE_S):
                    while not (there.server._screens and deaf.exists()):
                        await asyncio.sleep(0.01)
                (one,) = there.server._screens
        await gone(there)
        assert one._process.returncode == -9
