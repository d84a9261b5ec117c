"""`idrquota`: answers as people tell of them, and what they do not surely say."""

import pytest

from tests.core.disks.quotas.answers import GIB, TIB, numbers, parsed
from tests.core.slurm.answering import unreadable
from trainwatch.core.disks import table
from trainwatch.core.disks.values import Asked

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
