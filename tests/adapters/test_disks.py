"""Room on real filesystems, and quota commands that are real programs: some hang, some never stop talking."""

import os
import subprocess
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.waiting import waits
from trainwatch.adapters import disks
from trainwatch.core.disks.values import Asked, Room
from trainwatch.core.errors import DiskUnknown

MIB = 2**20


@pytest.fixture
def small(tmp_path: Path) -> Iterator[Path]:
    """A filesystem of 4 MiB and 64 inodes."""
    place = tmp_path / "small"
    place.mkdir()
    mounting = ["mount", "-t", "tmpfs", "-o", "size=4m,nr_inodes=64", "tmpfs", str(place)]
    done = subprocess.run(mounting, capture_output=True, text=True)
    if done.returncode:
        pytest.skip(f"no filesystem can be mounted here: {done.stderr.strip()}")
    yield place
    subprocess.run(["umount", "-l", str(place)], check=True)


def program(folder: Path, script: str) -> str:
    path = folder / "myquota"
    path.write_text(f"#!/bin/sh\n{script}\n")
    path.chmod(0o755)
    return str(path)


def asked(path: str, pattern: str = r"free (?P<bytes_free>\d+)", *more: str) -> Asked:
    return Asked(path="/s", command=(path, *more), pattern=pattern)


def why(path: str, deadline_s: float = 20.0) -> str:
    with pytest.raises(DiskUnknown) as failed:
        disks.quota("own", asked(path), 0.0, deadline_s)
    return str(failed.value).replace(path, "myquota")


def test_room_of_a_filesystem_as_it_fills(small: Path) -> None:
    empty = disks.room(str(small))
    assert (empty.bytes_total, empty.inodes_total) == (4 * MIB, 64)
    (small / "big").write_bytes(b"x" * MIB)
    for number in range(10):
        (small / f"f{number}").touch()
    filled = disks.room(str(small))
    assert (filled.bytes_free, filled.inodes_free) == (3 * MIB, (empty.inodes_free or 0) - 11)
    for number in range(60):
        if disks.room(str(small)).inodes_free == 0:
            break
        (small / f"g{number}").touch()
    assert disks.room(str(small)).inodes_free == 0


def test_room_is_what_df_says(tmp_path: Path) -> None:
    said = subprocess.run(
        ["df", "-P", "-B1", str(tmp_path)], capture_output=True, text=True, check=True
    )
    used, free = (int(word) for word in said.stdout.splitlines()[1].split()[2:4])
    found = disks.room(str(tmp_path))
    assert found.bytes_total == pytest.approx(used + free, rel=0.01)
    assert found.bytes_free == pytest.approx(free, rel=0.01)


def test_a_filesystem_that_counts_no_inodes() -> None:
    found = disks.room("/proc")
    assert (found.inodes_total, found.inodes_free) == (None, None)


def test_no_such_folder(tmp_path: Path) -> None:
    with pytest.raises(DiskUnknown, match="No such file or directory"):
        disks.room(str(tmp_path / "gone"))


def test_what_a_filesystem_is_called(small: Path) -> None:
    inside = small / "a" / "b"
    inside.mkdir(parents=True)
    assert disks.names(str(inside)) == ("tmpfs", str(small))
    link = small.parent / "link"
    link.symlink_to(inside)
    assert disks.names(str(link)) == ("tmpfs", str(small))


def test_a_command_that_answers(tmp_path: Path) -> None:
    path = program(tmp_path, 'echo "free 42"; echo warning >&2')
    assert disks.quota("own", asked(path), 0.0, 20.0).bytes.free(0.0) == 42


def test_a_command_that_fails_as_somebody_is_over_a_limit_has_answered(tmp_path: Path) -> None:
    row = "/dev/a 5000* 4096 8192 0 12 0 0 0"
    path = program(tmp_path, f"echo 'Disk quotas for user a (uid 1):'; echo '{row}'; exit 1")
    found = disks.quota("quota", Asked(path="/s", command=(path,)), 0.0, 20.0)
    assert found.bytes.used == 5000 * 1024


@pytest.mark.parametrize(
    ("script", "said"),
    [
        ("echo 'no such user: ada' >&2; exit 1", "myquota: no such user: ada"),
        ("exit 3", "myquota: failed with 3"),
        ("echo hello", "myquota: the pattern finds nothing in its answer: hello"),
        ("echo token=hf_abcdefghijklmnop", "finds nothing in its answer: token=***"),
        ("kill -9 $$", "myquota: failed with -9"),
        ("echo token=hf_abcdefghijklmnop >&2; exit 1", "myquota: token=***"),
    ],
)
def test_a_command_that_does_not_answer(tmp_path: Path, script: str, said: str) -> None:
    assert why(program(tmp_path, script)).endswith(said)


def test_a_command_that_is_not_there(tmp_path: Path) -> None:
    path = str(tmp_path / "none")
    assert why(path) == "myquota cannot be run here: No such file or directory"


def test_a_command_that_hangs_is_killed_with_its_children(tmp_path: Path) -> None:
    pids = tmp_path / "pids"
    path = program(tmp_path, f"sleep 300 & echo $! > {pids}; echo $$ >> {pids}; wait")
    began = time.monotonic()
    assert why(path, 0.5) == "myquota gave no answer in 0.5 s"
    assert time.monotonic() - began < 10
    for pid in pids.read_text().split():
        assert dies(int(pid))


def test_a_child_that_keeps_the_pipe_open_is_no_reason_to_wait_for_ever(tmp_path: Path) -> None:
    assert "gave no answer" in why(program(tmp_path, "echo 'free 1'; sleep 300 &"), 0.3)


def test_a_command_that_does_not_stop_talking(tmp_path: Path) -> None:
    assert why(program(tmp_path, "yes")) == "myquota does not stop talking: that is no quota"


def test_a_command_is_asked_in_plain_english(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("LC_ALL", "fr_FR.UTF-8")
    path = program(tmp_path, '[ "$LC_ALL" = C ] && echo free 7; cat >/dev/null')
    assert disks.quota("own", asked(path), 0.0, 20.0).bytes.free(0.0) == 7


def test_no_shell_reads_its_arguments(tmp_path: Path) -> None:
    path = program(tmp_path, 'echo "free ${#2}"')
    odd = "$(touch gone); `id`"
    found = disks.quota("own", asked(path, r"free (?P<bytes_free>\d+)", "-u", odd), 0.0, 20.0)
    assert found.bytes.free(0.0) == len(odd)


def test_room_is_a_value() -> None:
    assert disks.room(os.sep) != Room()


def dies(pid: int) -> bool:
    """Whether it ends in time: the kernel may take a moment to carry out a SIGKILL."""
    return waits(lambda: not lives(pid))


def lives(pid: int) -> bool:
    """Whether it is there and no zombie."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except OSError:
        return False
