"""Watched folders with real files: core dumps, links, pipes, and more entries than may be looked at."""

import os
import signal
import subprocess
from pathlib import Path

import pytest

from tests.core.test_strays import elf
from trainwatch.adapters import strays
from trainwatch.core.strays import Found


@pytest.fixture
def waits() -> list[float]:
    return []


def found(waits: list[float], *patterns: str | Path, **limits: int) -> list[str]:
    scan = strays.scan([str(pattern) for pattern in patterns], waits.append, **limits)
    return sorted(Path(one.path).name for one in scan.found)


def test_core_files_and_outputs_two_levels_deep(tmp_path: Path, waits: list[float]) -> None:
    deep = tmp_path / "a" / "b"
    (deep / "c").mkdir(parents=True)
    (tmp_path / "core").write_bytes(elf(4) + bytes(100))
    (deep / "core.n1.7").write_bytes(elf(4))
    (deep / "c" / "core.8").write_bytes(elf(4))  # too deep
    (tmp_path / "core.9").write_bytes(b"import os, sys, re, json\n")
    (tmp_path / "vgcore.1").write_bytes(elf(2))
    (tmp_path / "main_log.txt").write_bytes(b"x" * 50)
    (tmp_path / "weights.bin").write_bytes(b"x" * 50)
    scan = strays.scan([str(tmp_path)], waits.append)
    assert sorted(scan.found) == [
        Found(str(deep / "core.n1.7"), "core", 18),
        Found(str(tmp_path / "core"), "core", 118),
        Found(str(tmp_path / "main_log.txt"), "output", 50),
    ]
    assert scan.troubles == ()


def test_nothing_is_followed_and_nothing_is_waited_for(tmp_path: Path, waits: list[float]) -> None:
    outside = tmp_path / "outside"
    outside.mkdir()
    (outside / "core").write_bytes(elf(4))
    inside = tmp_path / "inside"
    inside.mkdir()
    (inside / "folder").symlink_to(outside)
    (inside / "core.1").symlink_to(outside / "core")
    (inside / "loop").symlink_to(inside)
    os.mkfifo(inside / "core.2")
    (inside / "core.3").mkdir()
    assert found(waits, inside) == []
    (tmp_path / "named").symlink_to(outside)
    assert found(waits, tmp_path / "named") == ["core"]  # somebody said so


def test_globs(tmp_path: Path, waits: list[float]) -> None:
    for name in ("run1", "run2", "other"):
        (tmp_path / name).mkdir()
        (tmp_path / name / f"{name}.out").touch()
    (tmp_path / "run3").touch()
    assert found(waits, tmp_path / "run*") == ["run1.out", "run2.out"]


def test_so_many_entries_and_so_many_stats_a_second(tmp_path: Path, waits: list[float]) -> None:
    for number in range(300):
        (tmp_path / f"{number:03}.out").touch()
    assert len(found(waits, tmp_path)) == 300
    assert waits == [0.25] * 6
    scan = strays.scan([str(tmp_path)], waits.append, most_entries=100)
    assert len(scan.found) == 100
    assert scan.troubles == (
        f"{tmp_path}: only the first 100 entries of the watched folders are looked at",
    )


def test_folders_that_cannot_be_read(tmp_path: Path, waits: list[float]) -> None:
    scan = strays.scan([str(tmp_path / "gone"), str(tmp_path)], waits.append)
    assert scan.troubles == (f"{tmp_path / 'gone'}: No such file or directory",)


def test_a_core_file_that_the_kernel_wrote(tmp_path: Path, waits: list[float]) -> None:
    pattern = Path("/proc/sys/kernel/core_pattern").read_text().strip()
    if pattern not in ("core", "core.%p"):
        pytest.skip(f"core files go elsewhere here: {pattern}")
    done = subprocess.run(
        ["sh", "-c", "ulimit -c unlimited && kill -SEGV $$"], cwd=tmp_path, capture_output=True
    )
    if done.returncode != -signal.SIGSEGV or not list(tmp_path.iterdir()):
        pytest.skip("this machine writes no core files")
    (name,) = found(waits, tmp_path)
    assert name.startswith("core")
