"""The source of the screen with everything wound by hand: who watches, what is told when nobody does."""

import threading
from collections.abc import Callable

import pytest
from msgspec.structs import replace

from tests.app.viewed import ASKED, NOW, STATUS, WANTED, until
from trainwatch.app import viewing
from trainwatch.app.viewing import _HUSH_S, Source, Watch
from trainwatch.core.errors import LeaseHeld, UsageError
from trainwatch.core.journal import Journal, Seen
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.snapshot import History, Page, Search, Snapshot
from trainwatch.core.model.status import Status


class FakeView:
    """A store that says what a test wants."""

    def __init__(self, status: Status | None = STATUS) -> None:
        self.answer = status
        self.error: OSError | None = None

    def status(self) -> Status | None:
        if self.error is not None:
            raise self.error
        return self.answer

    def history(self, wanted: frozenset[str]) -> History:
        return History()

    def journal(self) -> Seen:
        return Journal().seen()


class FakePages:
    """A log that counts how often it is looked at."""

    def __init__(self) -> None:
        self.bytes, self.looks = 100, 0

    def size(self) -> int | None:
        return self.bytes

    def page(self, place: int | None, lines: int) -> Page:
        self.looks += 1
        return Page(size=self.bytes)

    def find(self, wanted: Search, stop: Callable[[int], bool]) -> int | None:
        return None


class Rig:
    """A source of which everything is wound by hand."""

    def __init__(self, refuse: Exception | None = None) -> None:
        self.now, self.tries = NOW, 0
        self.view, self.pages, self.refuse = FakeView(), FakePages(), refuse
        self.requests: list[AlertRequest] = []
        self.waits = threading.Event()  # until watching begins
        self.waits.set()
        self.source = Source(
            "tr1",
            "tr1.log",
            self.view,
            self.pages,
            self.begin,
            lambda: self.now,
            self.requests.append,
        )

    def begin(self) -> Watch:
        self.tries += 1
        self.waits.wait()
        raise self.refuse or LeaseHeld("process 7 on r1i0n0 watches")

    def settled(self) -> Snapshot:
        return until(lambda: self.source.read(WANTED), lambda s: s.watching != "starting")


def test_what_was_kept_is_not_taken_for_now() -> None:
    seen = Rig().source.read(WANTED)
    assert seen.watching == "starting"
    assert seen.status.health == "unknown"
    assert "when last seen: ok" in seen.status.reason


def test_a_tick_while_the_store_is_read_makes_nothing_of_before_newer(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig = Rig()

    def status() -> Status | None:
        rig.source._ticked(NOW)  # the first look at the log ends just here
        return STATUS

    monkeypatch.setattr(rig.view, "status", status)
    seen = rig.source.read(WANTED)
    assert seen.watching == "starting"
    assert "when last seen" in seen.status.reason


def test_what_is_asked_while_nobody_watches_is_left_for_who_does() -> None:
    rig = Rig(UsageError("the state folder is of a newer version"))
    rig.settled()
    rig.source.ask(ASKED)
    assert [(request.ask, request.rule) for request in rig.requests] == [("silence", "stall")]


def test_a_silent_watcher_is_told_and_relieved() -> None:
    rig = Rig()
    assert rig.settled().status.health == "ok"
    rig.now += 90
    assert rig.source.read(WANTED).status.health == "ok"
    assert rig.tries == 1
    rig.now += 400
    seen = rig.source.read(WANTED)
    assert seen.status.health == "unknown"
    assert "silent" in seen.status.reason
    until(lambda: rig.source.read(WANTED), lambda _: rig.tries == 2)


def test_a_watcher_that_is_alive_is_left_alone() -> None:
    rig = Rig()
    rig.settled()
    for _ in range(10):
        rig.now += 60
        rig.view.answer = replace(STATUS, heartbeat_at=rig.now)
        rig.source.read(WANTED)
    assert rig.tries == 1


def test_while_watching_begins_nobody_else_tries() -> None:
    rig, goes_on = Rig(), threading.Event()
    rig.view.answer = None
    rig.waits = goes_on
    rig.source.read(WANTED)
    for _ in range(3):
        rig.now += 3600
        rig.source.read(WANTED)
    goes_on.set()
    rig.settled()
    assert rig.tries == 1


def test_why_nobody_can_watch_is_told() -> None:
    seen = Rig(UsageError("the state folder is of a newer version")).settled()
    assert seen.watching == "nobody"
    assert "newer version" in seen.trouble


def test_a_store_that_cannot_be_read_is_told_and_what_was_seen_stays() -> None:
    rig = Rig()
    rig.settled()
    rig.view.error = OSError(5, "Input/output error", "status.json")
    seen = rig.source.read(WANTED)
    assert seen.trouble == "status.json: Input/output error"
    assert seen.status.iteration == 7
    rig.view.error = None
    assert rig.source.read(WANTED).trouble == ""


def test_the_log_is_looked_at_only_when_it_grew() -> None:
    rig = Rig()
    for _ in range(5):
        rig.source.read(WANTED)
    assert rig.pages.looks == 1
    rig.pages.bytes += 1
    rig.source.read(WANTED)
    rig.source.read(replace(WANTED, place=50))
    assert rig.pages.looks == 3
    rig.source.read(replace(WANTED, lines=0))
    assert rig.pages.looks == 3


class Reading:
    """A watched run that is behind."""

    size: int | None = 10_000_000_000
    read_to = 1_000_000_000


def test_how_far_a_large_log_is_read() -> None:
    run, daemon = Reading(), type("Daemon", (), {})()
    daemon.runs = [run]
    pace = viewing._Pace()
    first = pace.reading(daemon, 100.0)
    assert first is not None
    assert first.bytes_per_s is None
    run.read_to = 3_000_000_000
    second = pace.reading(daemon, 104.0)
    assert second is not None
    assert second.bytes_per_s == 500e6
    assert second.left_s == 14.0
    run.read_to = 10_000_000_000
    assert pace.reading(daemon, 110.0) is None
    assert pace.reading(None, 110.0) is None


def test_while_keys_are_painted_the_next_block_of_the_log_waits_but_not_for_ever(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    rig, waits = Rig(), list[float]()
    monkeypatch.setattr("trainwatch.app.clock.elapsed", lambda: rig.now)
    monkeypatch.setattr(rig.source._closed, "wait", waits.append)
    rig.source._rest()
    assert waits == []
    rig.source.hush()
    rig.now += 0.02
    rig.source._rest()
    assert waits == [pytest.approx(_HUSH_S - 0.02, abs=1e-4)]
    rig.now += _HUSH_S
    rig.source._rest()
    rig.now -= 1000  # set back, as no such clock ever is
    rig.source._rest()
    assert waits[1:] == [_HUSH_S]
