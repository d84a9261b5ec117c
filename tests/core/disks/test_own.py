"""A quota command of a user's own: patterns that will do, and what they find."""

import pytest

from tests.core.slurm.answering import unreadable
from trainwatch.core.disks import own, table
from trainwatch.core.disks.values import Asked, Quota

GB, GIB = 10**9, 1024**3


def parsed(pattern: str, text: str) -> Quota:
    asked = Asked(path="/s", command=("myquota",), pattern=pattern)
    assert own.problem(pattern) == ""
    return table.parse("own", asked, text.encode(), 0.0)


@pytest.mark.parametrize(
    ("pattern", "text", "seen"),
    {
        "used of total, a unit each": (
            r"(?P<bytes_used>[\d.]+) (?P<bytes_used_unit>\w+) of"
            r" (?P<bytes_total>\d+) (?P<bytes_total_unit>\w+)",
            "six: 1.5 TiB of 2 TB",
            (2 * 10**12, round(2 * 10**12 - 1.5 * 1024 * GIB)),
        ),
        "only what is free": (
            r"free: (?P<bytes_free>\d+)(?P<bytes_free_unit>G)",
            "free: 7G",
            (7 * GIB, 7 * GIB),
        ),
        "free of total": (r"(?P<bytes_free>\d+)/(?P<bytes_total>\d+)", "30/100", (100, 30)),
        "more than allowed": (r"(?P<bytes_used>\d+)/(?P<bytes_total>\d+)", "130/100", (100, 0)),
        "thousands apart": (r"(?P<bytes_free>[\d ]+) bytes", "x 1 000 000 bytes", (10**6, 10**6)),
        "on a line of its own": (r"^WORK\s+(?P<bytes_free>\d+)$", "HOME 1\nWORK 2\n", (2, 2)),
    }.values(),
)  # fmt: skip
def test_bytes(pattern: str, text: str, seen: tuple[int, int]) -> None:
    found = parsed(pattern, text)
    assert (found.bytes.total, found.bytes.free(0.0)) == seen
    assert found.inodes.total is None


def test_inodes() -> None:
    found = parsed(r"(?P<inodes_used>\w+) files of (?P<inodes_total>\w+)", "12k files of 1m")
    assert (found.inodes.total, found.inodes.free(0.0)) == (1_000_000, 988_000)


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("(", "pattern is no regular expression: "),
        (r"(?P<free>\d+)", "pattern has a group 'free'; known are bytes_used, bytes_free, "),
        (r"(?P<inodes_free_unit>\d+)", "pattern has a group 'inodes_free_unit'"),
        (r"(?P<bytes_used>\d+)", "pattern needs a group (?P<bytes_free>...), or "),
        (r"(?P<bytes_used>\d+) (?P<inodes_total>\d+)", "pattern needs a group"),
        (r"\d+", "pattern needs a group"),
    ],
)
def test_patterns_that_say_nothing(pattern: str, why: str) -> None:
    assert own.problem(pattern).startswith(why)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("Permission denied\n", "the pattern finds nothing in its answer: Permission denied"),
        ("", "nothing was answered"),
        ("free: 7 apples", "bytes_free is no number: 7 apples"),
        ("free: \x1b[2J", "the pattern finds nothing in its answer: free:  [2J"),
    ],
)
def test_answers_that_say_nothing(text: str, why: str) -> None:
    pattern = r"free: (?P<bytes_free>\d+) ?(?P<bytes_free_unit>\w*)"
    assert unreadable(lambda: parsed(pattern, text)) == why
