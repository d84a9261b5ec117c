"""The watcher beside a command is started again when it ends, later each time, and told what it missed."""

import msgspec

from trainwatch.app.running.minding import Minder
from trainwatch.app.running.news import End, Line, News, encoded


class Stub:
    """A watcher that only listens."""

    def __init__(self, pid: int) -> None:
        self.pid, self.heard, self.closed = pid, list[Line](), False

    def tell(self, news: bytes) -> None:
        self.heard.append(msgspec.json.decode(news, type=Line))

    def close(self) -> None:
        self.closed = True


class World:
    """A minder, its watchers so far, what was said, and the clock."""

    def __init__(self, fails: int = 0) -> None:
        self.at, self.said, self.started = 0.0, list[str](), list[Stub]()
        self._fails = fails
        self.minder = Minder(self._start, self.said.append, lambda: self.at)

    def _start(self) -> Stub:
        if self._fails:
            self._fails -= 1
            raise OSError(11, "Resource temporarily unavailable")
        self.started.append(Stub(100 + len(self.started)))
        return self.started[-1]

    def pass_time(self, seconds: float, log: str = "") -> None:
        for _ in range(int(seconds)):
            self.at += 1
            self.minder.beat(log)


def test_it_is_told_only_what_changes() -> None:
    world = World()
    world.pass_time(3)
    world.pass_time(3, "full")
    world.pass_time(3)
    assert [line.log for line in world.started[0].heard] == ["full", ""]


def test_one_that_ends_is_said_and_started_again_and_told_how_it_is() -> None:
    world = World()
    world.pass_time(1, "full")
    world.minder.gone(100, "signal 9")
    assert world.said == [
        "the watcher ended (signal 9); the command goes on, and it is started again in 2 s"
    ]
    assert world.started[0].closed
    world.pass_time(1, "full")
    assert len(world.started) == 1
    world.pass_time(1, "full")
    assert [line.log for line in world.started[1].heard] == ["full"]


def test_one_that_ends_again_and_again_is_started_ever_more_seldom() -> None:
    world = World()
    for _ in range(5):
        world.minder.gone(world.started[-1].pid, "exit code 1")
        world.pass_time(400)
    assert [text.rpartition(" in ")[2] for text in world.said] == [
        "2 s",
        "30 s",
        "300 s",
        "300 s",
        "300 s",
    ]


def test_one_that_cannot_be_started_is_tried_again() -> None:
    world = World(fails=1)
    assert "cannot be started: Resource temporarily unavailable" in world.said[0]
    world.pass_time(2)
    assert len(world.started) == 1


def test_the_end_of_somebody_else_is_nothing() -> None:
    world = World()
    world.minder.gone(7, "exit code 1")
    assert (world.said, world.minder.watches) == ([], True)


def test_after_the_end_it_is_let_go() -> None:
    world = World()
    world.minder.end(End(exit_code=3))
    assert world.started[0].heard == [Line(end=End(exit_code=3))]
    assert world.started[0].closed
    world.minder.gone(100, "exit code 0")
    world.pass_time(10)
    assert (world.said, len(world.started), world.minder.watches) == ([], 1, False)


def test_news_say_when_it_is_over_and_when_nobody_is_left_to_say_so() -> None:
    heard = []
    news = News()
    lines = [encoded(Line(log="full")), encoded(Line(log="")), encoded(Line(main=End(signal=9)))]
    news.listen(lines, lambda: heard.append((news.log, news.wait(0.0))))
    assert heard == [("full", False), ("", False), ("", False), ("", True)]
    assert (news.main, news.end, news.is_cut) == (End(signal=9), None, True)
