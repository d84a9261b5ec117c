"""What is in view where numbers are as large as they can be: nothing fails, and all is in view."""

import numpy as np
import pytest

from trainwatch.app.tui.chart.metrics import whole
from trainwatch.app.tui.chart.view import WHOLE, View, between, moved_to, panned, zoomed


@pytest.mark.parametrize("view", [WHOLE, View(8.0), View(8.0, 1e300), View(1e-300, 1e300)])
@pytest.mark.parametrize(
    ("first", "last"), [(1e300, 1e300), (0.0, 0.0), (1e17, 1e17 + 16), (-1e308, 1e308)]
)
def test_no_float_lies_between(view: View, first: float, last: float) -> None:
    made = (
        zoomed(view, 1.5, None, first, last),
        zoomed(view, 0.5, first, first, last),
        panned(view, 0.1, first, last),
        moved_to(view, last, first, last),
        between(first, None, first, last),
    )
    for each in made:
        left, right = each.range(first, last)
        assert left <= right
        assert each.span is None or each.span > 0


def test_zoom_keeps_the_place_it_is_around() -> None:
    left, right = zoomed(WHOLE, 2.0, 25.0, 0.0, 100.0).range(0.0, 100.0)
    assert (right - left, (25.0 - left) / (right - left)) == (50.0, 0.25)


def test_whole_numbers_of_any_floats() -> None:
    floats = np.array([np.nan, np.inf, -np.inf, 1e300, 7.0, -0.5])
    assert whole(floats).tolist() == [0, 2**53, -(2**53), 2**53, 7, 0]
