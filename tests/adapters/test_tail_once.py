"""The follower of whoever polls but once, and what tells a log from another in its place."""

import os
from pathlib import Path

import pytest

from tests.adapters.test_tail import LIMIT, drain, follower, lines, polls
from trainwatch.adapters.tail import Follower


def test_who_polls_once_sees_another_log_in_its_place(tmp_path: Path) -> None:
    path, waited = tmp_path / "log", list[str]()
    path.write_bytes(lines("a", 10))
    log = follower(path)
    drain(log)
    log.close()
    path.write_bytes(lines("quite another log", 100))
    again = Follower(path, log.mark, wait=lambda: waited.append("a moment"))
    assert again.poll(LIMIT).data == lines("quite another log", 100)
    assert again.mark.generation == 1
    assert waited == ["a moment"]


def test_a_shorter_log_that_begins_alike_is_another(tmp_path: Path) -> None:
    path, header = tmp_path / "log", lines("+ set -x of the same script", 20)
    path.write_bytes(header + lines("a", 1000))
    log = follower(path)
    drain(log)
    log.close()
    path.write_bytes(header + lines("b", 5))
    again = follower(path, log.mark)
    assert b"".join(r.data for r in polls(again, 5)) == header + lines("b", 5)


@pytest.mark.parametrize("size", [0, 1000], ids=["emptied", "shorter"])
def test_who_polls_once_does_not_believe_a_size(tmp_path: Path, size: int) -> None:
    path, waited = tmp_path / "log", list[str]()
    path.write_bytes(lines("a", 3000))
    log = follower(path)
    drain(log)
    log.close()
    os.truncate(path, size)
    again = Follower(path, log.mark, wait=lambda: waited.append("a moment"))
    assert again.poll(LIMIT).state == "quiet"
    assert (again.mark, waited) == (log.mark, [])


def test_who_polls_once_believes_its_second_look(tmp_path: Path) -> None:
    path = tmp_path / "log"
    path.write_bytes(lines("a", 10))
    log = follower(path)
    drain(log)
    log.close()
    path.write_bytes(lines("b", 10))  # what another machine's cache still held
    again = Follower(path, log.mark, wait=lambda: path.write_bytes(lines("a", 11)))
    assert again.poll(LIMIT).data == lines("a", 1, 10)
    assert again.mark.generation == 0
