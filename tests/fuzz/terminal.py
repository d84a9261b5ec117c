"""The real program in a terminal (a pty), on a real log to which others write, truly and hostilely."""

import asyncio
import fcntl
import os
import pty
import random
import shutil
import struct
import subprocess
import sys
import tempfile
import termios
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path

import psutil

from benchmarks.shown import Shown
from tests.app.tui.hostile import HOSTILE
from tests.app.viewed import iteration
from tests.fuzz.steps import PASTE_ENDS, Step, encoded
from tests.fuzz.subject import Failed

_NAME = "tr1-13B"
_SIZE = (120, 40)
_PATIENCE_S = 120.0  # nobody waits so long, but on a busy machine
_ESCAPE_S = 0.2  # before another key, else both would be one
_QUIET_S, _LOUD_S = 0.05, 0.5  # a rest: until nothing comes any more, or enough of it
_KEPT = 400_000  # bytes of what came
_LONGEST_LOG = 8_000_000  # bytes
_ENDS = (None, 0, 130)  # the last where ctrl+c came while it was leaving already
_NEVER = (b"\x1b]0;title", b"]8;;http")  # of a log, or ours


class InTerminal:
    """A subject (subject.py)."""

    name = "terminal"

    def __init__(self) -> None:
        self._process: subprocess.Popen[bytes] | None = None
        self._folder = Path()
        self._far = -1  # our end of the terminal
        self._came = bytearray()
        self._number = 0

    @property
    def left(self) -> bool:
        return self._process is None or self._process.poll() is not None

    def rss_bytes(self) -> int:
        if self._process is None:
            return 0
        with suppress(psutil.NoSuchProcess):
            return int(psutil.Process(self._process.pid).memory_info().rss)
        return 0

    async def begin(self) -> None:
        self._folder = Path(tempfile.mkdtemp(prefix="trainwatch-fuzz-"))
        self._came.clear()
        self._log.write_text("".join(iteration(n) for n in range(1, 301)))
        self._number = 300
        self._far, near = pty.openpty()
        self._resize(_SIZE)
        ours = {"TRAINWATCH_STATE_DIR": str(self._folder / "state"), "TRAINWATCH_DEBUG": "1"}
        self._process = subprocess.Popen(
            [sys.executable, "-m", "trainwatch", "tui", str(self._log)],
            stdin=near,
            stdout=near,
            stderr=near,
            cwd=self._folder,
            env={**os.environ, **ours, "TERM": "xterm-256color"},
            start_new_session=True,
            preexec_fn=_own_terminal,  # noqa: PLW1509 - no thread of ours runs yet
        )
        os.close(near)
        os.set_blocking(self._far, False)
        asyncio.get_running_loop().add_reader(self._far, self._read)
        await self._until(lambda: _NAME.encode() in self._came, "the screen")

    async def do(self, step: Step) -> None:
        match step.kind:
            case "input":
                self._type(step.text)
            case "resize":
                self._resize(step.size)
            case "see":
                self._write(random.Random(step.number))
            case _:
                await self._rest()

    async def recover(self) -> None:
        self._write_true(1)
        await self._escape()
        for size in ((_SIZE[0] - 1, _SIZE[1]), _SIZE):
            await self._drawn_at(size)
            await self._rest()
        for picture in self._folder.glob("*.svg"):
            picture.unlink()

    async def end(self) -> None:
        process, self._process = self._process, None
        if process is None:
            return
        try:
            await self._leave(process)
        finally:
            asyncio.get_running_loop().remove_reader(self._far)
            os.close(self._far)
            if process.poll() is None:
                process.kill()
                process.wait()
            shutil.rmtree(self._folder, ignore_errors=True)

    async def _leave(self, process: subprocess.Popen[bytes]) -> None:
        """As a person does: out of whatever is open, and q."""
        await self._escape()
        self._type(encoded("q"))
        await self._until(lambda: process.poll() is not None, "its end")
        self._complain(process)

    async def _escape(self) -> None:
        """Out of whatever is open."""
        self._type(PASTE_ENDS)
        for _ in range(8):
            self._type(encoded("escape"))
            await asyncio.sleep(_ESCAPE_S)

    @property
    def _log(self) -> Path:
        return self._folder / f"{_NAME}.log"

    def _type(self, text: str) -> None:
        """What a terminal has no room for is lost, as with any."""
        with suppress(BlockingIOError, OSError):
            os.write(self._far, text.encode("utf-8", "replace"))

    def _resize(self, size: tuple[int, int]) -> None:
        fcntl.ioctl(self._far, termios.TIOCSWINSZ, struct.pack("HHHH", size[1], size[0], 0, 0))

    def _write(self, dice: random.Random) -> None:
        """To the log."""
        kind = dice.choice(("true", "true", "words", "half", "bytes", "anew", "gone"))
        if kind == "true":
            self._write_true(dice.randint(1, 3))
        elif kind == "anew" or (self._log.exists() and self._log.stat().st_size > _LONGEST_LOG):
            self._log.write_bytes(b"")
        elif kind == "gone":
            self._log.unlink(missing_ok=True)
        with self._log.open("ab") as log:
            if kind in ("words", "half"):
                log.write(dice.choice(HOSTILE).encode("utf-8", "replace"))
                log.write(b"\n" if kind == "words" else b"")
            elif kind == "bytes":
                log.write(dice.randbytes(dice.randint(1, 3000)))

    def _write_true(self, count: int) -> None:
        with self._log.open("a") as log:
            for _ in range(count):
                self._number = self._number % 1000 + 1
                log.write("\n" + iteration(self._number))

    async def _drawn_at(self, size: tuple[int, int]) -> None:
        self._came.clear()
        self._resize(size)
        await self._until(lambda: self.left or self._shows(_NAME, size), "a new picture")

    def _shows(self, text: str, size: tuple[int, int]) -> bool:
        """Whether a terminal that lost all its cells has it now. The bytes do not say so: after a picture
        that is still cut comes only what differs.
        """
        shown = Shown(size)
        shown.take(bytes(self._came))
        return shown.holds(text)

    async def _rest(self) -> None:
        loop = asyncio.get_running_loop()
        enough, size = loop.time() + _LOUD_S, -1
        while loop.time() < enough and size != len(self._came):
            size = len(self._came)
            await asyncio.sleep(_QUIET_S)
        if self._process is not None:
            self._complain(self._process)
        del self._came[:-_KEPT]

    def _complain(self, process: subprocess.Popen[bytes]) -> None:
        tail = bytes(self._came[-3000:])
        if process.poll() not in _ENDS:
            raise Failed(f"it ended with {process.returncode}: {tail!r}")
        for text in _NEVER:
            if text in self._came:
                raise Failed(f"{text!r} on the terminal: {tail!r}")

    async def _until(self, true: Callable[[], bool], what: str) -> None:
        try:
            async with asyncio.timeout(_PATIENCE_S):
                while not true():
                    await asyncio.sleep(_QUIET_S)
        except TimeoutError:
            raise Failed(f"{what} did not come: {bytes(self._came[-3000:])!r}") from None

    def _read(self) -> None:
        with suppress(BlockingIOError, OSError):
            self._came += os.read(self._far, 1 << 16)


def _own_terminal() -> None:
    """Make it the terminal that a new session belongs to: only then is a program told of its size."""
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
