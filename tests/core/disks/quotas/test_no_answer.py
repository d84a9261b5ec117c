"""What is no answer of any quota command: cut off, somebody else's words, any bytes."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.disks.quotas.answers import (
    ADA,
    AT,
    GPFS,
    LFS_HEAD,
    MM_HEAD,
    QUOTA_HEAD,
    Y_HEAD,
    parsed,
)
from tests.core.slurm.answering import unreadable
from trainwatch.core.disks import table
from trainwatch.core.disks.values import Asked


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
