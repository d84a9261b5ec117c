"""The log of a command that we write ourselves: where it begins, and when its silence says nothing."""

from pathlib import Path

from trainwatch.adapters.tail import Follower
from trainwatch.app.running.ownlog import OwnLog

OLD, NEW = b"old 1\nold 2\n", b"new 1\n"


def test_what_was_there_before_is_read_by_itself(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(OLD + NEW)
    follower = Follower(log, pause_at=len(OLD))
    first, second, third = (follower.poll(1 << 20) for _ in range(3))
    assert (first.data, first.more) == (OLD, False)
    assert (second.data, second.offset) == (NEW, len(OLD))
    assert third.state == "quiet"


def test_a_log_that_was_empty_is_first_seen_empty(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(NEW)
    follower = Follower(log, pause_at=0)
    assert [follower.poll(1 << 20).data for _ in range(2)] == [b"", NEW]


def test_a_watcher_that_goes_on_behind_that_place_pauses_nowhere(tmp_path: Path) -> None:
    log = tmp_path / "run.log"
    log.write_bytes(OLD + NEW)
    before = Follower(log)
    before.poll(1 << 20)
    with log.open("ab") as file:
        file.write(b"new 2\n")
    after = Follower(log, before.mark, pause_at=len(OLD))
    assert b"".join(after.poll(1 << 20).data for _ in range(2)) == b"new 2\n"


def test_while_it_cannot_be_written_its_silence_is_blindness(tmp_path: Path) -> None:
    log, trouble = tmp_path / "run.log", ["full"]
    log.write_bytes(NEW)
    own = OwnLog(Follower(log), lambda: trouble[0])
    assert own.poll(1 << 20).data == NEW  # what is in it is read all the same
    assert (own.poll(1 << 20).state, own.poll(1 << 20).why) == ("unreadable", "full")
    trouble[0] = ""
    assert own.poll(1 << 20).state == "quiet"
