"""A world of scripts, and a scheduler that takes their jobs."""

from pathlib import Path

import pytest

from tests.app.cron.scripts.worlds import World
from tests.fakes import MemoryHands, MemoryScheduler


@pytest.fixture
def world(tmp_path: Path) -> World:
    return World(tmp_path)


@pytest.fixture
def scheduler() -> MemoryScheduler:
    return MemoryScheduler()


@pytest.fixture
def hands(scheduler: MemoryScheduler) -> MemoryHands:
    return MemoryHands(scheduler)
