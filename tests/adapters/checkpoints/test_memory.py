"""What was seen is there after a restart; anything else costs a walk only."""

from pathlib import Path

import pytest

from tests.adapters.checkpoints.disk import NOW, SHARDS, save, track
from trainwatch.adapters.checkpoints import memory
from trainwatch.adapters.checkpoints.listing import Lister


def lister(root: Path, path: Path) -> Lister:
    return Lister(root, 1e9, lambda: 0.0, lambda _: None, memory.load(path, root))


def test_a_restart_walks_nothing_that_it_knows(tmp_path: Path) -> None:
    root, path = tmp_path / "root", tmp_path / memory.FILE
    for n in (10, 20):
        save(root, n)
    track(root, 20)
    first = lister(root, path)
    first.look(NOW)
    memory.save(path, root, first.known)
    (root / "global_step10" / SHARDS[0]).write_bytes(b"")  # in place: only a walk would see it
    seen = lister(root, path).look(NOW + 60)
    assert [one.contents.bytes for one in seen.found] == [200, 200]
    assert [one.name for one in tmp_path.iterdir() if "tmp" in one.name] == []


@pytest.mark.parametrize("data", [b"", b"{", b"\xff", b'{"version": 2, "root": "x"}', b"[]"])
def test_what_is_damaged_or_newer_is_nothing(tmp_path: Path, data: bytes) -> None:
    (tmp_path / memory.FILE).write_bytes(data)
    assert memory.load(tmp_path / memory.FILE, Path("x")) == {}


def test_of_another_root_nothing_is_known(tmp_path: Path) -> None:
    root, path = tmp_path / "root", tmp_path / memory.FILE
    save(root, 10)
    listed = lister(root, path)
    listed.look(NOW)
    memory.save(path, root, listed.known)
    assert memory.load(path, root) != {}
    assert memory.load(path, tmp_path / "other") == {}
    memory.save(tmp_path / "nowhere" / "x", root, listed.known)
