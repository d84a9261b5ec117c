"""Room and quota make one reading: whichever ends first. Sizes as they are written."""

import pytest

from trainwatch.core.disks import sizes
from trainwatch.core.disks.reading import reading
from trainwatch.core.disks.values import Allowance, Quota, Room

ROOM = Room(bytes_total=1000, bytes_free=100, inodes_total=50, inodes_free=40)


def test_a_filesystem_without_a_quota() -> None:
    seen = reading(5.0, "/scratch", "/scratch", ROOM)
    assert (seen.at, seen.path, seen.folder) == (5.0, "/scratch", "")
    assert (seen.bytes_total, seen.bytes_free, seen.inodes_total, seen.inodes_free) == (
        *(1000, 100),
        *(50, 40),
    )


@pytest.mark.parametrize(
    ("allowed", "seen"),
    [
        (Allowance(used=10, hard=30), (30, 20)),
        (Allowance(used=10, soft=40), (40, 30)),
        (Allowance(used=10, hard=500), (1000, 100)),  # more than there is
        (Allowance(hard=30), (1000, 100)),  # nobody knows what is used
        (Allowance(used=10), (1000, 100)),
        (Allowance(used=50, hard=30), (30, 0)),
    ],
)
def test_what_ends_first(allowed: Allowance, seen: tuple[int, int]) -> None:
    found = reading(0.0, "scratch", "/s", ROOM, Quota(filesystem="", bytes=allowed))
    assert (found.bytes_total, found.bytes_free) == seen
    assert (found.inodes_total, found.inodes_free, found.folder) == (50, 40, "/s")


def test_the_earlier_grace_counts() -> None:
    quota = Quota(
        filesystem="",
        bytes=Allowance(used=5, soft=4, hard=9, grace_until=900.0),
        inodes=Allowance(used=5, soft=4, hard=9, grace_until=800.0),
    )
    found = reading(0.0, "s", "/s", Room(), quota)
    assert (found.soft_until, found.bytes_free, found.inodes_free) == (800.0, 4, 4)
    assert reading(850.0, "s", "/s", Room(), quota).inodes_free == 0


@pytest.mark.parametrize(
    ("text", "seen"),
    [
        ("10", 10),
        ("10K", 10 * 1024),
        ("1.5G", 3 * 2**29),
        ("2 TiB", 2 * 2**40),
        ("2Tio", 2 * 2**40),
        ("2 TB", 2 * 10**12),
        ("3P", 3 * 2**50),
        ("7B", 7),
        ("7 octets", 7),
        ("", None),
        ("-1", None),
        ("1e5", None),
        ("9" * 22, None),
        ("ten", None),
    ],
)
def test_sizes(text: str, seen: int | None) -> None:
    assert sizes.size_bytes(text) == seen


@pytest.mark.parametrize(
    ("text", "seen"),
    [("6days", 518_400.0), ("2 hours", 7200.0), ("1w2d", 777_600.0), ("5m30s", 330.0), ("x", None)],
)
def test_graces(text: str, seen: float | None) -> None:
    assert sizes.grace_s(text) == seen
