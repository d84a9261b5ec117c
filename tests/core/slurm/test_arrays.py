"""Ids of arrays as squeue shows them: which tasks they stand for."""

import pytest

from trainwatch.core.slurm.arrays import tasks_of

CASES = {
    "7_3": ("7", {3}),
    "7_[3]": ("7", {3}),
    "7_[2-5%1]": ("7", {2, 3, 4, 5}),
    "7_[0,3-5,9]": ("7", {0, 3, 4, 5, 9}),
    "7_[0-9:4]": ("7", {0, 4, 8}),
}


@pytest.mark.parametrize(("shown", "array", "tasks"), [(k, *v) for k, v in CASES.items()])
def test_the_tasks_of_a_row(shown: str, array: str, tasks: set[int]) -> None:
    found = tasks_of(shown)
    assert found.array == array
    assert {n for n in range(12) if found.may_hold(n)} == tasks


@pytest.mark.parametrize(
    "shown", ["7", "7_[1,3,5,...]", "7_[1-3,...%2]", "7_[]", "7_x", "7_[0-9:0"]
)
def test_where_nobody_knows_it_may_be_any(shown: str) -> None:
    found = tasks_of(shown)
    assert found.array == "7"
    assert found.may_hold(11)
