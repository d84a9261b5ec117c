"""What is marked in a chart, and where there would be too many marks."""

from array import array

import numpy as np
import pytest
from msgspec.structs import replace

from tests.app.tui.driving import opened, text_of, until
from tests.app.tui.runs import HEALTHY
from trainwatch.app.tui.chart.bottom import bottom, changed
from trainwatch.app.tui.chart.canvas import Sides, column_of
from trainwatch.app.tui.chart.drawing import Drawing, Marked
from trainwatch.app.tui.chart.metrics import METRICS
from trainwatch.app.tui.chart.orders import order_of
from trainwatch.app.tui.chart.traces import Trace, changes

NAN = np.nan


def test_places_as_far_apart_as_numbers_can_be_have_cells() -> None:
    most = np.finfo(np.float64).max
    far = np.array([-most, 0.0, most])
    assert {*column_of(far, Sides(-most, most), 80)} <= {*range(80)}


@pytest.mark.parametrize(
    ("iterations", "sizes", "places"),
    [
        ((1, 2, 3, 4), (8, 8, 16, 16), [3]),
        ((1, 2, 3, 4), (8, 16, 24, 32), [2, 3, 4]),
        ((1, 2, 3, 4), (8, NAN, 8, 16), [4]),  # unknown is no change
        ((1, 2, 3, 2, 3, 4), (8, 8, 16, 8, 8, 8), []),  # it was trained again without one
        ((1, 2), (NAN, NAN), []),
        ((), (), []),
    ],
)
def test_where_the_batch_size_changes(
    iterations: tuple[float, ...], sizes: tuple[float, ...], places: list[float]
) -> None:
    order = order_of(np.array(iterations, float))
    assert changes(np.array(sizes, float), order).tolist() == places


def drawing(batches: list[float], saved: tuple[float, ...] = ()) -> Drawing:
    x = np.arange(1.0, 1001)
    marked = Marked(batches=np.array(batches, float), saved=np.array(saved, float))
    return Drawing(METRICS[0], Trace(x, x), marked, 1, 1000)


def test_a_few_changes_are_all_marked_and_a_ramp_with_its_ends() -> None:
    assert changed(drawing([101, 501]), 100) == [10, 50]
    assert changed(drawing([float(n) for n in range(101, 502, 10)]), 100) == [10, 50]
    assert changed(drawing([5000]), 100) == []


def test_marks_keep_off_the_labels() -> None:
    row = "".join(text for text, _ in bottom(drawing([201, 401], (401, 301, 501)), 100))[8:]
    assert [row[at] for at in (20, 30, 40, 50)] == ["≡", "▵", "≡", "▵"]
    for place in ("200", "400", "600", "800"):  # beside its column, on the left or the right of it
        at = row.index(place)
        assert {row[at - 1], row[at + 3]} & {*"╵≡▵"}
    assert row[row.index("600") - 1] == "╵"


def test_an_axis_keeps_its_labels_whatever_is_marked() -> None:
    everywhere = tuple(float(n) for n in range(1, 1001, 10))
    row = "".join(text for text, _ in bottom(drawing([], everywhere[::9]), 100))[8:]
    assert "400" in row
    assert row.count("▵") > 5


async def test_it_is_seen_on_every_chart() -> None:
    column = array("d", HEALTHY.history.columns["global_batch_size"])
    for row in range(1400, len(column)):
        column[row] = 4096.0
    table = {**HEALTHY.history.columns, "global_batch_size": column}
    run = replace(HEALTHY, history=replace(HEALTHY.history, columns=table))
    async with opened(run, (80, 40)) as pilot:
        await until(pilot, lambda: text_of(pilot).count("⋮") > 3, "the mark")
        assert text_of(pilot).count("≡") == 1
        await pilot.press("X", "X")
        await until(pilot, lambda: "against time" in text_of(pilot), "the time")
        assert text_of(pilot).count("≡") == 1
