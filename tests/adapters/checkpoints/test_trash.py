"""The trash on real directories: killed at every step, undone, emptied, and what it will not touch."""

import os
import shutil
import subprocess
from contextlib import suppress
from io import RawIOBase
from itertools import count
from pathlib import Path
from time import time

import pytest
from msgspec.structs import replace

from tests.adapters.checkpoints.disk import NOW, names, save, track
from tests.dying import dies_at
from trainwatch.adapters.checkpoints.listing import Lister
from trainwatch.adapters.checkpoints.trash import FOLDER, Trash
from trainwatch.core import retention, rounds
from trainwatch.core.errors import LeaseHeld, TrainwatchError
from trainwatch.core.model.plans import Outcome, Plan, Removed
from trainwatch.core.model.policies import Policy, Round
from trainwatch.core.retention import Pinned
from trainwatch.core.rounds import Stopped

ROUND = Round(target=40, save_interval=10)
ALL = list(range(10, 80, 10))


@pytest.fixture
def root(tmp_path: Path) -> Path:
    """10 to 70, the last of which the tracker names."""
    root = tmp_path / "checkpoints"
    for n in ALL:
        save(root, n)
    track(root, 70)
    return root


def trash_of(root: Path) -> Trash:
    return Trash(root, lambda: 0.0, lambda _: None)


def listed(root: Path) -> Lister:
    return Lister(root, 1e9, lambda: 0.0, lambda _: None)


def prune(root: Path) -> Outcome:
    trash = trash_of(root)
    plan = retention.plan(str(root), listed(root).look(NOW), Policy(last=2), Pinned())
    with trash.held():
        return trash.apply(plan, time(), "me")


def finish(root: Path) -> Outcome:
    seen = listed(root).look(NOW)
    plan = rounds.plan(str(root), seen, 1, ROUND, Stopped(proof="it is"))
    trash = trash_of(root)
    with trash.held():
        return trash.apply(plan, time(), "me")


def undo_all(root: Path) -> None:
    trash = trash_of(root)
    with trash.held():
        for operation in reversed(trash.operations()):
            if operation.state in ("done", "undoing"):
                assert trash.undo(operation).failed == ()


def empty_all(root: Path) -> None:
    trash = trash_of(root)
    with trash.held():
        for operation in trash.operations():
            assert trash.empty(operation, 1e9).failed == ()


def whole(root: Path, iterations: list[int]) -> bool:
    return all(len(list((root / f"global_step{n}").iterdir())) == 2 for n in iterations)


def latest(root: Path) -> int:
    return int((root / "latest").read_text().removeprefix("global_step"))


def test_prune_moves_and_undo_moves_back(root: Path) -> None:
    done = prune(root)
    assert (len(done.done), done.bytes, done.failed) == (5, 1000, ())
    assert names(root) == [60, 70]
    operation = trash_of(root).operations()[0]
    assert [each.why for each in operation.removed] == ["no policy keeps it"] * 5
    assert len(trash_of(root).holds(operation)) == 5
    undo_all(root)
    assert names(root) == ALL
    assert trash_of(root).operations()[0].state == "undone"


def test_a_finished_round_is_taken_back_with_its_tracker(root: Path) -> None:
    finish(root)
    assert (names(root), latest(root)) == ([10, 20, 30, 40], 40)
    undo_all(root)
    assert (names(root), latest(root)) == (ALL, 70)


def test_emptied_it_is_gone_and_cannot_be_undone(root: Path) -> None:
    prune(root)
    empty_all(root)
    operation = trash_of(root).operations()[0]
    assert (operation.state, trash_of(root).holds(operation)) == ("emptied", ())
    assert [path.name for path in (root / FOLDER).iterdir()] == [f"{operation.id}.json"]


@pytest.mark.parametrize("what", ["prune", "finish"])
def test_killed_at_every_step_nothing_kept_is_harmed_and_the_next_run_completes(
    root: Path, what: str
) -> None:
    do, stays = {"prune": (prune, [60, 70]), "finish": (finish, [10, 20, 30, 40])}[what]
    for step in count(1):
        died = dies_at(step, lambda: do(root))
        _unlock(root)
        assert whole(root, stays)
        assert latest(root) in names(root)
        assert whole(root, names(root))
        do(root)
        assert names(root) == stays
        died_back = dies_at(step, lambda: undo_all(root))
        _unlock(root)
        assert latest(root) in names(root)
        undo_all(root)
        assert (names(root), latest(root)) == (ALL, 70)
        assert whole(root, ALL)
        shutil.rmtree(root / FOLDER)
        if not died and not died_back:
            break
    assert step > 15


def test_killed_at_every_step_of_emptying_the_next_run_empties(root: Path) -> None:
    for step in count(1):
        prune(root)
        died = dies_at(step, lambda: empty_all(root))
        _unlock(root)
        assert whole(root, [60, 70])
        empty_all(root)
        assert [operation.state for operation in trash_of(root).operations()] == ["emptied"]
        shutil.rmtree(root / FOLDER)
        for n in ALL[:5]:
            save(root, n)
        if not died:
            break
    assert step > 20


def _unlock(root: Path) -> None:
    """The next run waits for a dead process's lock to expire; here nobody waits."""
    for path in (root / FOLDER).glob("lock*"):
        path.unlink()


def test_an_older_operation_whose_tracker_was_written_since_is_not_forced(root: Path) -> None:
    finish(root)
    track(root, 30)
    with pytest.raises(TrainwatchError, match="somebody else wrote it"):
        undo_all(root)
    assert latest(root) == 30


def test_a_tracker_that_somebody_else_wrote_meanwhile_stops_everything(root: Path) -> None:
    plan = rounds.plan(str(root), listed(root).look(NOW), 1, ROUND, Stopped(proof="it is"))
    track(root, 60)
    with pytest.raises(TrainwatchError, match="somebody else wrote it"):
        trash_of(root).held().__enter__() or trash_of(root).apply(plan, NOW, "me")
    assert (names(root), latest(root)) == (ALL, 60)


def test_when_the_proof_is_gone_it_stops_where_it_is(root: Path) -> None:
    plan = retention.plan(str(root), listed(root).look(NOW), Policy(last=2), Pinned())
    asked = iter(["", "", "a job runs now", "a job runs now", "a job runs now"])
    trash = trash_of(root)
    with trash.held():
        done = trash.apply(plan, NOW, "me", lambda: next(asked))
    assert len(done.done) == 2
    assert done.failed[0] == "global_step30: a job runs now"
    assert names(root) == [30, 40, 50, 60, 70]


def test_one_that_cannot_be_moved_does_not_stop_the_rest(root: Path) -> None:
    plan = retention.plan(str(root), listed(root).look(NOW), Policy(last=2), Pinned())
    shutil.rmtree(root / "global_step20")
    (root / "global_step30").rename(root / "away")
    (root / "global_step30").symlink_to(root / "away")
    trash = trash_of(root)
    with trash.held():
        done = trash.apply(plan, NOW, "me")
    assert done.failed == (
        "global_step20: global_step20 is gone",
        "global_step30: global_step30 is a symbolic link",
    )
    assert names(root) == [30, 60, 70]
    assert whole(root, [60, 70])
    assert (root / "away").is_dir()


@pytest.mark.parametrize("name", ["../elsewhere", "global_step10/x", "tensorboard", "", "."])
def test_a_name_that_is_no_checkpoints_is_never_moved(root: Path, name: str) -> None:
    (root / "tensorboard").mkdir()
    (root.parent / "elsewhere").mkdir()
    odd = Removed(name=name, iteration=1, bytes=0, files=0, why="")
    trash = trash_of(root)
    with trash.held():
        done = trash.apply(Plan(root=str(root), kind="prune", remove=(odd,)), NOW, "me")
    assert done.done == ()
    assert (root / "tensorboard").is_dir()
    assert (root.parent / "elsewhere").is_dir()


def test_links_inside_a_checkpoint_are_removed_and_never_followed(root: Path) -> None:
    precious = root.parent / "precious"
    precious.mkdir()
    (precious / "file").write_text("x")
    (root / "global_step10" / "folder").symlink_to(precious)
    (root / "global_step10" / "file").symlink_to(precious / "file")
    prune(root)
    empty_all(root)
    assert (precious / "file").read_text() == "x"
    assert trash_of(root).operations()[0].state == "emptied"


def test_a_trash_that_is_a_link_is_refused(root: Path) -> None:
    (root / FOLDER).symlink_to(root.parent)
    with pytest.raises(TrainwatchError, match="symbolic link"), trash_of(root).held():
        pass


def test_two_at_once_are_refused(root: Path) -> None:
    with (
        trash_of(root).held(),
        pytest.raises(LeaseHeld, match="another trainwatch"),
        trash_of(root).held(),
    ):
        pass


def test_a_damaged_operation_is_named(root: Path) -> None:
    prune(root)
    path = next((root / FOLDER).glob("*.json"))
    path.write_text("{")
    with pytest.raises(TrainwatchError, match=r"\.json is damaged"):
        trash_of(root).operations()


def test_a_plan_that_was_refused_is_not_done(root: Path) -> None:
    plan = retention.plan(str(root), listed(root).look(NOW), Policy(last=2), Pinned())
    with pytest.raises(TrainwatchError, match="because"):
        trash_of(root).apply(replace(plan, refused=("because",)), NOW, "me")
    assert names(root) == ALL


def _takes(file: RawIOBase) -> bool:
    with suppress(OSError):
        return bool(file.write(b"x" * 4096))
    return False


@pytest.mark.skipif(os.geteuid() != 0, reason="mounts a small filesystem")
def test_on_a_full_disk_nothing_is_done_that_cannot_be_written_down(tmp_path: Path) -> None:
    place = tmp_path / "small"
    place.mkdir()
    mounted = ["mount", "-t", "tmpfs", "-o", "size=1m", "tmpfs", str(place)]
    if subprocess.run(mounted, capture_output=True, check=False).returncode:
        pytest.skip("this machine mounts no tmpfs")
    try:
        root = place / "checkpoints"
        for n in ALL:
            save(root, n)
        track(root, 70)
        with (place / "fill").open("wb", buffering=0) as file:
            while _takes(file):
                pass
        with pytest.raises((TrainwatchError, LeaseHeld)):
            prune(root)
        assert names(root) == ALL
        (place / "fill").unlink()
        prune(root)
        assert names(root) == [60, 70]
    finally:
        subprocess.run(["umount", str(place)], check=True)
