"""Reading iteration lines in columns gives what reading them line by line gives, whatever the lines are."""

import random
from collections.abc import Callable

import pytest

from tests.core.logs.making import iteration, log, stamped
from tests.core.logs.reading import expand, placed, plainly
from trainwatch.core.logs.layout import Rows
from trainwatch.core.logs.scan import Scanner
from trainwatch.core.model.records import Iteration, Record, Torn

NUMBERS = range(1, 61)


def ramped(number: int) -> int:
    return 16 + 16 * (number // 10)


def at(number: int, *, of: range, otherwise: str, then: str) -> str:
    return then if number in of else otherwise


def beside(number: int, said: str) -> list[str]:
    """An iteration with what DeepSpeed's engine says of it before Megatron does."""
    head = f"[2021-12-01 10:00:{number % 60:02d},123] [INFO]"
    return [said.format(n=number, head=head), iteration(number)]


STEPS = "[default0]:steps: {n} loss: 12.7902 iter time (s): 150.471 samples/sec: 6.805"
STEP = (
    "{head} [logging.py:69:log_dist] [Rank 0] step={n}, skipped=17, lr=[5e-05], mom=[(0.9, 0.999)]"
)
TIMER = "{head} [timer.py:157:stop] 0/{n}, RunningAvgSamplesPerSec=232.7, CurrSamplesPerSec=227.4"

# name -> (the log, how many of its 60 iterations are read)
LOGS: dict[str, tuple[bytes, int]] = {
    "plain": (log(iteration(n) for n in NUMBERS), 60),
    **{
        f"DeepSpeed's {name} beside": (log(x for n in NUMBERS for x in beside(n, said)), 120)
        for name, said in (("steps", STEPS), ("step", STEP), ("timer", TIMER))
    },
    "DeepSpeed's steps behind": (
        log(x for n in NUMBERS for x in reversed(beside(n, STEPS))),
        120,
    ),
    "DeepSpeed's steps lag": (log(x for n in NUMBERS for x in beside(max(1, n - 2), STEPS)), 120),
    "DeepSpeed's steps now and then": (
        log(x for n in NUMBERS for x in beside(n, STEPS)[n % 3 > 0 :]),
        80,
    ),
    "without samples": (log(iteration(n, batch=None) for n in NUMBERS), 60),
    "prefix": (log(iteration(n, prefix="[default7]: ") for n in NUMBERS), 60),
    "prefix without a blank": (log(iteration(n, prefix="[default7]:") for n in NUMBERS), 60),
    "task": (log(iteration(n, prefix="230: ") for n in NUMBERS), 60),
    "two ranks": (log(iteration(n, prefix=f"[default{n % 2}]: ") for n in NUMBERS), 60),
    "colours": (log(iteration(n, prefix="\x1b[32m ", end="\x1b[0m") for n in NUMBERS), 60),
    "stamps": (log(iteration(n, prefix=stamped(n)) for n in NUMBERS), 60),
    "coarse stamps": (
        log(iteration(n, prefix=stamped(n, step_s=1.0)[:21] + "] ") for n in NUMBERS),
        60,
    ),
    "stamps past midnight": (
        log(iteration(n, prefix=stamped(n, "2024-02-29 23:59:50")) for n in NUMBERS),
        60,
    ),
    "a stamp that is none": (
        log(
            iteration(n, prefix=at(n, of=range(20, 23), otherwise=stamped(n), then=bad))
            for bad in (" [2024-08-01 09:44:75] ", " [2024-13-01 09:44:55.000001] ")
            for n in NUMBERS
        ),
        120,
    ),
    "two stamps": (
        log(iteration(n, prefix="2024-08-01 09:44:55" + stamped(n)) for n in NUMBERS),
        60,
    ),
    "another kind of stamp": (
        log(iteration(n, prefix=f"[01/17/2024 13:47:{n % 60:02d}] ") for n in NUMBERS),
        60,
    ),
    "a stamp without a year": (
        log(iteration(n, prefix=f"01/17 13:47:{n % 60:02d} ") for n in NUMBERS),
        60,
    ),
    "ramp-up": (log(iteration(n, batch=ramped(n)) for n in NUMBERS), 60),
    "skipped": (
        log(iteration(n, skipped=1, loss=None) if n % 7 == 0 else iteration(n) for n in NUMBERS),
        60,
    ),
    "skipped at first": (
        log(iteration(n, skipped=1, loss=None) if n < 20 else iteration(n) for n in NUMBERS),
        60,
    ),
    "NaN left out": (
        log(iteration(n, loss=None if n > 40 else "1.0E+00") for n in NUMBERS),
        60,
    ),
    "NaN printed": (log(iteration(n, loss="nan" if n > 40 else "1.0E+00") for n in NUMBERS), 60),
    "inf": (log(iteration(n, grad_norm="inf" if n > 40 else "1.0") for n in NUMBERS), 60),
    "placeholder loss": (
        log(iteration(n, loss="-1.00000" if n % 9 == 0 else "1.0E+00") for n in NUMBERS),
        60,
    ),
    "unmeasured norm": (
        log(iteration(n, grad_norm="0.000" if n % 2 else "1.5") for n in NUMBERS),
        60,
    ),
    "negative step time": (
        log(iteration(n, step_ms=-12710.0 if n % 9 == 0 else 250.0) for n in NUMBERS),
        60,
    ),
    "labels with digits": (
        log(iteration(n, more=f" mtp_1 loss: {n}.5 | mtp_2 loss: 2.5 ") for n in NUMBERS),
        60,
    ),
    "labels with signs": (
        log(iteration(n, more=f" lm-loss-E: {n}.5 | a/b.c: 2.5 | E2E: 1 ") for n in NUMBERS),
        60,
    ),
    "lm-loss": (
        log(iteration(n).replace("lm loss:", "lm-loss:") for n in NUMBERS),
        60,
    ),
    "seconds": (log(iteration(n).replace("(ms): 263.6", "(s): 105.22") for n in NUMBERS), 60),
    "a label twice": (log(iteration(n, more=" lm loss: 3.5 ") for n in NUMBERS), 60),
    "now and average": (
        log(iteration(n).replace("263.6", "263.6/250.1") for n in NUMBERS),
        60,
    ),
    "average behind": (
        log(iteration(n).replace("263.6", "263.6 (avg 250.1)") for n in NUMBERS),
        60,
    ),
    "thousands": (log(iteration(n).replace("263.6", "1,263.6") for n in NUMBERS), 60),
    "fields come and go": (
        log(iteration(n, more=" num zeros: 12.0 " if n % 3 else "") for n in NUMBERS),
        60,
    ),
    "a field is renamed": (
        log(iteration(n).replace("lm loss", "loss" if n > 30 else "lm loss") for n in NUMBERS),
        60,
    ),
    "a new target": (log(iteration(n, target=1000 if n < 30 else 2000) for n in NUMBERS), 60),
    "backwards": (log(iteration(n) for n in (*range(1, 31), *range(11, 41))), 60),
    "repeated": (log(iteration(n) for n in NUMBERS for _ in range(2)), 120),
    "cut off": (
        log(iteration(n)[:150] if n % 10 == 0 else iteration(n) for n in NUMBERS),
        54,
    ),
    "cut off without a line end": (
        log([*(iteration(n) for n in NUMBERS), iteration(61)[:200]])[:-1],
        60,
    ),
    "two on a line": (
        log(iteration(n) + iteration(n + 1) for n in range(1, 61, 2)),
        60,
    ),
    "interleaved": (
        log(
            line
            for n in range(1, 61, 2)
            for line in (iteration(n)[:90] + iteration(n + 1), iteration(n)[90:])
        ),
        30,
    ),
    "noise between": (
        log(
            line
            for n in NUMBERS
            for line in (iteration(n), "time (ms) | forward: 12.5 | backward: 1", "NCCL INFO x")
        ),
        60,
    ),
    "other records between": (
        log(
            line
            for n in NUMBERS
            for line in (
                iteration(n),
                *(["saving checkpoint at iteration 5 to /x"] if n % 9 == 0 else []),
            )
        ),
        60,
    ),
    "carriage returns": (log(iteration(n, end="\r") for n in NUMBERS), 60),
    "blanks behind": (log(iteration(n, end="   ") for n in NUMBERS), 60),
    "words behind": (log(iteration(n, end=" time (ms)") for n in NUMBERS), 60),
    "a number behind": (
        log(iteration(n, end=" 5" if n % 7 == 0 else "") for n in NUMBERS),
        60,
    ),
    "a number behind each": (log(iteration(n, end=" 5") for n in NUMBERS), 60),
    "a number before": (
        log(iteration(n, prefix="12 " if n % 7 == 0 else " ") for n in NUMBERS),
        60,
    ),
    "a number right behind a prefix": (
        log(
            iteration(n, prefix="[default7]: 12 " if n % 7 == 0 else "[default7]: ")
            for n in NUMBERS
        ),
        60,
    ),
    "a number before each": (log(iteration(n, prefix=f"{n} ") for n in NUMBERS), 60),
    "a torn number": (
        log(
            iteration(n).replace(" lm loss: 8.18", " lm loss: 8.1 8")
            if n % 7 == 0
            else iteration(n)
            for n in NUMBERS
        ),
        52,
    ),
    "no number": (
        log(
            iteration(n).replace("8.184724E+00", "") if n % 7 == 0 else iteration(n)
            for n in NUMBERS
        ),
        52,
    ),
    "an iteration with a point": (
        log(iteration(n).replace("/", ".5/", 1) if n % 7 == 0 else iteration(n) for n in NUMBERS),
        52,
    ),
    "an iteration with an exponent": (
        log(iteration(n).replace("/", "E1/", 1) if n % 7 == 0 else iteration(n) for n in NUMBERS),
        52,
    ),
    "a negative iteration": (
        log(
            iteration(n).replace(f" {n}/", f"-{n}/", 1) if n % 7 == 0 else iteration(n)
            for n in NUMBERS
        ),
        52,
    ),
    "too large an iteration": (
        log(iteration(n * 10**16 if n % 7 == 0 else n) for n in NUMBERS),
        52,
    ),
    "zeros before": (
        log(iteration(n).replace(f"{n:8d}/", f"{n:08d}/", 1) for n in NUMBERS),
        60,
    ),
    "large numbers": (log(iteration(n).replace("8.184724E+00", "1.0E+999") for n in NUMBERS), 60),
    "not ASCII": (log(iteration(n, prefix="█ ") for n in NUMBERS), 60),
    "zero bytes": (log(iteration(n, prefix="\0\0 ") for n in NUMBERS), 60),
    "a long prefix": (log(iteration(n, prefix="x" * 300 + " ") for n in NUMBERS), 60),
    "longer than a line may be": (
        log([*(iteration(n) for n in range(1, 31)), "x" * 70_000 + iteration(31), iteration(32)]),
        31,
    ),
    "a needle behind a long line": (
        log(
            [
                *(iteration(n) for n in range(1, 31)),
                iteration(31, end="x" * 70_000 + "elapsed time per iteration"),
                iteration(32),
            ]
        ),
        32,
    ),
    "empty": (b"", 0),
    "only line ends": (b"\n" * 100, 0),
    "no needle": (b"words\n" * 100, 0),
}


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


Reading = Callable[[Scanner, bytes], list[Record]]


def test_a_scanner_keeps_nothing_but_its_cache() -> None:
    """Whatever it has read before, the next block is read the same."""
    scanner = Scanner()
    for name, (data, _) in LOGS.items():
        fresh = plainly(expand(Scanner(), data))
        assert plainly(expand(scanner, data)) == fresh, name
