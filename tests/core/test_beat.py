"""A chain seen from outside: what it says counts while it is heard, and its silence is never health."""

import math
from typing import Any

import pytest

from trainwatch.core.beat import judged_chain
from trainwatch.core.model.cron import CronStatus, Mode

NOW = 1_773_277_380.0


@pytest.mark.parametrize(
    ("said", "mode", "age_s", "interval_s", "seen", "why"),
    [
        ("ok", "daemon", 0, 600, "ok", "fine"),
        ("ok", "daemon", 300, 600, "ok", "fine"),
        ("ok", "daemon", 301, 600, "dead", "no heartbeat for 5 min 1 s (it said: ok)"),
        ("ok", "ticks", 1500, 600, "ok", "fine"),
        ("ok", "ticks", 1501, 600, "dead", "no heartbeat for 25 min 1 s (it said: ok)"),
        ("warning", "daemon", 300, 600, "warning", "fine"),
        ("warning", "daemon", 301, 600, "dead", "(it said: warning)"),
        ("unknown", "daemon", 301, 600, "dead", "(it said: unknown)"),
        ("unknown", "daemon", 60, 600, "unknown", "fine"),
        ("dead", "daemon", 9e6, 600, "dead", "fine"),
        ("stopped", "daemon", 9e6, 600, "stopped", "fine"),
        ("ok", "daemon", -200, 600, "ok", "fine"),  # clocks of nodes differ
        ("ok", "daemon", -400, 600, "unknown", "its clock is ahead of here"),
        ("ok", "daemon", math.nan, 600, "unknown", "its clock is ahead"),
        ("ok", "daemon", -math.inf, 600, "unknown", "its clock is ahead"),
        ("ok", "ticks", 10, math.nan, "dead", "no heartbeat for 10 s (it said: ok)"),
        ("ok", "ticks", 10, -500, "dead", "no heartbeat for 10 s (it said: ok)"),
    ],
)
def test_silence(
    said: str, mode: Mode, age_s: float, interval_s: float, seen: str, why: str
) -> None:
    health: Any = said
    written = CronStatus(
        at=NOW - age_s, mode=mode, health=health, why="fine", interval_s=interval_s
    )
    judged = judged_chain(written, NOW)
    assert judged.health == seen
    assert why in judged.why


def test_of_what_could_not_be_read_nothing_is_known() -> None:
    unreadable = CronStatus(at=0.0, why="status.json cannot be read")
    assert judged_chain(unreadable, NOW) == unreadable
