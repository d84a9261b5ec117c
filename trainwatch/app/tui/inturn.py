"""Keys in turn: the next one is given away once the one before has had its effect.

A key goes to what has the focus, and up from there to the program. What it does may be a message, which goes
the same way, and may open what takes the keys from then on. Left to Textual, keys that come faster than that
go to what had the focus before: of /loss, typed in one go, the letters were lost, or did what they do on a
chart; Enter and ? opened a run below the help. So where a key comes right behind another, a mark is sent the
same way, a few times, and the key follows it. The same key again waits for nothing: it may be held down.

The trap: where what had the focus is taken away, its mark is lost with it. Nobody waits for it long.
"""

import asyncio
import math
from collections import deque
from contextlib import suppress
from time import monotonic as clock
from typing import Any

from textual.app import App, ScreenStackError
from textual.events import Event, Key, Paste
from textual.message import Message

_ROUNDS = 3  # the key itself; the message that it became; what that opened has the focus
# So far apart each is done before the next comes; a mark behind each would delay its paint by 5 ms.
_APART_S = 0.06
_PATIENCE_S = 0.25
_MOST = 1000  # keys that wait; more come from no person


class InTurn(App[None]):
    """An app to whom each key means what it means when it is typed alone."""

    class Mark(Message):
        """Behind a key."""

        def __init__(self, number: int, left: int) -> None:
            super().__init__()
            self.number, self.left = number, left

    def __init__(self, *arguments: Any, **options: Any) -> None:
        """As Textual makes it."""
        super().__init__(*arguments, **options)
        self._waiting: deque[Key | Paste] = deque()  # none: no mark is under way
        self._sent: Key | Paste | None = None  # the last that was given away
        self._sent_at = -math.inf
        self._number = 0  # of the last mark
        self._patience: asyncio.TimerHandle | None = None

    async def on_event(self, event: Event) -> None:
        """Whatever comes: a key may have to wait."""
        if not isinstance(event, Key | Paste) or event.is_forwarded:
            await super().on_event(event)
        elif self._waiting:
            if len(self._waiting) < _MOST:
                self._waiting.append(event)
        elif clock() - self._sent_at >= _APART_S or self._is_again(event):
            await self._send(event)
        else:
            self._waiting.append(event)
            self._begin()

    async def on_in_turn_mark(self, mark: Mark) -> None:
        """It came through; so did what was before it."""
        mark.stop()
        if mark.number != self._number:
            return  # given up
        if mark.left:
            self._follow(mark.left)
            return
        if self._patience is not None:
            self._patience.cancel()
        await self._send(self._waiting.popleft())
        while self._waiting and self._is_again(self._waiting[0]):
            await self._send(self._waiting.popleft())
        if self._waiting:
            self._begin()

    def _is_again(self, event: Key | Paste) -> bool:
        sent = self._sent
        return isinstance(event, Key) and isinstance(sent, Key) and event.key == sent.key

    async def _send(self, event: Key | Paste) -> None:
        self._sent, self._sent_at = event, clock()
        await super().on_event(event)

    def _begin(self) -> None:
        self._follow(_ROUNDS)
        later = asyncio.get_running_loop().call_later
        self._patience = later(_PATIENCE_S, self._give_up)

    def _follow(self, rounds: int) -> None:
        """Send a mark the way that keys go now."""
        self._number += 1
        with suppress(ScreenStackError):  # it ends
            (self.focused or self.screen).post_message(self.Mark(self._number, rounds - 1))

    def _give_up(self) -> None:
        self._number += 1
        self.post_message(self.Mark(self._number, 0))
