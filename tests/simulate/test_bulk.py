"""Large logs for benchmarks: as long and as dense as asked for, and whole to the core."""

import pytest

from tests.simulate.telling import FLAVOURS, read
from trainwatch.simulate.bulk import DENSE, REALISTIC, blocks
from trainwatch.simulate.scenario import FlavourName, as_flavour
from trainwatch.simulate.scenarios import SCENARIOS

SIZE = 3_000_000


def log_of(flavour: FlavourName, share: float, size: int = SIZE) -> bytes:
    return b"".join(blocks(as_flavour(SCENARIOS["demo"], flavour), size, share=share))


@pytest.mark.parametrize("share", [REALISTIC, DENSE])
@pytest.mark.parametrize("flavour", FLAVOURS)
def test_bytes_share_and_iterations(flavour: FlavourName, share: float) -> None:
    log = log_of(flavour, share)
    assert len(log) == SIZE
    assert log.endswith(b"\n")
    mark = b"tflops: " if flavour == "torchtitan" else b"elapsed time per iteration"
    lines = [line for line in log.splitlines(keepends=True) if mark in line]
    assert sum(map(len, lines)) / SIZE == pytest.approx(share, abs=0.15 * share)
    found = read(log)
    assert found.column("iteration") == list(range(1, len(lines) + 1))
    assert found.state.counters.torn == 0
    assert len(found.told("saved")) == len(lines) // 500
    sets = 1 if flavour == "torchtitan" else 3
    assert len(found.told("validation")) == len(lines) // 1000 * sets
    assert len(found.state.attempts) == 1


def test_the_two_ways_of_reading_agree() -> None:
    log = log_of("megatron-deepspeed", DENSE)
    line_by_line = read(log, in_columns=False)
    assert line_by_line.state == read(log).state
    assert line_by_line.rows == read(log).rows


def test_the_same_seed_gives_the_same_bytes() -> None:
    scenario = SCENARIOS["healthy"]
    once = b"".join(blocks(scenario, 500_000, seed=4))
    assert once == b"".join(blocks(scenario, 500_000, seed=4))
    assert once != b"".join(blocks(scenario, 500_000, seed=5))


def test_blocks_are_small() -> None:
    assert max(map(len, blocks(SCENARIOS["healthy"], 5 * 1024 * 1024))) < 1.1 * 1024 * 1024
