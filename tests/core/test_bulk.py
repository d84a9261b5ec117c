"""Rows of columns folded at once come to what one record after another comes to, to the last bit."""

import random

import pytest

from tests.core.folding import NOW, Run, told
from tests.core.logs.making import iteration, log, stamped
from tests.core.logs.shapes import LOGS
from trainwatch.core import bulk
from trainwatch.core.draft import Draft
from trainwatch.core.logs.layout import Rows

DUMP = log(
    [
        "using world size: 16, data-parallel-size: 1",
        "----- arguments -----",
        "  log_interval .................................... 1",
        "  eval_interval ................................... 7",
        "  seq_length ...................................... 2048",
    ]
)
CLOCK = b"[after dataloaders are built] datetime: 2024-08-01 09:00:00\n"
STEPPED = (
    b"[2024-08-01 09:30:00,000] [deepspeed] OVERFLOW! Attempted loss scale: 8, reducing to 4\n"
)
EXIT = b"[exiting program after 1190.03 minutes] datetime: 2024-08-01 10:00:00\n"
CAUGHT = b"ValueError: caught\nsrun: Job step aborted: x\n"
SAVE = log(
    [
        "saving checkpoint at iteration 30 to /x",
        "successfully saved checkpoint at iteration 30 to /x",
    ]
)


def trained(first: int, last: int, prefix: str = " ") -> bytes:
    return log(
        iteration(n, loss=f"{9 - n / 1000:.6E}", step_ms=100 + n, prefix=prefix)
        for n in range(first, last + 1)
    )


def clocked(first: int, last: int, step: int = 1) -> bytes:
    return log(iteration(n, prefix=stamped(n)) for n in range(first, last + 1, step))


RUNS: dict[str, bytes] = {
    **{name: data for name, (data, _) in LOGS.items()},
    "after a dump": DUMP + trained(1, 60),
    "after a clock": CLOCK + trained(1, 60),
    "after a clock in the future": CLOCK.replace(b"2024", b"2030") + trained(1, 60),
    "stamps between, late and early": CLOCK
    + trained(1, 9)
    + STEPPED.replace(b"09:30", b"09:50")
    + trained(10, 20)
    + STEPPED.replace(b"09:30", b"09:01")
    + trained(21, 60),
    "a stamp of no row before": trained(1, 9) + STEPPED + trained(10, 40),
    "after an exit": DUMP + trained(1, 20) + EXIT + trained(21, 60),
    "after an exit, by stamps": DUMP + clocked(1, 20) + EXIT + clocked(21, 60),
    "after a fault": DUMP + trained(1, 20) + CAUGHT + trained(21, 60),
    "a save between": DUMP + trained(1, 30) + SAVE + trained(31, 60),
    "a restart": DUMP + trained(1, 40) + DUMP + trained(21, 60),
    "a rollback": trained(1, 40) + trained(21, 60),
    "a rollback by stamps": clocked(1, 40) + clocked(21, 60),
    "a copy of some lines": trained(1, 40) + trained(35, 60),
    "a long copy of some lines": trained(1, 60) + trained(1, 58) + trained(59, 70),
    "every tenth": DUMP + clocked(10, 600, 10),
    "irregular": CLOCK + b"".join(trained(n, n) for n in (1, 2, 3, 7, 8, 20, 21, 22, 40, 41, 42)),
    "a prefix appears": trained(1, 5) + trained(6, 40, prefix="[default7]: "),
    "a prefix goes": trained(1, 5, prefix="[default7]: ") + trained(6, 40),
    "a prefix changes": trained(1, 20, prefix="[default7]: ")
    + trained(21, 40, prefix="[default3]: "),
    "a prefix changes, and back": trained(1, 20, prefix="[default7]: ")
    + trained(15, 30, prefix="[default3]: ")
    + trained(21, 40, prefix="[default7]: "),
    "stamps appear": trained(1, 20) + clocked(21, 40),
    "stamps go": clocked(1, 20) + trained(21, 40),
    "stamps of 1972": b"".join(
        log([iteration(n, prefix=stamped(n, "1972-03-01 00:00:00"))]) for n in range(1, 40)
    ),
    "deepspeed between": b"".join(
        log([f"steps: {n} loss: 1.5 iter time (s): 1.5 samples/sec: 6.8"]) + trained(n, n)
        for n in range(1, 40)
    ),
    "an evaluation at the end": DUMP + trained(1, 49),
    "only evaluations": DUMP + b"".join(trained(n, n) for n in range(7, 200, 7)),
    "one line": trained(1, 1),
    "two lines": trained(1, 2),
    "three lines": trained(1, 3),
    "without samples, with time limit": log(iteration(n, batch=None) for n in range(1, 40)) + EXIT,
}
WAYS = {"catching up": (NOW, False), "live": (NOW, True), "before its stamps": (1_000_000.0, False)}


@pytest.mark.parametrize("way", WAYS)
@pytest.mark.parametrize("name", RUNS)
def test_the_same_comes_of_columns_and_of_lines(name: str, way: str) -> None:
    at, live = WAYS[way]
    columns = Run(RUNS[name], at=at, live=live, utc_offset_s=3600.0)
    lines = Run(RUNS[name], at=at, live=live, utc_offset_s=3600.0, in_columns=False)
    assert told(columns) == told(lines)


@pytest.mark.parametrize("size", [1, 2, 3, 10, 25])
@pytest.mark.parametrize("name", RUNS)
def test_the_same_comes_of_any_number_of_chunks(name: str, size: int) -> None:
    lines = RUNS[name].splitlines(keepends=True)
    chunks = Run()
    for start in range(0, len(lines), size):
        chunks.read(b"".join(lines[start : start + size]))
    assert told(chunks) == told(Run(RUNS[name]))


@pytest.mark.parametrize("seed", range(12))
def test_the_same_comes_of_chunks_that_come_live_later(seed: int) -> None:
    chance = random.Random(seed)
    names = chance.sample(sorted(RUNS), 5)
    columns, lines = Run(), Run(in_columns=False)
    at = NOW
    for name in names:
        at += chance.choice((0.0, 0.5, 600.0))
        live = chance.random() < 0.5
        for run in (columns, lines):
            run.read(RUNS[name], at=at, live=live)
    assert told(columns) == told(lines)


PLAIN = ["after a dump", "after a clock", "every tenth", "a save between", "ramp-up", "stamps"]


@pytest.mark.parametrize("name", PLAIN)
def test_ordinary_logs_are_folded_at_once(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Otherwise the tests above would compare the slow way with itself."""
    taken = []
    take = bulk._take

    def counted(draft: Draft, before: object, rows: Rows) -> None:
        taken.append(rows.count)
        take(draft, before, rows)  # type: ignore[arg-type]

    monkeypatch.setattr(bulk, "_take", counted)
    Run(RUNS[name])
    assert sum(taken) >= 50
