"""The batch-size ramp-up stage by stage against iteration by iteration, and worked values."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainwatch.core.schedule import Progress, Rampup, eta_s, last_save

TR1 = Rampup(16, 16, 6_000_000, 2048)
TR8 = Rampup(16, 16, 5_000_000, 1024)


@pytest.mark.parametrize(
    ("ramp", "iteration", "consumed"),
    [
        (TR8, 29020, 10_698_064),
        (TR8, 33240, 15_019_344),
        (TR1, 7000, 260_912),
        (TR1, 12000, 1_519_744),
    ],
)
def test_consumed_samples(ramp: Rampup, iteration: int, consumed: int) -> None:
    assert ramp.consumed(iteration) == consumed


@pytest.mark.parametrize(("ramp", "iterations"), [(TR8, 311_541), (TR1, 159_576)])
def test_iterations_for_300_million_samples(ramp: Rampup, iterations: int) -> None:
    assert ramp.iterations(300_000_000) == iterations


def test_no_ramp_is_the_final_size_from_the_start() -> None:
    flat = Rampup(1024, 0, 0, 1024)
    assert flat.batch_size(0) == 1024
    assert flat.consumed(10) == 10_240
    assert flat.iterations(10_239) == 9


@given(
    start=st.integers(1, 64),
    increment=st.integers(1, 64),
    stages=st.integers(0, 20),
    samples=st.integers(1, 20_000),
    iterations=st.integers(0, 400),
)
def test_stage_by_stage_is_iteration_by_iteration(
    start: int, increment: int, stages: int, samples: int, iterations: int
) -> None:
    ramp = Rampup(start, increment, samples, start + stages * increment)
    consumed = 0
    for _ in range(iterations):
        consumed += ramp.batch_size(consumed)
    assert ramp.consumed(iterations) == consumed


@given(
    start=st.integers(1, 64),
    increment=st.integers(1, 64),
    stages=st.integers(0, 20),
    samples=st.integers(1, 20_000),
    target=st.integers(0, 40_000),
)
def test_planned_iterations_are_what_megatron_counts(
    start: int, increment: int, stages: int, samples: int, target: int
) -> None:
    """megatron/training.py: ramp up while consumed <= samples, then whole batches of the final size."""
    ramp = Rampup(start, increment, samples, start + stages * increment)
    consumed = iterations = 0
    while consumed <= samples and consumed < target and ramp.batch_size(consumed) != ramp.final:
        consumed += ramp.batch_size(consumed)
        iterations += 1
    iterations += max(0, (target - consumed) // ramp.final)
    assert ramp.iterations(target) == iterations


@pytest.mark.parametrize(
    ("target", "interval", "last"), [(1000, 18, 990), (1000, 10, 1000), (10, 18, 0), (10, 0, 0)]
)
def test_the_last_save(target: int, interval: int, last: int) -> None:
    assert last_save(target, interval) == last


@pytest.mark.parametrize(
    ("progress", "rate", "seconds"),
    [
        (Progress("tokens", 200e9, 300e9), 1e6, 100_000),
        (Progress("samples", 10, 10), 5, 0),
        (Progress("samples", 11, 10), 5, 0),
        (Progress("samples", 1, 10), 0, None),
        (Progress("samples", 1, 10), None, None),
        (None, 5, None),
    ],
)
def test_eta(progress: Progress | None, rate: float | None, seconds: float | None) -> None:
    assert eta_s(progress, rate) == seconds


def test_a_share_is_never_more_than_all() -> None:
    assert Progress("samples", 11, 10).share == 1.0
    assert Progress("samples", 5, 10).share == 0.5
    assert Progress("samples", 5, 0).share == 0.0
