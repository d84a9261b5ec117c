"""How all runs are read in the background: what is handed on, what wakes it, and when it rests."""

import queue
import time
from collections.abc import Iterator, Sequence

import pytest

from tests.app.tui.fleets import NOW
from tests.waiting import until
from trainwatch.app.tui.fleetfeed import FleetFeed
from trainwatch.core.model.fleet import Fleet

_PATIENCE_S = 30.0


class Script:
    """Gives one reading after another, each when it is called for; keeps what was in view."""

    def __init__(self) -> None:
        self.asked = queue.Queue[tuple[str, ...]]()
        self.answers = queue.Queue[Fleet]()

    def read(self, in_view: Sequence[str] = ()) -> Fleet:
        self.asked.put(tuple(in_view))
        return self.answers.get(timeout=_PATIENCE_S)

    def answer(self, at: float, unread: int = 0) -> tuple[str, ...]:
        """Let one read come back; returns what it was asked."""
        asked = self.asked.get(timeout=_PATIENCE_S)
        self.answers.put(Fleet(at=at, unread=unread))
        return asked


class Begun:
    """A feed of a script, and what it delivered."""

    def __init__(self) -> None:
        self.script, self.delivered = Script(), queue.Queue[Fleet]()
        self.feed = FleetFeed(self.script)
        self.feed.start()

    def next(self) -> Fleet:
        return self.delivered.get(timeout=_PATIENCE_S)


@pytest.fixture
def begun() -> Iterator[Begun]:
    made = Begun()
    yield made
    made.feed.close()
    made.script.answers.put(Fleet(at=NOW))
    made.feed._thread.join(_PATIENCE_S)
    assert not made.feed._thread.is_alive()


def test_the_first_runs_wait_for_the_others_unless_that_takes_long(begun: Begun) -> None:
    begun.feed.attach(begun.delivered.put)
    begun.script.answer(NOW, unread=300)
    begun.script.answer(NOW + 0.4, unread=200)
    begun.script.answer(NOW + 0.6, unread=100)
    assert begun.next().unread == 100
    begun.script.answer(NOW + 0.7)
    assert begun.next().unread == 0


def test_what_was_read_before_somebody_looked_is_not_lost(begun: Begun) -> None:
    begun.script.answer(NOW)
    begun.script.asked.get(timeout=_PATIENCE_S)  # it reads again: the first is kept by now
    seen = begun.feed.attach(begun.delivered.put)
    assert seen is not None
    assert seen.at == NOW


def test_what_comes_into_view_is_read_soon(begun: Begun) -> None:
    assert begun.script.answer(NOW) == ()
    begun.feed.want(("a", "b"))
    assert begun.script.answer(NOW) == ("a", "b")


def test_nothing_is_read_while_nobody_looks(begun: Begun) -> None:
    begun.feed.attach(begun.delivered.put)
    begun.feed.pause(paused=True)
    begun.script.answer(NOW)
    begun.next()
    with pytest.raises(queue.Empty):
        begun.script.asked.get(timeout=2.5)
    begun.feed.pause(paused=False)
    begun.script.answer(NOW)
    assert begun.next().at == NOW


def test_a_disk_that_does_not_answer_takes_no_core() -> None:
    class Stuck:
        reads = 0

        def read(self, in_view: Sequence[str] = ()) -> Fleet:
            del in_view
            self.reads += 1
            return Fleet(at=NOW, unread=5)

    source, began = Stuck(), time.monotonic()
    feed = FleetFeed(source)
    feed.start()
    until(lambda: source.reads >= 5, "reading on")
    feed.close()
    assert time.monotonic() - began >= 0.1  # as fast as it can, it reads 5 times in 0.05 ms
