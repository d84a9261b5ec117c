"""One run under watch, with a clock wound by hand and a log and a store that obey."""

import threading
from collections.abc import Sequence

import pytest

from tests.app.rigs import NOW, Rig, iteration
from tests.fakes import MemoryStore
from trainwatch.app import eye, keeping, portrait
from trainwatch.app.daemon import Daemon
from trainwatch.app.eye import PATIENCE_S
from trainwatch.core.columns import Columns
from trainwatch.core.errors import LeaseHeld
from trainwatch.core.facts import Facts
from trainwatch.core.figures import COLUMNS, Figures, figures_of
from trainwatch.core.model.marks import Mark
from trainwatch.core.model.memory import Memory
from trainwatch.core.model.observations import AlertRequest
from trainwatch.core.model.state import RECENT_ROWS, Event, RunState
from trainwatch.core.ports import LogRead


@pytest.fixture
def rig() -> Rig:
    return Rig()


def test_a_log_that_does_not_exist_yet_is_unknown_and_then_read(rig: Rig) -> None:
    rig.tick(NOW)
    status = rig.run.status(NOW)
    assert (status.health, status.reason) == ("unknown", "no such log")
    rig.log.write(iteration(1))
    rig.tick(NOW + 15)
    assert rig.run.status(NOW + 15).iteration == 1
    assert rig.run.status(NOW + 15).reason != "no such log"


def test_what_was_there_before_has_no_arrival_time_and_what_comes_has(rig: Rig) -> None:
    rig.log.write(iteration(1) + iteration(2))
    rig.tick(NOW)
    assert rig.run.status(NOW).last_progress_at is None
    rig.log.write(iteration(3))
    rig.tick(NOW + 15)
    assert rig.run.status(NOW + 15).last_progress_at == NOW + 15


def test_ticks_run_by_cron_see_the_same_as_a_loop(rig: Rig) -> None:
    loop = Rig()
    for minute in range(6):
        now = NOW + 300 * minute
        for each in (rig, loop):
            each.log.write(iteration(minute + 1))
        rig.run = rig.open()  # another process each time
        rig.tick(now)
        loop.tick(now)
    assert rig.run.state == loop.run.state
    assert rig.store.rows == loop.store.rows
    assert rig.run.status(NOW + 1500).last_progress_at == NOW + 1500


def test_what_came_while_nobody_watched_did_not_come_now(rig: Rig) -> None:
    rig.log.write(iteration(1))
    rig.tick(NOW)
    rig.log.write(iteration(2))
    rig.run = rig.open()
    rig.tick(NOW + 7200)
    assert rig.run.status(NOW + 7200).last_progress_at is None


def test_the_heartbeat_goes_on_when_nothing_happens(rig: Rig) -> None:
    rig.log.write(iteration(1))
    beats: list[float | None] = []
    for second in range(0, 121, 10):
        rig.tick(NOW + second)
        assert rig.store.status is not None
        beats.append(rig.store.status.heartbeat_at)
    assert list(dict.fromkeys(beats)) == [NOW, NOW + 30, NOW + 60, NOW + 90, NOW + 120]


def test_a_full_disk_is_said_and_nothing_is_lost(rig: Rig) -> None:
    rig.log.write(iteration(1))
    rig.tick(NOW)
    rig.store.full = True
    for number in range(2, 50):
        rig.log.write(iteration(number))
        rig.tick(NOW + number)
    status = rig.run.status(NOW + 50)
    assert status.iteration == 49
    assert "no room left" in status.warnings[0]
    rig.store.full = False
    rig.log.write(iteration(50))
    rig.tick(NOW + 50)
    assert list(rig.store.rows.column("iteration")) == list(range(1, 50))
    assert rig.run.status(NOW + 50).warnings == ()


def test_a_disk_that_stays_full_stops_the_reading_not_the_memory(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "_MOST_ROWS", 10)
    rig.store.full = True
    for number in range(1, 100):
        rig.log.write(iteration(number))
        rig.tick(NOW + number)
    assert rig.run.state.rows < 20
    rig.store.full = False
    for second in range(100, 105):
        rig.tick(NOW + second)
    assert list(rig.store.rows.column("iteration")) == list(range(1, 99))


def test_a_last_line_without_an_end_is_read_after_a_while(rig: Rig) -> None:
    rig.log.write(iteration(1) + b"RuntimeError: CUDA error: out of memory")
    rig.tick(NOW)
    rig.tick(NOW + PATIENCE_S - 1)
    assert rig.run.state.attempts[-1].fault is None
    rig.tick(NOW + PATIENCE_S + 1)
    assert rig.run.state.attempts[-1].fault is not None


def test_a_read_that_hangs_is_given_up_on(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(eye, "DEADLINE_S", 0.05)
    let_go, real = threading.Event(), rig.log.poll

    def hang(limit: int) -> LogRead:
        let_go.wait(10)
        return real(limit)

    rig.log.write(iteration(1))
    rig.log.poll = hang  # type: ignore[method-assign]
    rig.tick(NOW)
    assert "hangs" in rig.run.status(NOW).reason
    assert rig.store.status is not None
    assert rig.store.status.heartbeat_at == NOW  # the watcher itself is alive
    let_go.set()
    monkeypatch.setattr(eye, "DEADLINE_S", 5.0)
    rig.tick(NOW + 15)
    assert rig.run.status(NOW + 15).iteration == 1


def test_everything_seen_is_recorded(rig: Rig) -> None:
    rig.log.write(iteration(1))
    rig.tick(NOW)
    rig.log.write(iteration(2))
    rig.tick(NOW + 15)
    assert [seen.at for seen in rig.recorded] == [NOW, NOW + 15]
    assert [getattr(seen, "live", None) for seen in rig.recorded] == [False, True]


@pytest.mark.parametrize("error", [RuntimeError("disk on fire"), OSError(5, "I/O error")])
def test_an_error_in_the_probe_is_raised_where_its_answer_is_taken(
    rig: Rig, error: Exception
) -> None:
    def broken(limit: int) -> LogRead:
        raise error

    rig.log.poll = broken  # type: ignore[method-assign]
    with pytest.raises(type(error)):
        rig.tick(NOW)


def test_a_first_look_reads_everything_however_much_it_is(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(keeping, "_ROWS", 1000)
    monkeypatch.setattr(keeping, "_MOST_ROWS", 2000)
    rig.log.write(b"".join(map(iteration, range(1, 20_001))))
    rig.tick(NOW)
    assert rig.run.state.rows == rig.store.rows.rows == 19_999


class Refusing(MemoryStore):
    """A store that fails on the first commit."""

    def __init__(self, error: Exception) -> None:
        super().__init__()
        self.error = error

    def commit(
        self,
        rows: Columns,
        events: Sequence[Event],
        state: RunState,
        mark: Mark,
        memory: Memory | None = None,
    ) -> None:
        raise self.error


@pytest.mark.parametrize("error", [LeaseHeld("another trainwatch"), RuntimeError("a bug")])
def test_a_run_that_cannot_go_on_leaves_the_others_watched(error: Exception) -> None:
    bad, good = Rig(Refusing(error)), Rig()
    daemon = Daemon([bad.run, good.run], heartbeat_s=30.0)
    for number in (1, 2, 3):
        bad.log.write(iteration(number))
        good.log.write(iteration(number))
        while daemon.tick(NOW + number):
            pass
    assert good.run.status(NOW + 3).iteration == 3
    assert daemon.given_up == {bad.run: error}
    published = bad.store.status
    if isinstance(error, LeaseHeld):
        assert published is None  # it is another's to write
    else:
        assert published is not None
        assert (published.health, published.heartbeat_at) == ("unknown", NOW + 1)
        assert "gave up watching this log: RuntimeError: a bug" in published.reason


def test_a_daemon_that_gave_up_on_every_run_ends_with_why() -> None:
    rig = Rig(Refusing(LeaseHeld("another trainwatch")))
    rig.log.write(iteration(1))
    daemon = Daemon([rig.run], heartbeat_s=30.0)
    with pytest.raises(LeaseHeld):
        daemon.tick(NOW)
    assert Daemon([], heartbeat_s=30.0).tick(NOW) is False


def test_a_clock_that_is_set_back_does_not_stop_the_heartbeat(rig: Rig) -> None:
    rig.log.write(iteration(1))
    rig.tick(NOW)
    rig.tick(NOW - 3600)
    assert rig.store.status is not None
    assert rig.store.status.heartbeat_at == NOW - 3600


def test_an_empty_log_is_not_called_an_unknown_format(rig: Rig) -> None:
    rig.log.write(b"")
    rig.tick(NOW)
    status = rig.run.status(NOW)
    assert (status.health, status.reason) == ("unknown", "the log is empty so far")


def test_a_heartbeat_computes_nothing_again_and_what_is_read_does(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = list[int]()

    def counted(state: RunState, recent: Columns, configured: Facts) -> Figures:
        made.append(state.open.iteration if state.open else 0)
        return figures_of(state, recent, configured)

    monkeypatch.setattr(portrait, "figures_of", counted)
    rig.log.write(iteration(1) + iteration(2))
    rig.tick(NOW)
    before = len(made)
    for number in range(1, 6):
        rig.tick(NOW + 60 * number)
    status = rig.run.status(NOW + 360)
    assert len(made) == before
    assert (status.iteration, status.heartbeat_at) == (2, NOW + 360)
    rig.log.write(iteration(3))
    rig.tick(NOW + 420)
    assert made[-1] == 3
    assert rig.run.status(NOW + 420).iteration == 3


def test_what_people_ask_for_is_kept_and_published_at_once(rig: Rig) -> None:
    rig.log.write(iteration(1))
    rig.tick(NOW)
    rig.tick(NOW + 1)
    asked = AlertRequest(at=NOW, ask="silence", rule="stall", until=NOW + 3600, by="jo")
    rig.store.asked.append(asked)
    rig.tick(NOW + 2)
    status, saved = rig.store.status, rig.store.load()
    assert status is not None
    assert saved is not None
    assert saved.memory is not None
    for book in (status.book, saved.memory.book):
        assert book is not None
        assert [(muted.rule, muted.by) for muted in book.muted] == [("stall", "jo")]


def test_of_what_was_read_only_what_figures_are_made_of_stays_in_memory(rig: Rig) -> None:
    rig.log.write(b"".join(iteration(n) for n in range(1, 2 * RECENT_ROWS)))
    rig.tick(NOW)
    assert "loss" in rig.store.rows.data
    for run in (rig.run, rig.open()):  # which has it from the store
        assert set(run.recent.data) <= set(COLUMNS)
        assert RECENT_ROWS <= run.recent.rows <= 1.25 * RECENT_ROWS
        told = rig.run.state, rig.store.rows.tail(run.recent.rows), Facts()
        assert figures_of(rig.run.state, run.recent, Facts()) == figures_of(*told)
