"""`mmlsquota`: its answers in several versions, literally."""

import pytest

from tests.core.disks.quotas.answers import (
    AT,
    DAY_S,
    GIB,
    GPFS,
    KIB,
    MM_HEAD,
    Y_HEAD,
    numbers,
    parsed,
)
from tests.core.slurm.answering import unreadable
from trainwatch.core.disks import table
from trainwatch.core.disks.values import Asked


def test_mmlsquota_with_colons() -> None:
    text = (
        f"{Y_HEAD}mmlsquota::0:1:::gpfs0:GRP:5:six:1:2:3:0:none:1:0:0:0:none:i:on:off:::\n"
        "mmlsquota::0:1:::gpfs1:USR:9:ada:1:2:3:0:none:1:0:0:0:none:i:on:off:::\n"
        "mmlsquota::0:1:::gpfs0:USR:9:ada:1048576:0:2097152:512:none:40:100:0:0:none:e%3A:on:off:::\n"
    )
    assert numbers(parsed("gpfs", text, GPFS)) == (GIB, None, 2 * GIB, 40, 100, None)
    six = Asked(path="/gpfs", group="six")
    assert numbers(parsed("gpfs", text, six))[0] == KIB
    assert "there is no quota for project lab on /gpfs" in unreadable(
        lambda: parsed("gpfs", text, Asked(path="/gpfs", project="lab"))
    )


def test_mmlsquota_of_an_older_version_has_fewer_columns() -> None:
    text = (
        "mmlsquota::HEADER:version:reserved:reserved:filesystemName:quotaType:filesetName:blockUsage:blockQuota:"
        "blockLimit:blockGrace:\nmmlsquota::0:1:::gpfs0:FILESET:lab:1024:2048:4096:2 days:\n"
    )
    found = parsed("gpfs", text, Asked(path="/gpfs", project="lab"))
    assert numbers(found) == (1024 * KIB, 2048 * KIB, 4096 * KIB, None, None, None)
    assert found.bytes.grace_until == AT + 2 * DAY_S


@pytest.mark.parametrize(
    ("text", "seen"),
    {
        "as in 4 and 5": (
            f"{MM_HEAD}gpfs0      USR   1048576  2097152  4194304  0  none |  7 0 100  346  none \n"
            "gpfs1      USR   no limits   neptune\n",
            (GIB, 2 * GIB, 4 * GIB, 7, None, 100),
        ),
        "with a fileset, blocks that are scaled": (
            MM_HEAD.replace("Filesystem type             KB", "Filesystem Fileset type blocks")
            + "gpfs0 root USR 1.5G 9G 10G 561.5M 6 days | 5961 0 0 0 none gpfs-cluster.org\n",
            (3 * GIB // 2, 9 * GIB, 10 * GIB, 5961, None, None),
        ),
    }.values(),
)
def test_mmlsquota_as_people_read_it(text: str, seen: tuple[int | None, ...]) -> None:
    assert numbers(parsed("gpfs", text, GPFS)) == seen


def test_mmlsquota_over_its_soft_limit() -> None:
    row = "gpfs0 USR 3072 2048 4096 0 {} | 7 0 100 346 none\n"
    week = parsed("gpfs", MM_HEAD + row.format("7 days"), GPFS)
    over = parsed("gpfs", MM_HEAD + row.format("expired"), GPFS)
    assert (week.bytes.grace_until, week.bytes.free(AT)) == (AT + 7 * DAY_S, 1024 * KIB)
    assert over.bytes.free(AT) == 0


def test_what_mmlsquota_is_asked() -> None:
    assert table.argv("gpfs", GPFS) == ["mmlsquota", "-Y", "-u", "ada"]
    lab = Asked(path="/gpfs", project="lab", names=("gpfs0",))
    assert table.argv("gpfs", lab) == ["mmlsquota", "-Y", "-j", "lab", "gpfs0"]
