"""`quota`: its answers in several versions, literally."""

import pytest

from tests.core.disks.quotas.answers import ADA, AT, DAY_S, KIB, QUOTA_HEAD, numbers, parsed
from tests.core.slurm.answering import unreadable
from trainwatch.core.disks import table
from trainwatch.core.disks.values import Allowance, Asked


@pytest.mark.parametrize(
    ("row", "seen"),
    {
        "-w -p": ("/dev/sda1 2048 4096 8192 0 12 100 200 0", (2, 4, 8, 12, 100, 200)),
        "an empty grace is no column": (
            "  /dev/sda1  2048  4096 8192    12 100 200",
            (2, 4, 8, 12, 100, 200),
        ),
        "a name on a line of its own": (
            "/dev/mapper/a-very-long-name\n    2048  0  8192      12  0   200",
            (2, None, 8, 12, None, 200),
        ),
        "-s": ("reed:/export/8 2048K 4M 8M 12 1k 2k", (2, 4, 8, 12, 1000, 2000)),
    }.values(),
)  # fmt: skip
def test_quota(row: str, seen: tuple[int | None, ...]) -> None:
    found = numbers(parsed("quota", f"{QUOTA_HEAD}{row}\n"))
    assert (*(None if x is None else x // KIB**2 for x in found[:3]), *found[3:]) == seen


@pytest.mark.parametrize(
    ("grace", "until"),
    [
        ("1790086400", AT + DAY_S),  # -p
        ("6days", AT + 6 * DAY_S),
        ("23:59", AT + 86_340),
        ("none", AT),
    ],
)
def test_quota_over_a_soft_limit_ends_with_its_grace(grace: str, until: float) -> None:
    row = f"/dev/sda1 5000* 4096 8192 {grace} 12 100 200{' 0' if grace.isdigit() else ''}"
    found = parsed("quota", f"{QUOTA_HEAD}{row}\n")
    assert found.bytes == Allowance(
        used=5000 * KIB, soft=4096 * KIB, hard=8192 * KIB, grace_until=until
    )
    assert found.inodes.grace_until is None
    assert found.bytes.free(until - 1) == 3192 * KIB
    assert found.bytes.free(until) == 0


def test_quota_over_its_limit_of_files() -> None:
    found = parsed("quota", f"{QUOTA_HEAD}/dev/sda1 1 0 8192 250* 100 300 6days\n")
    assert (found.bytes.grace_until, found.inodes.grace_until) == (None, AT + 6 * DAY_S)
    assert found.inodes.free(AT) == 50


def test_quota_of_several_filesystems_is_that_of_the_path() -> None:
    text = f"{QUOTA_HEAD}/dev/a 1 0 10 0 1 0 0 0\n/dev/b 2 0 10 0 1 0 0 0\n"
    mounted = Asked(path="/b/x", names=("/dev/b", "/b"))
    assert parsed("quota", text, mounted).bytes.used == 2 * KIB
    named = Asked(path="/b/x", names=("/dev/b",), filesystem="a")
    assert parsed("quota", text, named).bytes.used == KIB
    assert unreadable(lambda: parsed("quota", text)) == (
        "none of these filesystems is meant: /dev/a, /dev/b; set filesystem to one"
    )


def test_what_quota_is_asked() -> None:
    assert table.argv("quota", ADA) == ["quota", "-v", "-w", "-p", "-u", "ada"]
    assert table.argv("quota", Asked(path="/s", project="7"))[-2:] == ["-P", "7"]
    own = Asked(path="/s", command=("ssh", "login", "quota"))
    assert table.argv("quota", own) == ["ssh", "login", "quota"]
