"""Times are shown as people on this machine write them: here all are in UTC. And what the pilot waits for."""

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest
import textual.app
import textual.pilot

_LONGEST_S = 30.0
_FRAME_S = 0.02


@pytest.fixture(autouse=True)
def _utc(monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    monkeypatch.setenv("TZ", "UTC")
    monkeypatch.delenv("NO_COLOR", raising=False)
    time.tzset()
    yield
    monkeypatch.undo()
    time.tzset()


@pytest.fixture(autouse=True)
def _idle(monkeypatch: pytest.MonkeyPatch) -> None:
    """Textual guesses from CPU time when an app is idle: 20 ms at best, a second a key on a busy machine.

    We ask the event loop. What other threads bring is waited for by name (driving.until).
    """
    monkeypatch.setattr(textual.app, "wait_for_idle", nothing_to_do)
    monkeypatch.setattr(textual.pilot, "wait_for_idle", nothing_to_do)


async def nothing_to_do(min_sleep: float = 0.0, max_sleep: float = _LONGEST_S) -> None:
    """Until no task of the event loop can go on, now or within a frame, twice in a row.

    A frame counts because Textual lays out and paints on a timer of a sixtieth of a second.
    """
    loop = asyncio.get_running_loop()
    until = loop.time() + _LONGEST_S
    calm = 0
    while calm < 2 and loop.time() < until:
        await asyncio.sleep(min(min_sleep, 0.001) or 0.001)
        calm = 0 if _has_work(loop) else calm + 1


def _has_work(loop: Any) -> bool:
    soon = loop.time() + _FRAME_S
    return bool(loop._ready) or any(
        not timer.cancelled() and timer.when() < soon for timer in loop._scheduled
    )
