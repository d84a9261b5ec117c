"""trainwatch tui --web as people run it: what it prints, what it leaves, and how it ends."""

import asyncio
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path

import aiohttp
import psutil
import pytest

from benchmarks.shown import Shown
from tests.app.tui.test_terminal import Terminal
from tests.app.web.serving import log_in
from tests.app.web.test_server import heard
from tests.waiting import PATIENCE_S, until
from trainwatch.app.cli import run
from trainwatch.app.tui.onlylooking import SAYS
from trainwatch.core.errors import ExitCode


class Program:
    """The command, running."""

    def __init__(self, folder: Path, *options: str, log: Path | None = None) -> None:
        self._err = folder / "err"
        words = (sys.executable, "-m", "trainwatch", "tui", str(log or log_in(folder)))
        command = (*words, "--web", *options)
        environment = {**os.environ, "TRAINWATCH_STATE_DIR": str(folder / "state")}
        with self._err.open("w") as err:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=err,
                env=environment,
                cwd=folder,
                text=True,
            )
        assert self.process.stdout is not None
        self.link = self.process.stdout.readline().strip()
        self.page, _, self.token = self.link.partition("?token=")
        self.origin = "/".join(self.page.split("/")[:3])

    def said(self) -> str:
        return self._err.read_text()

    def children(self) -> list[psutil.Process]:
        return psutil.Process(self.process.pid).children(recursive=True)

    def close(self) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.process.communicate()


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Program]]:
    started: list[Program] = []

    def one(*options: str, log: Path | None = None) -> Program:
        started.append(Program(tmp_path, *options, log=log))
        return started[-1]

    yield one
    for program in started:
        program.close()


def session() -> aiohttp.ClientSession:
    """A browser as far as cookies go; those of an address count."""
    return aiohttp.ClientSession(cookie_jar=aiohttp.CookieJar(unsafe=True))


async def test_what_it_prints(start: Callable[..., Program]) -> None:
    program = start()
    until(lambda: f"kill {program.process.pid} ends it" in program.said())
    port = program.origin.rpartition(":")[2]
    assert program.origin == f"http://127.0.0.1:{port}"
    assert len(program.token) == 43
    said = program.said()
    assert "tr1-13B in a browser, read-only" in said
    assert f"ssh -N -L {port}:127.0.0.1:{port} " in said
    assert f"@{os.uname().nodename}" in said
    assert program.token not in said, "only stdout has it"


@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM, signal.SIGHUP])
async def test_a_signal_ends_it_and_every_screen(
    start: Callable[..., Program], number: signal.Signals
) -> None:
    program = start()
    async with session() as browser:
        async with browser.get(program.link) as got:
            assert (got.status, str(got.url)) == (200, program.page)
        async with (
            browser.ws_connect(f"{program.page}ws", origin=program.origin) as one,
            browser.ws_connect(f"{program.page}ws", origin=program.origin) as two,
        ):
            await heard(one, b"tr1-13B")
            await heard(two, b"tr1-13B")
            screens = program.children()
            assert len(screens) == 2
            program.process.send_signal(number)
            assert program.process.wait(PATIENCE_S) == ExitCode.INTERRUPTED
    assert [each for each in screens if each.is_running()] == []
    assert "Traceback" not in program.said()


async def test_a_killed_server_leaves_no_screen(start: Callable[..., Program]) -> None:
    program = start()
    async with session() as browser:
        async with browser.get(program.link):
            pass
        async with browser.ws_connect(f"{program.page}ws", origin=program.origin) as socket:
            await heard(socket, b"tr1-13B")
            screens = program.children()
            assert len(screens) == 1
            program.process.kill()
            until(lambda: not any(each.is_running() for each in screens))


async def test_what_opens_the_page_is_nowhere_else(
    start: Callable[..., Program], tmp_path: Path
) -> None:
    program = start("--writable")
    async with session() as browser:
        async with browser.get(program.link):
            pass
        (cookie,) = browser.cookie_jar
        url = f"{program.page}ws?width=120&height=40"
        async with browser.ws_connect(url, origin=program.origin) as socket:
            await drawn(socket, Shown((120, 40)), "watching")  # by then all files are there
            for each in (psutil.Process(program.process.pid), *program.children()):
                seen = f"{each.cmdline()} {each.environ()}"
                assert program.token not in seen
                assert cookie.value not in seen
            program.process.send_signal(signal.SIGINT)
            program.process.wait(PATIENCE_S)
    files = [path for path in tmp_path.rglob("*") if path.is_file()]
    assert len(files) > 3
    for path in files:
        kept = path.read_bytes()
        assert program.token.encode() not in kept
        assert cookie.value.encode() not in kept


@pytest.mark.parametrize("writable", [False, True])
async def test_an_alert_is_acknowledged_only_where_that_was_asked_for(
    start: Callable[..., Program], tmp_path: Path, writable: bool
) -> None:
    """The whole way: a browser's key, the screen, the watcher in it, its alert book."""
    assert run(["simulate", str(tmp_path / "sim"), "--scenario", "loss-nan"]) == 0
    options = ["--writable"] if writable else []
    program = start(*options, log=tmp_path / "sim" / "main_log.txt")
    async with session() as browser:
        async with browser.get(program.link):
            pass
        url = f"{program.page}ws?width=120&height=40"
        async with browser.ws_connect(url, origin=program.origin) as socket:
            shown = Shown((120, 40))
            await drawn(socket, shown, "watching")
            await press(socket, "A")
            await drawn(socket, shown, "firing  the loss was NaN")  # the row, and it is picked
            await press(socket, "a")
            await drawn(socket, shown, "acknowledged" if writable else SAYS)
    program.process.send_signal(signal.SIGINT)
    assert program.process.wait(PATIENCE_S) == ExitCode.INTERRUPTED
    (status,) = (tmp_path / "state").rglob("status.json")
    assert ('"kind":"acknowledged"' in status.read_text()) == writable


async def drawn(socket: aiohttp.ClientWebSocketResponse, shown: Shown, text: str) -> None:
    """Until that stands on the screen, of which only what changes is sent."""
    async with asyncio.timeout(PATIENCE_S):
        while not shown.holds(text):
            message = await socket.receive()
            assert message.type is aiohttp.WSMsgType.BINARY, (message, str(shown))
            shown.take(message.data)


async def press(socket: aiohttp.ClientWebSocketResponse, key: str) -> None:
    await socket.send_str(f'["stdin", "{key}"]')


@pytest.mark.skipif(shutil.which("tmux") is None, reason="no tmux here to press Enter in")
def test_enter_prints_a_new_link(tmp_path: Path) -> None:
    command = (sys.executable, "-m", "trainwatch", "tui", str(log_in(tmp_path)), "--web")
    terminal = Terminal(tmp_path, *command)
    try:
        terminal.until(lambda shown: shown.count("?token=") == 1 and "Enter: a new link" in shown)
        terminal.press("Enter")
        terminal.until(lambda shown: shown.count("?token=") == 2)
        os.kill(terminal.pid(), signal.SIGINT)  # as ctrl+c; that would end the shell around it, too
        terminal.until(lambda shown: "left with 130" in shown)
    finally:
        terminal.close()


async def test_a_terminal_that_is_closed_does_not_end_what_nohup_began(
    start: Callable[..., Program],
) -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_IGN)  # as nohup does, for who is started now
    try:
        program = start()
    finally:
        signal.signal(signal.SIGHUP, before)
    program.process.send_signal(signal.SIGHUP)
    async with session() as browser, browser.get(program.link) as got:
        assert got.status == 200


@pytest.mark.parametrize(
    ("options", "says"),
    [
        (["--web", "--listen", "0.0.0.0:80"], "ssh -L"),
        (["--web", "--writable", "--read-only"], "choose one"),
        (["--web", "--idle", "0"], "greater than zero"),
        (["--listen", "127.0.0.1:0"], "belongs to --web"),
        (["--writable"], "belongs to --web"),
        (["--idle", "1h"], "belongs to --web"),
    ],
)
def test_what_it_refuses(
    tmp_path: Path, options: list[str], says: str, capsys: pytest.CaptureFixture[str]
) -> None:
    state = ["--state-dir", str(tmp_path)]
    assert run(["tui", str(log_in(tmp_path)), *options, *state]) == ExitCode.USAGE
    assert says in capsys.readouterr().err


def test_without_textual_serve_it_says_what_to_install(tmp_path: Path) -> None:
    code = (
        "import sys\nsys.modules['textual_serve'] = None\nfrom trainwatch.app.cli import run\n"
        f"sys.exit(run(['tui', {str(log_in(tmp_path))!r}, '--web', '--state-dir', {str(tmp_path)!r}]))"
    )
    got = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert (got.returncode, got.stdout) == (ExitCode.USAGE, "")
    assert got.stderr == "trainwatch: --web needs textual-serve: pip install 'trainwatch[web]'\n"


def test_a_terminal_is_not_made_to_load_a_server() -> None:
    code = (
        "import sys, trainwatch.app.commands.tui, trainwatch.app.tui.app\n"
        "print({'aiohttp', 'textual_serve'} & {*sys.modules})"
    )
    got = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert got.stdout == "set()\n"
