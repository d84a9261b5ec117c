"""Every benchmark runs and comes to a figure, on small input: what it measures is not judged here."""

import shutil
from collections.abc import Callable, Iterable

import pytest

from benchmarks import __main__ as everything
from benchmarks import (
    checkpoints,
    daemon,
    fleet,
    keys,
    logview,
    long_run,
    many,
    queue,
    run,
    scan,
    start,
    sync,
    tick,
    tui,
)
from benchmarks.measure import Claim

MB = 1024 * 1024
SMALL = (
    (scan, "SIZE", MB),
    (scan, "LARGE", 2 * MB),
    (scan, "_RUNS", 1),
    (scan, "_SLOW_RUNS", 1),
    (start, "_SIZE", 8 * MB),
    (start, "_RUNS", 1),
    (tick, "_SIZE", MB),
    (tick, "_TICKS", 30),
    (tick, "_QUIET_TICKS", 30),
    (checkpoints, "PLANNED", 500),
    (daemon, "ROWS", 5000),
    (daemon, "_PARTS", 2),
    (keys, "SIZES", ((120, 40),)),
    (keys, "KEYS", 16),
    (keys, "_BEFORE_BYTES", MB),
    (keys, "_BYTES_PER_S", MB),
    (keys, "_SETTLE_S", 1.5),
    (keys, "_DEADLINE_S", 60.0),
    (many, "RUNS", (1, 3)),
    (many, "ROWS", 3000),
    (many, "_STRETCH_S", 1.0),
    (many, "_PART_S", 0.5),
    (many, "_OPTIONS", "poll_interval_s = 0.5"),
    (queue, "JOBS", 500),
    (queue, "RUNS", 1),
    (run, "SIZE", MB),
    (run, "LINES", 100),
    (run, "_RUNS", 1),
    (sync, "SIZE", MB),
    (sync, "STEPS", 2),
    (fleet, "RUNS", 12),
    (fleet, "ROWS", 3000),
    (fleet, "SIZES", ((80, 24),)),
    (fleet, "_TURNS", 2),
    (logview, "SIZE", 8 * MB),
    (logview, "_TURNS", 1),
    (logview, "_READY_S", 20.0),
    (logview, "_FOUND_S", 20.0),
    (tui, "ROWS", 5000),
    (tui, "SIZES", ((80, 24),)),
    (tui, "_STARTS", 1),
    (tui, "_FRAMES", 6),
    (tui, "_IDLE_S", 0.5),
    (tui, "_SETTLE_S", 0.5),
)


@pytest.fixture(autouse=True)
def small(monkeypatch: pytest.MonkeyPatch) -> None:
    for module, name, value in SMALL:
        assert hasattr(module, name)
        monkeypatch.setattr(module, name, value)
    monkeypatch.setattr(long_run.prepare, "__defaults__", (5000,))
    monkeypatch.setattr(checkpoints.claims, "__defaults__", (3,))  # of a thousand files each


@pytest.mark.parametrize("part", everything.PARTS)
def test_every_claim_has_a_figure(part: str) -> None:
    claims: Callable[[], Iterable[Claim]] = everything.PARTS[part]
    found = list(claims())
    assert found
    for claim in found:
        if claim.holds is not None:
            assert any(sign.isdigit() for sign in claim.measured), claim
        if "not installed" in claim.measured:
            assert shutil.which(claim.measured.split()[0]) is None


def test_a_part_that_is_not_there_is_said(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit, match="2"):
        everything.main(["speed"])
    assert "no such part: speed; there are start, scan, tick" in capsys.readouterr().err


def test_a_claim_that_is_missed_fails(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    missed = Claim("a scan", "2 s", "under 1 s", holds=False)
    monkeypatch.setattr(everything, "PARTS", {"scan": lambda: [missed]})
    assert everything.main([]) == 1
    assert "MISSED a scan" in capsys.readouterr().out
