"""A walk below real folders: what is found, and that it ends."""

import os
from itertools import count
from pathlib import Path

import pytest

from trainwatch.adapters.surroundings import Walked, walk


def at_once() -> float:
    return 0.0


def put(path: Path, at: float = 1_000.0) -> Path:
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("x")
    os.utime(path, (at, at))
    return path


def found(folder: Path, **bounds: int) -> Walked:
    return walk(folder, at_once, 1.0, **bounds)


def test_what_may_be_a_log_the_likeliest_and_newest_first(tmp_path: Path) -> None:
    old, new = put(tmp_path / "a" / "main_log.txt", 1.0), put(tmp_path / "slurm-7.out", 2.0)
    odd, newest = put(tmp_path / "stuff", 9.0), put(tmp_path / "b" / "c" / "train.log", 3.0)
    for name in ("train.py", "model.safetensors", "data.bin", ".hidden", "x.log.gz", "config.json"):
        put(tmp_path / name)
    (tmp_path / "empty.log").touch()
    os.mkfifo(tmp_path / "pipe.log")
    put(tmp_path / ".git" / "logs" / "HEAD")
    assert found(tmp_path).logs == (newest, new, old, odd)


def test_a_log_that_is_a_link_is_one_and_a_folder_that_is_a_link_is_left_alone(
    tmp_path: Path,
) -> None:
    put(tmp_path / "far" / "real.out")
    (tmp_path / "near").mkdir()
    (tmp_path / "near" / "main_log.txt").symlink_to(tmp_path / "far" / "real.out")
    (tmp_path / "near" / "round").symlink_to(tmp_path)
    (tmp_path / "near" / "gone.log").symlink_to("nowhere")
    assert found(tmp_path / "near").logs == (tmp_path / "near" / "main_log.txt",)


ROOTS = {
    "deepspeed": ("global_step100", True),
    "megatron": ("iter_0000100", True),
    "hf": ("checkpoint-100", True),
    "a file of that name": ("checkpoint-100", False),
    "a number without a tracker": ("100", True),
}


@pytest.mark.parametrize("kind", ROOTS)
def test_folders_of_checkpoints(kind: str, tmp_path: Path) -> None:
    name, is_folder = ROOTS[kind]
    root = tmp_path / "ck"
    put(root / name / "shard.log" if is_folder else root / name)
    there = found(tmp_path)
    expected = is_folder and kind != "a number without a tracker"
    assert there.roots == ((root,) if expected else ())
    assert bool(there.logs) == (not expected)  # what is in a checkpoint is not looked at


def test_a_tracker_alone_makes_no_root_and_one_beside_makes_numbers_mean_something(
    tmp_path: Path,
) -> None:
    put(tmp_path / "a" / "latest")
    put(tmp_path / "b" / "latest.txt")
    (tmp_path / "b" / "100").mkdir()
    assert found(tmp_path).roots == (tmp_path / "b",)


def test_folders_of_tensorboard_are_told_once(tmp_path: Path) -> None:
    for number in (1, 2):
        put(tmp_path / "tb" / f"events.out.tfevents.{number}.host")
    assert found(tmp_path).boards == (tmp_path / "tb",)


def test_it_ends_by_its_budgets(tmp_path: Path) -> None:
    for number in range(30):
        put(tmp_path / f"{number}.log", float(number))
    assert found(tmp_path, most_names=10).cut == "only 10 names were looked at"
    some = found(tmp_path, most_logs=4)
    assert [path.name for path in some.logs] == ["29.log", "28.log", "27.log", "26.log"]
    assert some.cut == "only 4 files were looked into"
    seconds = count()
    late = walk(tmp_path, lambda: float(next(seconds)), 5.0)
    assert (late.cut, len(late.logs)) == ("it ended after 5 s", 5)


def test_it_does_not_go_deep(tmp_path: Path) -> None:
    put(tmp_path / "1" / "2" / "3" / "4" / "main.log")
    put(tmp_path / "1" / "2" / "3" / "4" / "5" / "deeper.log")
    assert [path.name for path in found(tmp_path).logs] == ["main.log"]


def test_what_is_no_folder_is_empty(tmp_path: Path) -> None:
    assert found(put(tmp_path / "file")) == Walked()
    assert found(tmp_path / "nowhere") == Walked()
