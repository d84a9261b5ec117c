"""The loop around the tick, with a clock wound by hand."""

import threading
from itertools import count

import pytest
from apscheduler.events import EVENT_JOB_EXECUTED

from trainwatch.app import clock
from trainwatch.app.daemon import Daemon, Loop

NOW = 1_790_000_000.0


class Ticking(Daemon):
    """Counts its ticks; fails when told to."""

    def __init__(self) -> None:
        super().__init__([], heartbeat_s=30.0)
        self.ticks: list[float] = []
        self.ticked = threading.Event()
        self.error: Exception | None = None

    def tick(self, now: float) -> bool:
        self.ticks.append(now)
        self.ticked.set()
        if self.error is not None:
            raise self.error
        return False

    def wait(self) -> None:
        assert self.ticked.wait(10)
        self.ticked.clear()


def test_a_clock_that_is_set_back_does_not_silence_the_loop(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    daemon = Ticking()
    loop = Loop(daemon, 3600.0)
    loop.start()
    try:
        daemon.wait()
        real = clock.now()
        loop._ticked_at = real + 7200  # as if the last tick was made before the clock was set back
        loop.heed_clock()
        daemon.wait()
        assert len(daemon.ticks) == 2
        loop.heed_clock()  # and only once
        assert not daemon.ticked.wait(0.1)
    finally:
        loop.stop()


def test_how_often_it_ticks_can_be_changed_from_within_a_tick() -> None:
    daemon, loops = Ticking(), list[Loop]()
    loop = Loop(daemon, 3600.0, lambda _: loops[0].every(0.05))
    loops.append(loop)
    loop.start()
    try:
        for _ in range(3):
            daemon.wait()
    finally:
        loop.stop()


def test_an_error_ends_the_loop_and_is_kept(capsys: pytest.CaptureFixture[str]) -> None:
    daemon = Ticking()
    daemon.error = RuntimeError("a bug")
    loop = Loop(daemon, 3600.0)
    loop.start()
    assert loop.wait()
    loop.stop()
    assert loop.error is daemon.error
    assert capsys.readouterr().err == ""


def test_asking_to_stop_takes_no_lock_that_waiting_holds() -> None:
    """A signal handler runs in the waiting thread, wherever that is: here, inside its Event."""
    loop = Loop(Ticking(), 3600.0)
    with loop._stopped._cond:  # type: ignore[attr-defined]
        asking = threading.Thread(target=loop.stop_soon, daemon=True)
        asking.start()
        asking.join(10)
        assert not asking.is_alive()
    assert loop.wait()


@pytest.mark.parametrize(
    ("took_s", "interval_s", "rest_s"),
    [(0.01, 3600.0, 1.0), (5.0, 3600.0, 50.0), (5.0, 15.0, 15.0)],
)
def test_a_hint_waits_the_longer_the_longer_a_tick_takes(
    took_s: float, interval_s: float, rest_s: float, monkeypatch: pytest.MonkeyPatch
) -> None:
    elapsed = count(step=took_s)
    monkeypatch.setattr(clock, "elapsed", lambda: next(elapsed))
    daemon, ended = Ticking(), threading.Event()
    loop = Loop(daemon, interval_s)
    loop._scheduler.add_listener(lambda _: ended.set(), EVENT_JOB_EXECUTED)
    loop.start()
    try:
        assert ended.wait(10)
        loop.wake()
        assert loop._job.next_run_time.timestamp() == pytest.approx(
            loop._ticked_at + rest_s, abs=1e-3
        )
    finally:
        loop.stop()
