"""Which node failed attempts have in common: by literal lists."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from trainwatch.core.suspects import FEW, suspects

AB, AC, AD, BC = ("a1", "b1"), ("a1", "c1"), ("a1", "d1"), ("b1", "c1")
MANY = tuple(f"n{n}" for n in range(48))

# failed, did well, what is said
CASES: dict[str, tuple[list[tuple[str, ...]], list[tuple[str, ...]], str]] = {
    "one in both": ([AB, AC], [], "a1 was in all 2 of them"),
    "one in all, and in none that did well": ([AB, AC, AD], [BC], "a1 was in all 3 of them"),
    "two may be chance, as it did well before": ([AB, AC], [AD], ""),
    "three are too many for chance": ([AB, AC, AD], [AB], "a1 was in all 3 of them"),
    "all but one": ([AB, AC, AD, BC], [], "a1 was in 3 of 4"),
    "all but one of three": ([AB, AC, BC], [], ""),
    "one failure": ([AB], [], ""),
    "none": ([], [], ""),
    "nothing known of one": ([AB, (), AC], [], "a1 was in all 2 of them"),
    "the same nodes each time": ([AB, AB, AB], [], ""),
    "the same node each time, of a small job": ([("a1",)] * 4, [], ""),
    "the same nodes each time, and they did well": ([AB, AB], [AB], ""),
    "the same nodes each time, others did well": ([AB, AB], [("c1",)], "a1,b1 were in all 2 of them"),
    "too many in common": ([MANY, (*MANY, "x1"), (*MANY, "y1")], [], ""),
    "one of many is new": ([(*MANY, "x1")] * 3, [MANY], "x1 was in all 3 of them"),
    "no names of nodes": ([("a b", "x"), ("a b", "y")], [], ""),
    "folded": (
        [("r1i2n9", "r1i2n10", "a"), ("r1i2n10", "r1i2n9", "b")],
        [],
        "r1i2n[9-10] were in all 2 of them",
    ),
}  # fmt: skip


@pytest.mark.parametrize(("failed", "well", "said"), CASES.values(), ids=CASES)
def test_who_is_suspect(
    failed: list[tuple[str, ...]], well: list[tuple[str, ...]], said: str
) -> None:
    found = suspects(failed, well)
    assert ("" if found is None else found.said) == said


_places = st.frozensets(st.sampled_from([f"n{n}" for n in range(8)]), max_size=6)


@given(failed=st.lists(_places, max_size=7), well=st.lists(_places, max_size=4))
def test_suspects_are_few_and_in_the_failures(
    failed: list[frozenset[str]], well: list[frozenset[str]]
) -> None:
    found = suspects(failed, well)
    if found is None:
        return
    assert 0 < len(found.nodes) <= FEW
    for node in found.nodes:
        assert sum(node in places for places in failed) >= found.times >= 2
    assert set().union(*failed, *well) > set(found.nodes)
