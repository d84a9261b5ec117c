"""Means in sums: block by block and row by row the same."""

import pytest

from trainwatch.core.columns import NAN, Columns
from trainwatch.core.means import Means

VALUES = (10.0, NAN, 20.0, float("inf"), 60.0)


def table(*values: float) -> Columns:
    rows = Columns()
    for value in values:
        rows.append({"tflops": value, "loss": 1.0})
    return rows


def test_what_is_unknown_or_infinite_does_not_count() -> None:
    means = Means()
    means.add(table(*VALUES))
    assert means.means() == {"tflops": 30.0}


@pytest.mark.parametrize("cut", range(len(VALUES) + 1))
def test_blocks_and_rows_come_to_the_same(cut: int) -> None:
    means = Means()
    means.add(table(*VALUES[:cut]))
    for value in VALUES[cut:]:
        means.add_row({"tflops": value})
    assert means.means() == {"tflops": 30.0}


def test_nothing_printed_is_no_mean() -> None:
    assert Means().means() == {}
