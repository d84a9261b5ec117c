"""Few points of many values: what stands out stays, lines end where attempts do."""

import math
from array import array

from hypothesis import given, settings
from hypothesis import strategies as st

from trainwatch.core.thinning import Thinned

VALUES = st.floats(allow_nan=True, allow_infinity=True, width=32)
ATTEMPTS = st.lists(st.lists(VALUES, max_size=80), max_size=12)


def thinned(attempts: list[list[float]], most: int, size: int) -> Thinned:
    """Rows are numbered on; each attempt is taken in pieces of some size."""
    made, row = Thinned(most), 0
    for index, values in enumerate(attempts):
        for start in range(0, len(values), size):
            part = values[start : start + size]
            rows = array("d", range(row + start, row + start + len(part)))
            made.add(index, rows, rows, array("d", part))
        row += len(values)
    return made


@settings(deadline=None)
@given(ATTEMPTS, st.integers(4, 20), st.integers(1, 50))
def test_least_greatest_order_and_bound(attempts: list[list[float]], most: int, size: int) -> None:
    made = thinned(attempts, most, size)
    rows = [value for values in attempts for value in values]
    known = [value for value in rows if math.isfinite(value)]
    points = [point for one in made.bins() for point in (one.first, one.second)]
    assert len(made.bins()) <= most
    assert sum(one.rows for one in made.bins()) == len(known)
    assert [p.iteration for p in points] == sorted(p.iteration for p in points)
    assert all(rows[int(p.iteration)] == p.value and p.at == p.iteration for p in points)
    if known:
        assert min(p.value for p in points) == min(known)
        assert max(p.value for p in points) == max(known)
    if len(attempts) == 1:
        assert made.bins() == thinned(attempts, most, 1000).bins()  # however it came


def test_a_stretch_ends_where_an_attempt_does_as_long_as_there_is_room() -> None:
    made = thinned([[1.0] * 1000, [2.0] * 1000, [3.0] * 1000], 50, 100)
    assert {(one.attempt, one.first.value, one.second.value) for one in made.bins()} == {
        (0, 1.0, 1.0),
        (1, 2.0, 2.0),
        (2, 3.0, 3.0),
    }
    assert 20 <= len(made.bins()) <= 50
