"""A median from counts: exact, without NaN, and bounded when every value differs."""

from array import array
from statistics import median

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainwatch.core.spread import Spread


@given(st.lists(st.lists(st.floats(0.001, 1e6), max_size=40), max_size=5))
def test_it_is_the_median(blocks: list[list[float]]) -> None:
    spread = Spread()
    for block in blocks:
        spread.add(array("d", block))
    values = [value for block in blocks for value in block]
    assert spread.median() == (median(values) if values else None)


def test_what_was_not_measured_does_not_count() -> None:
    spread = Spread()
    spread.add(array("d", (1.0, float("nan"), 3.0)))
    spread.add(array("d", (float("nan"),)))
    assert spread.median() == 2.0


def test_too_many_different_values_are_rounded_and_kept_few() -> None:
    values = [100 + n * 1e-9 for n in range(20_000)] + [200.0] * 5
    spread = Spread(most=1000)
    for start in range(0, len(values), 500):
        spread.add(array("d", values[start : start + 500]))
    assert spread.median() == pytest.approx(median(values), rel=1e-6)
    assert len(spread._counts) <= 1500
