"""`lfs quota`: its answers in several versions, literally."""

import pytest

from tests.core.disks.quotas.answers import ADA, AT, DAY_S, GIB, KIB, LFS_HEAD, TIB, numbers, parsed
from tests.core.slurm.answering import unreadable
from trainwatch.core.disks import table
from trainwatch.core.disks.values import Asked

LFS_HUMAN = LFS_HEAD.replace("kbytes", "  used")


@pytest.mark.parametrize(
    ("text", "seen"),
    {
        "in KiB": (
            f"{LFS_HEAD}       /scratch 1048576       0 1073741824       -   23   0  2000000    -\n",
            (GIB, None, TIB, 23, None, 2_000_000),
        ),
        "-h": (
            f"{LFS_HUMAN}      ./   5.95G      0k     50T       -   60751       0       0       -\n"
            "uid 10000 is using default file quota setting\n",
            (round(5.95 * GIB), None, 50 * TIB, 60751, None, None),
        ),
        "of 2.5, a name on a line of its own": (
            f"{LFS_HEAD}/lustre/a/long/name/of/a/filesystem\n"
            "              1048576*  1024 2097152 6d23h59m      10 0 0 -\n",
            (GIB, 1024 * KIB, 2 * GIB, 10, None, None),
        ),
        "a project": (
            "Disk quotas for prj 7 (pid 7):\n      Filesystem    used   quota   limit   grace"
            "   files   quota   limit   grace\n  /scratch  1G 2T 3T - 4 5 6 -\n",
            (GIB, 2 * TIB, 3 * TIB, 4, 5, 6),
        ),
        "with its servers (-v)": (
            f"{LFS_HUMAN}   /scratch  2G 0k 4G -  10 0 0 -\nscratch-MDT0000_UUID\n"
            "       4.7M       -      0k       -    10       -       0       -\n"
            "Total allocated inode limit: 0, total allocated block limit: 0k\n",
            (2 * GIB, None, 4 * GIB, 10, None, None),
        ),
    }.values(),
)
def test_lfs_quota(text: str, seen: tuple[int | None, ...]) -> None:
    assert numbers(parsed("lustre", text)) == seen


def test_lfs_quota_over_its_soft_limit() -> None:
    found = parsed("lustre", f"{LFS_HEAD}/s 2048* 1024 4096 6d23h59m 9* 5 20 none\n")
    assert found.bytes.grace_until == AT + 7 * DAY_S - 60
    assert (found.bytes.free(AT), found.inodes.free(AT)) == (2048 * KIB, 0)


def test_lfs_quota_that_did_not_hear_from_all_servers() -> None:
    trailer = "Some errors happened when getting quota info.\n"
    partly = parsed("lustre", f"{LFS_HEAD}/s [2048] 1024 4096 - 9 5 20 -\n{trailer}")
    assert (partly.bytes.used, partly.bytes.free(AT), partly.inodes.free(AT)) == (None, None, 11)
    why = unreadable(
        lambda: parsed("lustre", f"{LFS_HEAD}/s [2048] 1024 4096 - [9] 5 20 -\n{trailer}")
    )
    assert why == "lfs quota did not hear from all servers: what is used is not known"


def test_what_lfs_is_asked() -> None:
    assert table.argv("lustre", ADA) == ["lfs", "quota", "-u", "ada", "/scratch/ada"]
    assert table.argv("lustre", Asked(path="/s", project="7")) == ["lfs", "quota", "-p", "7", "/s"]
