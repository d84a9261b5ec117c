"""Listing real directories: what is looked at, how often, and what is in the way."""

import errno
import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from tests.adapters.checkpoints.disk import DAY_S, NOW, SHARDS, save, track
from trainwatch.adapters.checkpoints.listing import AGAIN_S, Lister, Seen
from trainwatch.adapters.checkpoints.pace import Pace
from trainwatch.core.errors import UsageError


class Clock:
    """Time that passes in pauses only."""

    def __init__(self) -> None:
        self.now, self.pauses = 0.0, list[float]()

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds


def lister(root: Path, known: dict[str, Seen] | None = None, per_s: float = 1e9) -> Lister:
    clock = Clock()
    return Lister(root, per_s, lambda: clock.now, clock.pause, known)


def test_what_is_there(tmp_path: Path) -> None:
    for n in (9, 10, 100):
        save(tmp_path, n)
    track(tmp_path, 100)
    (tmp_path / "tensorboard").mkdir()
    (tmp_path / "global_step7").write_text("a file of that name")
    seen = lister(tmp_path).look(NOW)
    assert [(one.iteration, one.state) for one in seen.found] == [
        (9, "complete"),
        (10, "complete"),
        (100, "complete"),
    ]
    one = seen.found[0].contents
    assert (one.files, one.bytes, one.optimizer_bytes) == (2, 200, 100)
    assert (one.written_at, one.read_at) == (NOW - 5 * DAY_S, NOW - 5 * DAY_S)
    assert seen.unseen == ()


def test_nested_folders_and_lightning_files_and_their_markers(tmp_path: Path) -> None:
    rank = tmp_path / "iter_0000010" / "mp_rank_00"
    rank.mkdir(parents=True)
    (rank / "distrib_optim.pt").write_bytes(b"1234")
    for name in ("epoch=0-step=5.ckpt", "epoch=0-step=6.ckpt"):
        (tmp_path / name).write_bytes(b"12")
        os.utime(tmp_path / name, (NOW - DAY_S, NOW - DAY_S))
    (tmp_path / "epoch=0-step=6-unfinished").touch()
    seen = lister(tmp_path).look(NOW)
    assert [(one.name, one.state) for one in seen.found] == [
        ("epoch=0-step=5.ckpt", "complete"),
        ("epoch=0-step=6.ckpt", "partial"),
        ("iter_0000010", "unknown"),
    ]
    assert seen.found[2].contents.optimizer_bytes == 4


def test_links_are_left_alone(tmp_path: Path) -> None:
    elsewhere = save(tmp_path / "elsewhere", 10)
    root = tmp_path / "root"
    save(root, 20)
    (root / "global_step10").symlink_to(elsewhere)
    (root / "latest").symlink_to(tmp_path / "anything")
    seen = lister(root).look(NOW)
    assert [one.iteration for one in seen.found] == [20]
    assert seen.left == ("global_step10 is a symbolic link, which is left alone",)
    assert "latest" in seen.trackers[0].trouble


@pytest.mark.parametrize(
    ("make", "said"),
    [
        (lambda root: root.symlink_to("/tmp"), "is a symbolic link: name the folder itself"),
        (lambda root: root.write_text("x"), "is not a folder of checkpoints"),
        (lambda root: None, "No such file or directory"),
    ],
)
def test_a_root_that_is_none(tmp_path: Path, make: Callable[[Path], object], said: str) -> None:
    make(tmp_path / "root")
    with pytest.raises(UsageError, match=said):
        lister(tmp_path / "root").look(NOW)


@pytest.mark.skipif(os.geteuid() != 0, reason="changes its user to one without rights")
def test_a_checkpoint_that_may_not_be_read_is_unknown_and_said(tmp_path: Path) -> None:
    tmp_path.chmod(0o755)
    for parent in (*tmp_path.parents,)[:3]:
        parent.chmod(0o755)
    save(tmp_path, 10)
    folder = save(tmp_path, 20)
    track(tmp_path, 20)
    folder.chmod(0o000)
    os.seteuid(65_534)
    try:
        seen = lister(tmp_path).look(NOW)
    finally:
        os.seteuid(0)
    assert [(one.iteration, one.state) for one in seen.found] == [(10, "unknown"), (20, "unknown")]
    assert seen.unseen == ("global_step20/: Permission denied",)


def test_one_that_vanishes_before_it_is_looked_at_is_none(tmp_path: Path) -> None:
    for n in (10, 20, 30):
        save(tmp_path, n)
    track(tmp_path, 30)

    def meanwhile(done: int, total: int) -> None:
        if done == 0:
            shutil.rmtree(tmp_path / "global_step20")
            save(tmp_path, 40)

    seen = lister(tmp_path).look(NOW, meanwhile)
    assert [(one.iteration, one.state) for one in seen.found] == [
        (10, "complete"),
        (30, "complete"),
    ]
    assert seen.unseen == ()


def test_one_that_vanishes_while_it_is_walked_is_unknown(tmp_path: Path) -> None:
    folder = save(tmp_path, 10, shards=[f"shard{n}" for n in range(9)])
    track(tmp_path, 10)
    clock = Clock()

    def meanwhile(seconds: float) -> None:
        clock.pause(seconds)
        if clock.now > 3.0:
            shutil.rmtree(folder, ignore_errors=True)

    (one,) = Lister(tmp_path, 1.0, lambda: clock.now, meanwhile).look(NOW).found
    assert one.state == "unknown"
    assert 0 < one.contents.files < 9


def test_a_disk_that_fails_makes_unknown_what_it_held(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    for n in (10, 20):
        save(tmp_path, n)
    track(tmp_path, 20)
    scandir = os.scandir

    def failing(path: Path) -> "AbstractContextManager[Iterator[os.DirEntry[str]]]":
        if Path(path).name == "global_step10":
            raise OSError(errno.EIO, os.strerror(errno.EIO), str(path))
        return scandir(path)

    monkeypatch.setattr(os, "scandir", failing)
    seen = lister(tmp_path).look(NOW)
    assert [(one.iteration, one.state) for one in seen.found] == [(10, "unknown"), (20, "complete")]
    assert seen.unseen == ("global_step10/: Input/output error",)


def test_names_that_are_hostile(tmp_path: Path) -> None:
    save(tmp_path, 10)
    for name in (
        "global_step10\n",
        "--global_step11",
        "global_step12 ; rm -rf x",
        "[bold]",
        "\udcff",
    ):
        (tmp_path / name).mkdir()
    (tmp_path / "global_step10" / "a\nb").write_bytes(b"1")
    seen = lister(tmp_path).look(NOW)
    assert [(one.name, one.contents.files) for one in seen.found] == [("global_step10", 3)]


def test_what_did_not_change_is_not_walked_again_for_a_day(tmp_path: Path) -> None:
    for n in (10, 20):
        save(tmp_path, n)
    track(tmp_path, 20)
    listed = lister(tmp_path)
    listed.look(NOW)
    (tmp_path / "global_step10" / SHARDS[0]).write_bytes(
        b""
    )  # in place: the directory shows nothing
    again = lister(tmp_path, listed.known)
    assert [one.contents.bytes for one in again.look(NOW + 60).found] == [200, 200]
    late = again.look(NOW + AGAIN_S + 120)
    assert [(one.contents.bytes, one.state) for one in late.found] == [
        (100, "partial"),
        (200, "complete"),
    ]


def test_a_checkpoint_that_was_seen_complete_stays_so_when_the_tracker_goes_on_with_other_files(
    tmp_path: Path,
) -> None:
    save(tmp_path, 10)
    track(tmp_path, 10)
    listed = lister(tmp_path)
    listed.look(NOW)
    save(tmp_path, 20, shards=(*SHARDS, "zero_pp_rank_1_mp_rank_00_optim_states.pt"))
    track(tmp_path, 20)
    found = lister(tmp_path, listed.known).look(NOW + 2 * AGAIN_S).found
    assert (found[0].state, found[0].why) == ("complete", "it was seen complete before")
    assert lister(tmp_path).look(NOW).found[0].state == "unknown"


def test_files_are_asked_for_at_a_bounded_rate() -> None:
    clock = Clock()
    pace = Pace(100.0, lambda: clock.now, clock.pause)
    for _ in range(501):
        pace.step()
    assert 4.9 < clock.now <= 5.02
    clock.now += 1000.0  # idle for long: no burst afterwards
    began = clock.now
    for _ in range(101):
        pace.step()
    assert 0.9 < clock.now - began <= 1.02
