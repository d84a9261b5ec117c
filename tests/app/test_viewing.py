"""The source of the screen: real logs, a real store, a real loop, and one that is wound by hand."""

import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from msgspec.structs import replace

from trainwatch.app import memory, viewing
from trainwatch.app.config import Settings
from trainwatch.app.viewing import Source, Watch
from trainwatch.app.wire import Site
from trainwatch.core.columns import from_rows
from trainwatch.core.errors import LeaseHeld, StoreUnusable, UsageError
from trainwatch.core.journal import Journal, Seen
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.snapshot import History, Page, Search, Snapshot, Wanted
from trainwatch.core.model.state import Event, Row, RunState
from trainwatch.core.model.status import Status

NOW = 1_773_277_380.0
WANTED = Wanted(columns=frozenset({"iteration", "loss"}), lines=20)
STATUS = Status(run="tr1", health="ok", reason="training", iteration=7, heartbeat_at=NOW - 1)


def iteration(number: int) -> str:
    return (
        f" iteration {number:8d}/    1000 | consumed samples: {number * 16:12d} | "
        f"elapsed time per iteration (ms): 2000.0 | learning rate: 1.000E-04 | "
        f"global batch size:    16 | lm loss: 2.500000E+00 | loss scale: 1.0 | grad norm: 1.000 | "
        f"number of skipped iterations:   0 | number of nan iterations:   0 |\n"
    )


def until(look: Callable[[], Snapshot], true: Callable[[Snapshot], bool]) -> Snapshot:
    """The first snapshot that is as expected; a thread works at it."""
    deadline = time.monotonic() + 20
    while time.monotonic() < deadline:
        seen = look()
        if true(seen):
            return seen
        time.sleep(0.01)
    raise AssertionError(f"never: {seen}")


@pytest.fixture
def log(tmp_path: Path) -> Path:
    path = tmp_path / "tr1.log"
    path.write_text("".join(iteration(n) for n in range(1, 51)))
    return path


@pytest.fixture
def open_source() -> Iterator[Callable[[Site, Path], Source]]:
    opened: list[Source] = []

    def open_one(site: Site, log: Path) -> Source:
        opened.append(site.screen(site.run_of(str(log))))
        return opened[-1]

    yield open_one
    for source in opened:
        source.close()


Opener = Callable[[Site, Path], Source]


def test_it_watches_where_nobody_does(tmp_path: Path, log: Path, open_source: Opener) -> None:
    source = open_source(Site(Settings(), tmp_path / "state"), log)
    assert source.read(WANTED).status.health == "unknown"  # nothing is known before the first look
    seen = until(lambda: source.read(WANTED), lambda s: s.watching == "here")
    assert seen.status.iteration == 50
    assert list(seen.history.columns["iteration"]) == list(range(1, 51))
    assert seen.page.lines[-1].text.startswith(" iteration       50/")
    with log.open("a") as file:
        file.write(iteration(51))
    until(lambda: source.read(WANTED), lambda s: s.status.iteration == 51)


def test_an_open_iteration_of_nan_hides_nothing(
    tmp_path: Path, log: Path, open_source: Opener
) -> None:
    with log.open("a") as file:
        file.write(iteration(51).replace("grad norm: 1.000", "grad norm: nan"))
    source = open_source(Site(Settings(), tmp_path / "state"), log)
    seen = until(lambda: source.read(WANTED), lambda s: s.watching == "here")
    assert seen.status.iteration == 51
    assert seen.history.rows == 51


def test_where_another_process_watches_it_reads(
    tmp_path: Path, log: Path, open_source: Opener
) -> None:
    site = Site(Settings(), tmp_path / "state")
    first, second = open_source(site, log), open_source(site, log)
    until(lambda: first.read(WANTED), lambda s: s.watching == "here")
    seen = until(lambda: second.read(WANTED), lambda s: s.watching == "elsewhere")
    assert seen.status.iteration == 50
    assert seen.history.rows == 50


def test_where_nothing_can_be_kept_it_watches_from_memory(
    tmp_path: Path, log: Path, open_source: Opener
) -> None:
    blocked = tmp_path / "state"
    blocked.write_text("a file where a folder should be")
    source = open_source(Site(Settings(), blocked), log)
    seen = until(lambda: source.read(WANTED), lambda s: s.watching == "memory")
    assert "cannot write the state folder" in seen.trouble
    assert list(seen.history.columns["iteration"]) == list(range(1, 51))
    assert seen.status.iteration == 50


def test_a_log_that_does_not_exist_yet(tmp_path: Path, open_source: Opener) -> None:
    path = tmp_path / "later.log"
    source = open_source(Site(Settings(), tmp_path / "state"), path)
    seen = until(lambda: source.read(WANTED), lambda s: s.watching == "here")
    assert "does not exist" in seen.status.reason
    assert "does not exist" in seen.page.trouble
    path.write_text(iteration(1) + iteration(2))
    until(lambda: source.read(WANTED), lambda s: s.status.iteration == 2)


def test_searching_the_log(tmp_path: Path, log: Path, open_source: Opener) -> None:
    source = open_source(Site(Settings(), tmp_path / "state"), log)
    found = source.find(Search(text=r"iteration\s+7/"), lambda at: False)
    assert found == log.read_text().index(" iteration        7/")


ASKED = AlertRequest(at=NOW, ask="silence", rule="stall", until=4e9)


def silenced(seen: Snapshot) -> list[str]:
    """The rules that are silenced."""
    book = seen.status.book
    return [] if book is None else [muted.rule for muted in book.muted]


def test_what_is_asked_for_reaches_the_watcher_beside_the_screen(
    tmp_path: Path, log: Path, open_source: Opener, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("getpass.getuser", lambda: "jo")
    source = open_source(Site(Settings(), tmp_path / "state"), log)
    until(lambda: source.read(WANTED), lambda s: s.watching == "here")
    source.ask(ASKED)
    seen = until(lambda: source.read(WANTED), lambda s: silenced(s) == ["stall"])
    assert seen.status.book is not None
    assert seen.status.book.muted[0].by == "jo"


def test_and_the_one_in_another_process(tmp_path: Path, log: Path, open_source: Opener) -> None:
    site = Site(Settings(), tmp_path / "state")
    first, second = open_source(site, log), open_source(site, log)
    until(lambda: first.read(WANTED), lambda s: s.watching == "here")
    until(lambda: second.read(WANTED), lambda s: s.watching == "elsewhere")
    second.ask(ASKED)
    until(lambda: second.read(WANTED), lambda s: silenced(s) == ["stall"])


def test_and_one_that_keeps_nothing(tmp_path: Path, log: Path, open_source: Opener) -> None:
    blocked = tmp_path / "state"
    blocked.write_text("a file where a folder should be")
    source = open_source(Site(Settings(), blocked), log)
    with pytest.raises(StoreUnusable, match="cannot leave the request"):
        source.ask(ASKED)
    until(lambda: source.read(WANTED), lambda s: s.watching == "memory")
    source.ask(ASKED)
    until(lambda: source.read(WANTED), lambda s: silenced(s) == ["stall"])


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


def test_a_memory_store_keeps_everything_and_hands_out_copies() -> None:
    store = memory.MemoryStore()
    row = Row(iteration=3, attempt=0, format="f", time=None, values={"loss": 0.3})
    table = from_rows([{"iteration": 1, "loss": 0.1}, {"iteration": 2, "loss": 0.2}])
    event = Event(at=None, kind="saved", iteration=2, offset=5)
    store.commit(table, [event], RunState(run="r", open=row), Mark())
    seen = store.history(frozenset({"iteration", "loss"}))
    assert list(seen.columns["loss"]) == [0.1, 0.2, 0.3]
    assert store.journal().events == (event,)
    more = from_rows([{"iteration": 3, "loss": 0.3}])
    store.commit(more, [], RunState(run="r"), Mark())
    assert list(seen.columns["loss"]) == [0.1, 0.2, 0.3]
    assert store.history(frozenset({"iteration"})).rows == 3
    assert store.status() is None
    store.publish(STATUS)
    assert store.status() is STATUS


def test_a_memory_store_hands_out_what_was_asked_for_once() -> None:
    store = memory.MemoryStore()
    second = replace(ASKED, ask="unmute")
    store.ask(ASKED)
    store.ask(second)
    assert store.requests() == [ASKED, second]
    assert store.requests() == []
