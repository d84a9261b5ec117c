"""Reading iteration lines in columns gives what reading them line by line gives, whatever the lines are."""

import random

import pytest

from tests.core.logs.making import iteration, log
from tests.core.logs.reading import expand, placed, plainly
from tests.core.logs.shapes import LOGS
from trainwatch.core.logs.layout import Rows
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.records import Iteration, Torn


@pytest.mark.parametrize("name", LOGS)
def test_columns_and_lines_agree(name: str) -> None:
    data, count = LOGS[name]
    by_line = plainly(expand(Scanner(in_columns=False), data))
    assert plainly(expand(Scanner(), data)) == by_line
    starts = [start for start, _ in placed(Scanner(in_columns=False), data)]
    assert [start for start, _ in placed(Scanner(), data)] == starts
    assert len([r for r in by_line if isinstance(r, Iteration)]) == count


@pytest.mark.parametrize("name", LOGS)
def test_a_learned_layout_reads_every_log_alike(name: str) -> None:
    """The layout of another log is a cache: it must not change what is read."""
    data, _ = LOGS[name]
    by_line = plainly(expand(Scanner(in_columns=False), data))
    for other in ("plain", "prefix", "stamps", "labels with digits", "a number before each"):
        scanner = Scanner()
        expand(scanner, LOGS[other][0])
        assert plainly(expand(scanner, data)) == by_line, other


FAST = [
    "plain",
    "DeepSpeed's steps beside",
    "DeepSpeed's timer beside",
    "prefix",
    "task",
    "stamps",
    "coarse stamps",
    "stamps past midnight",
    "ramp-up",
    "unmeasured norm",
    "negative step time",
    "labels with digits",
    "labels with signs",
    "lm-loss",
    "seconds",
    "backwards",
    "noise between",
    "blanks behind",
    "words behind",
]


@pytest.mark.parametrize("name", FAST)
def test_ordinary_logs_are_read_in_columns(name: str) -> None:
    items = [item for _, item in Scanner().scan(Scanner().mark(LOGS[name][0]))]
    assert sum(item.count for item in items if isinstance(item, Rows)) >= 55


@pytest.mark.parametrize("name", ["plain", "prefix", "stamps", "labels with digits", "ramp-up"])
@pytest.mark.parametrize("seed", range(4))
def test_one_changed_byte_is_read_alike(name: str, seed: int) -> None:
    data, _ = LOGS[name]
    chance = random.Random(f"{name} {seed}")
    for _ in range(60):
        changed = bytearray(data[: 20 * len(data) // 60])
        for _ in range(chance.randrange(1, 4)):
            changed[chance.randrange(len(changed))] = chance.choice(
                b"0123456789.+-Ee /|:,\n\r\0aNn[]\xff"
            )
        found = bytes(changed)
        assert plainly(expand(Scanner(), found)) == plainly(
            expand(Scanner(in_columns=False), found)
        ), found


@pytest.mark.parametrize("seed", range(4))
def test_logs_spliced_at_any_byte_are_read_alike(seed: int) -> None:
    chance = random.Random(seed)
    logs = [data for data, _ in LOGS.values() if 0 < len(data) < 60_000]
    for _ in range(40):
        parts = []
        for _ in range(4):
            data = chance.choice(logs)
            start = chance.randrange(len(data))
            parts.append(data[start : start + chance.randrange(4000)])
        found = b"".join(parts)
        assert plainly(expand(Scanner(), found)) == plainly(
            expand(Scanner(in_columns=False), found)
        ), found


def test_a_block_may_be_split_at_any_line() -> None:
    data = LOGS["other records between"][0]
    lines = data.splitlines(keepends=True)
    whole = plainly(expand(Scanner(), data))
    for size in (1, 2, 7, 30):
        scanner = Scanner()
        blocks = [b"".join(lines[n : n + size]) for n in range(0, len(lines), size)]
        assert plainly(r for block in blocks for r in expand(scanner, block)) == whole


def test_places_are_those_of_the_lines() -> None:
    lines = [iteration(1), "words", "saving checkpoint at iteration 5 to /x", iteration(2)[:100]]
    data = log(lines)
    places = [place for place, _ in placed(Scanner(), data)]
    assert places == [data.index(line.encode()) for line in (lines[0], lines[2], lines[3])]


@pytest.mark.parametrize("end", [b"", b"\n", b"\r", b"\r\n", b"\n\n"])
def test_the_last_line_may_lack_its_end(end: bytes) -> None:
    data = log(iteration(n) for n in range(1, 6))[:-1] + end
    assert len(expand(Scanner(), data)) == 5


def test_a_line_is_looked_at_no_further_than_it_may_be_long() -> None:
    event = "saving checkpoint at iteration 5 to /x"
    assert expand(Scanner(), log(["x" * 65_000 + " " + event])) != []
    assert expand(Scanner(), log(["x" * 66_000 + " " + event])) == []


def test_torn_lines_are_counted_in_both_ways() -> None:
    data, _ = LOGS["cut off"]
    for scanner in (Scanner(), Scanner(in_columns=False)):
        assert sum(isinstance(r, Torn) for r in expand(scanner, data)) == 6


def test_a_scanner_keeps_nothing_but_its_cache() -> None:
    """Whatever it has read before, the next block is read the same."""
    scanner = Scanner()
    for name, (data, _) in LOGS.items():
        fresh = plainly(expand(Scanner(), data))
        assert plainly(expand(scanner, data)) == fresh, name
