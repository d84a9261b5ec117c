"""Requests left for a watcher: each is taken once, in order, whatever else lies in the folder."""

import os
import stat
from pathlib import Path

import pytest

from trainwatch.adapters.store import requests
from trainwatch.adapters.store.requests import leave, take
from trainwatch.core.errors import StoreUnusable
from trainwatch.core.model.observations import AlertRequest


def request(at: float, why: str = "") -> AlertRequest:
    return AlertRequest(at=at, ask="silence", rule="stall", until=at + 60, by="me", why=why)


def test_they_are_taken_once_the_oldest_first(tmp_path: Path) -> None:
    left = [request(at, why="[/bold] \x1b é") for at in (3.0, 1.0, 2.0)]
    for each in left:
        leave(tmp_path / "run", each)
    assert take(tmp_path / "run") == sorted(left, key=lambda each: each.at)
    assert take(tmp_path / "run") == []
    assert list((tmp_path / "run" / "requests").iterdir()) == []


def test_where_nothing_was_ever_left_there_is_nothing(tmp_path: Path) -> None:
    assert take(tmp_path / "nowhere") == []


def test_nobody_else_can_read_them(tmp_path: Path) -> None:
    leave(tmp_path / "run", request(1.0))
    (path,) = (tmp_path / "run" / "requests").iterdir()
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"{",
        b"\xff\xfe",
        b"[]",
        b'{"at": 1}',
        b'{"at": "x", "ask": "ack"}',
        b'{"at":1,"ask":"?"}',
    ],
)
def test_a_damaged_one_is_removed_and_the_others_are_taken(tmp_path: Path, data: bytes) -> None:
    leave(tmp_path, request(1.0))
    damaged = tmp_path / "requests" / "0.json"
    damaged.write_bytes(data)
    assert take(tmp_path) == [request(1.0)]
    assert not damaged.exists()


def test_one_that_is_far_too_long_is_removed(tmp_path: Path) -> None:
    leave(tmp_path, request(1.0, why="x" * 100_000))
    assert take(tmp_path) == []
    assert list((tmp_path / "requests").iterdir()) == []


def test_what_is_no_request_is_left_alone(tmp_path: Path) -> None:
    leave(tmp_path, request(1.0))
    place = tmp_path / "requests"
    os.mkfifo(place / "pipe.json")
    (place / "folder.json").mkdir()
    (place / ".half.tmp").write_text("{")
    (place / "link.json").symlink_to("/dev/zero")
    assert take(tmp_path) == [request(1.0)]
    assert len(list(place.iterdir())) == 4


def test_one_that_cannot_be_removed_is_not_taken_again_and_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(path: Path, missing_ok: bool = False) -> None:
        raise PermissionError(13, "Permission denied", str(path))

    leave(tmp_path, request(1.0))
    with monkeypatch.context() as patched:
        patched.setattr(Path, "unlink", refuse)
        assert take(tmp_path) == []
    assert take(tmp_path) == [request(1.0)]


def test_a_flood_is_taken_in_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(requests, "_MOST", 2)
    for at in range(5):
        leave(tmp_path, request(float(at)))
    assert [len(take(tmp_path)) for _ in range(4)] == [2, 2, 1, 0]


def test_where_it_cannot_be_left_it_says_what_to_do(tmp_path: Path) -> None:
    (tmp_path / "requests").write_text("in the way")
    with pytest.raises(StoreUnusable, match="--state-dir"):
        leave(tmp_path, request(1.0))
