"""One visitor's screen: a process of ours that draws into a pipe, and ends with whoever started it.

textual-serve has such a thing; it goes through a shell, waits for ever for a process that hangs, and prints
raw what that said. So only the script of its page is used, whose messages these are.
"""

import asyncio
import os
import signal
from collections import deque
from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress

from trainwatch.app.web import talk

Show = Callable[[bytes], Awaitable[None]]

LEAVE_S = 12.0  # a watcher in it gives its lease back first, which takes 10 s where a disk hangs
_TERM_S = 2.0
_BEGIN = b"__GANGLION__\n"  # Textual's way to say that packets follow
_MOST_BYTES = 16 * 1024 * 1024  # of a packet; a whole screen has some 100 kB
_LAST_LINES = 3


class Screen:
    """A process. `open` begins it, `show` lasts until it ends, `close` ends it."""

    def __init__(self, process: asyncio.subprocess.Process) -> None:
        """Of a process that was begun by `open`."""
        self._process = process
        self._last: deque[bytes] = deque(maxlen=_LAST_LINES)
        self._ended: asyncio.Task[None] | None = None

    @classmethod
    async def open(cls, command: Sequence[str], width: int, height: int) -> "Screen":
        """Begin one of so many columns and rows. Raises OSError."""
        process = await asyncio.create_subprocess_exec(
            *command,
            stdin=asyncio.subprocess.PIPE,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
            env=environment(os.environ, width, height),
            start_new_session=True,  # a ctrl+c is for us: we end it in order
        )
        return cls(process)

    async def tell(self, packet: bytes) -> None:
        """Hand it a packet; nothing if it is gone."""
        stdin = self._process.stdin
        if stdin is None or stdin.is_closing():
            return
        with suppress(ConnectionError, RuntimeError):
            stdin.write(packet)
            await stdin.drain()

    async def show(self, draw: Show) -> None:
        """Hand on what it draws, until it ends. What cannot be handed on is dropped, so that it can end."""
        talks = asyncio.create_task(self._listen())
        try:
            with suppress(asyncio.IncompleteReadError, ConnectionError, ValueError):
                await self._draw(draw)
            await self.close()  # it may be leaving still, or hang
        finally:
            talks.cancel()

    def why(self) -> str:
        """What it said last, if it failed."""
        code = self._process.returncode
        if not code:
            return ""
        said = b" ".join(self._last).decode("utf-8", "replace")
        return f"left with {code}: {said}" if said else f"left with {code}"

    async def close(self) -> None:
        """Ask it to leave, and see that it does. Whoever calls it again waits for the same end."""
        if self._ended is None:
            self._ended = asyncio.create_task(self._end())
        await asyncio.shield(self._ended)

    async def _end(self) -> None:
        if self._process.returncode is None:
            with suppress(TimeoutError):
                async with asyncio.timeout(LEAVE_S):
                    await self.tell(talk.meta("quit"))
                    await self._process.wait()
        for number, patience_s in ((signal.SIGTERM, _TERM_S), (signal.SIGKILL, None)):
            if self._process.returncode is not None:
                break
            with suppress(ProcessLookupError):
                os.killpg(self._process.pid, number)
            with suppress(TimeoutError):
                async with asyncio.timeout(patience_s):
                    await self._process.wait()
        if self._process.stdin is not None:
            self._process.stdin.close()

    async def _draw(self, draw: Show) -> None:
        stdout = self._process.stdout
        assert stdout is not None
        while (line := await stdout.readline()) != _BEGIN:
            if not line:
                return
        alive = True
        while True:
            kind = await stdout.readexactly(1)
            length = int.from_bytes(await stdout.readexactly(4), "big")
            if length > _MOST_BYTES:
                raise ValueError(length)
            payload = await stdout.readexactly(length)
            if kind == b"D" and alive:
                try:
                    await draw(payload)
                except (ConnectionError, RuntimeError):
                    alive = False

    async def _listen(self) -> None:
        """Keep its last words; all of them are taken, or it would wait for us."""
        stderr = self._process.stderr
        assert stderr is not None
        while words := await stderr.read(4096):
            self._last.extend(line[:400] for line in words.splitlines()[-_LAST_LINES:] if line)


def environment(ours: Mapping[str, str], width: int, height: int) -> dict[str, str]:
    """What it is started with: our own, and the terminal that a browser is."""
    return {
        **ours,
        "TERM_PROGRAM": "textual",
        "TEXTUAL_COLOR_SYSTEM": "truecolor",
        "TEXTUAL_FPS": "30",
        "COLUMNS": str(width),
        "LINES": str(height),  # as shutil reads it
        "ROWS": str(height),  # as Textual does
    }
