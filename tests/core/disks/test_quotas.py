"""Quota commands: their answers in several versions, literally, and what is no answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.slurm.answering import unreadable
from trainwatch.core.disks import table
from trainwatch.core.disks.values import Allowance, Asked, Quota

AT = 1_790_000_000.0
DAY_S, KIB, GIB, TIB = 86_400, 1024, 1024**3, 1024**4
ADA = Asked(path="/scratch/ada", user="ada")


def parsed(kind: str, text: str, asked: Asked = ADA) -> Quota:
    return table.parse(kind, asked, text.encode(), AT)


def numbers(quota: Quota) -> tuple[int | None, ...]:
    return (
        *(quota.bytes.used, quota.bytes.soft, quota.bytes.hard),
        *(quota.inodes.used, quota.inodes.soft, quota.inodes.hard),
    )


# quota

QUOTA_HEAD = """Disk quotas for user ada (uid 1000):
     Filesystem  blocks   quota   limit   grace   files   quota   limit   grace
"""


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


# lfs quota

LFS_HEAD = """Disk quotas for usr ada (uid 10000):
     Filesystem  kbytes   quota   limit   grace   files   quota   limit   grace
"""
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


# mmlsquota

Y_HEAD = (
    "mmlsquota::HEADER:version:reserved:reserved:filesystemName:quotaType:id:name:blockUsage:blockQuota:"
    "blockLimit:blockInDoubt:blockGrace:filesUsage:filesQuota:filesLimit:filesInDoubt:filesGrace:remarks:"
    "quota:defQuota:fid:filesetname:\n"
)
GPFS = Asked(path="/gpfs/ada", user="ada", names=("/gpfs", "gpfs0"))
MM_HEAD = (
    "                         Block Limits                                    |     File Limits\n"
    "Filesystem type             KB      quota      limit   in_doubt    grace |"
    "    files   quota    limit in_doubt    grace  Remarks\n"
)


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


# idrquota

WORK = Asked(path="/gpfswork/six", project="six", filesystem="work")


@pytest.mark.parametrize(
    ("text", "seen"),
    {
        "amounts, percentages in brackets": (
            "WORK: 1280.0 / 5120 Gio (25.00%)\n      400000 / 500000 inodes (80.00%)\n",
            (1280 * GIB, 5120 * GIB, 400_000, 500_000),
        ),
        "on one line, without a unit": (
            "six: 1280/5120 (25.0%) 400,000/500,000 (80%)\n",
            (1280 * GIB, 5120 * GIB, 400_000, 500_000),
        ),
        "of, units everywhere, thousands apart": (
            "Espace : 1.25 Tio sur 5 Tio ( 25 % ), inodes : 400 000 sur 500 000 ( 80 % )\n",
            (1280 * GIB, 5120 * GIB, 400_000, 500_000),
        ),
        "only percentages and totals": (
            "WORK: 25% used of 5120 GiB, inodes 80% of 500000\n",
            (1280 * GIB, 5120 * GIB, 400_000, 500_000),
        ),
        "inodes first": (
            "inodes 400000 of 500000 (80%), space 1280 GiB of 5120 GiB (25%)\n",
            (1280 * GIB, 5120 * GIB, 400_000, 500_000),
        ),
        "no inodes": ("STORE 10 / 100 Tio (10.0%)\n", (10 * TIB, 100 * TIB, None, None)),
    }.values(),
)
def test_idrquota(text: str, seen: tuple[int | None, ...]) -> None:
    found = numbers(parsed("idrquota", text, WORK))
    assert (found[0], found[2], found[3], found[5]) == seen


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("WORK: (25.00%) (80.00%)\n", "not an answer of a quota command: WORK: (25.00%) (80.00%)"),
        ("1280 / 5120 Gio (35%)\n", "do not add up"),
        ("a 1 / 4 Gio (25%)\nb 1 / 4 Gio (25%)\n", "told of two sizes"),
        ("a 1 / 4 Gio (25%)\nb 1 / 4 (25%)\nc 1 / 4 (25%)\n", "not an answer"),
        ("idrquota: command not found\n", "not an answer"),
    ],
)
def test_what_idrquota_does_not_surely_say(text: str, why: str) -> None:
    assert why in unreadable(lambda: parsed("idrquota", text, WORK))


def test_what_idrquota_is_asked() -> None:
    assert table.argv("idrquota", WORK) == ["idrquota", "-w", "-p", "six"]
    home = Asked(path="/h", filesystem="home")
    assert table.argv("idrquota", home) == ["idrquota", "-m"]


# what no command answers


@pytest.mark.parametrize("kind", ["quota", "lustre", "gpfs", "idrquota"])
@pytest.mark.parametrize(
    "text",
    [
        "",
        "\n",
        "<html>503</html>\n",
        "bash: line 1: it: command not found\n",
        QUOTA_HEAD + "/dev/sda1 2048 4096\n",
        QUOTA_HEAD + "/dev/sda1\n",
        LFS_HEAD,
        LFS_HEAD + "/scratch 1048576\n",
        LFS_HEAD + "/scratch a b c d e f g h\n",
        Y_HEAD + "mmlsquota::0:1:::gpfs0:USR:9\n",
        MM_HEAD + "gpfs0 USR 12 13\n",
        "x" * 300_000 + "\n",
    ],
)
def test_what_is_no_answer(kind: str, text: str) -> None:
    asked = Asked(path="/s", filesystem="work") if kind == "idrquota" else ADA
    assert unreadable(lambda: parsed(kind, text, asked)).isprintable()
    assert unreadable(lambda: parsed(kind, text, asked))


@pytest.mark.parametrize(
    ("kind", "text"),
    [
        ("quota", f"{QUOTA_HEAD}/dev/sda1 2048 4096 8192 0 12 100 200 0\n"),
        ("lustre", f"{LFS_HEAD}/s 2048 1024 4096 - 9 5 20 -\n"),
        ("gpfs", f"{MM_HEAD}gpfs0 USR 3072 2048 4096 0 none | 7 0 100 346 none\n"),
    ],
)
def test_an_answer_that_was_cut_off_anywhere_is_none(kind: str, text: str) -> None:
    parsed(kind, text, GPFS)
    for length in range(len(text)):
        assert unreadable(lambda: parsed(kind, text[:length], GPFS)), length  # noqa: B023


def test_nobody_is_limited() -> None:
    why = "there is no quota for user ada on /scratch/ada"
    assert unreadable(lambda: parsed("quota", "Disk quotas for user ada (uid 1): none\n")) == why
    why = why.replace("quota", "limit")
    assert unreadable(lambda: parsed("lustre", f"{LFS_HEAD}/s 8 0 0 - 1 0 0 -\n")) == why


_pieces = st.sampled_from(
    (
        *(QUOTA_HEAD.encode(), LFS_HEAD.encode(), Y_HEAD.encode(), MM_HEAD.encode(), b"\n", b" "),
        *(b"/dev/sda1", b"gpfs0 USR", b"12", b"0", b"9.5G", b"-", b"none", b"|", b"[1]", b"25%", b"/"),
        *(b"mmlsquota::0:1:::gpfs0:USR:9:ada", b":12", b"(", b")", b"of", b"9" * 23, b"1e5", b"\xff"),
    )
)  # fmt: skip
noise = st.one_of(st.binary(max_size=100), st.lists(_pieces, max_size=40).map(b" ".join))


@given(st.sampled_from(("quota", "lustre", "gpfs", "idrquota")), noise)
def test_any_bytes_are_an_answer_or_unreadable(kind: str, data: bytes) -> None:
    asked = Asked(path="/s", filesystem="work") if kind == "idrquota" else ADA
    assert unreadable(lambda: table.parse(kind, asked, data + b"\n", AT)).isprintable()
