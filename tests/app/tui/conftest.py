"""Times are shown as people on this machine write them: here all are in UTC. And what the pilot waits for."""

import asyncio
import time
from collections.abc import Iterator

import pytest
import textual.app
import textual.pilot

_LONGEST_S = 30.0


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
    """Until no task of the event loop can go on, twice: a task may be about to be woken."""
    loop = asyncio.get_running_loop()
    until = loop.time() + _LONGEST_S
    for _ in range(2):
        await asyncio.sleep(min(min_sleep, 0.001) or 0.001)
        while loop._ready and loop.time() < until:  # type: ignore[attr-defined]
            await asyncio.sleep(0)
