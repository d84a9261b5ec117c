"""Smoothing: the mean over a window, and the values themselves still there."""

import numpy as np
import pytest

from trainwatch.app.tui.chart.bins import binned
from trainwatch.app.tui.chart.canvas import Sides
from trainwatch.app.tui.chart.drawing import Drawing, Marked
from trainwatch.app.tui.chart.frame import framed
from trainwatch.app.tui.chart.lines import line_of
from trainwatch.app.tui.chart.metrics import METRICS, Floats
from trainwatch.app.tui.chart.smoothing import margin, smoothed, window
from trainwatch.app.tui.chart.traces import NOTHING, Trace

COUNT = 100


def drawing(x: Floats, y: Floats, smooth: float, left: float, right: float) -> Drawing:
    return Drawing(METRICS[2], Trace(x, y), Marked(), left, right, smooth=smooth)


def smooth_line(y: Floats, smooth: float, left: float = 1, right: float = 1000) -> Floats:
    x = np.arange(1.0, len(y) + 1)
    return line_of(x, y, NOTHING, drawing(x, y, smooth, left, right), COUNT).mean


@pytest.mark.parametrize(
    ("level", "kind", "sides", "expected"),
    [
        (0, "iteration", Sides(0, 1e6), 0),
        (1, "iteration", Sides(1, 3600), 50),
        (2, "iteration", Sides(1, 3600), 200),
        (1, "iteration", Sides(0, 1e6), 10_000),
        (1, "iteration", Sides(0, 100), 5),  # fewer smooth nothing
        (1, "iteration", Sides(0, 20), 2),  # and of a short view a tenth at most
        (2, "iteration", Sides(0, 40), 10),  # or a fourth
        (2, "tokens", Sides(0, 330e3, 41e3), 50e3),  # a row every ten iterations
        (2, "tokens", Sides(0, 300e9, 4e6), 20e9),
        (1, "time", Sides(0, 86400, 5), 900),
        (1, "time", Sides(0, 0, 5), 0),
    ],
)
def test_the_window_goes_with_the_view(
    level: int, kind: str, sides: Sides, expected: float
) -> None:
    assert window(level, kind, sides) == expected  # type: ignore[arg-type]


def test_it_is_the_mean_over_the_window() -> None:
    y = np.random.default_rng(1).normal(0, 1, 3000)
    line = smooth_line(y, 200, 1001, 2000)
    for column in (0, 50, 99):  # at the edges, too, with what lies beyond the view
        middle = 1000 + 10 * column + 5
        assert line[column] == pytest.approx(y[middle - 105 : middle + 105].mean(), abs=1e-9)


def test_a_straight_line_stays_one() -> None:
    line = smooth_line(np.arange(3000.0), 200, 1001, 2000)
    assert np.diff(line) == pytest.approx(np.full(99, 10.0))


def test_one_large_spike_leaves_what_is_far_from_it_alone() -> None:
    y = np.full(1000, 2.0)
    y[100] = 1e30
    line = smooth_line(y, 50)
    assert line[30:].tolist() == [2.0] * 70


def test_values_that_are_unknown_count_for_nothing() -> None:
    y = np.full(1000, 3.0)
    y[400:700] = np.nan
    line = smooth_line(y, 50)
    assert line[~np.isnan(line)].tolist() == [3.0] * 100
    assert np.isnan(smooth_line(np.full(1000, np.nan), 50)).all()
    assert np.isnan(smooth_line(np.empty(0), 50)).all()


def test_there_is_no_line_before_the_first_and_behind_the_last() -> None:
    line = smooth_line(np.ones(500), 100)
    assert np.isfinite(line[:50]).all()
    assert np.isnan(line[50:]).all()


def test_few_values_are_joined() -> None:
    x = np.array([1.0, 400, 1000])
    line = line_of(x, x, NOTHING, drawing(x, x, 20, 1, 1000), COUNT).mean
    assert np.isfinite(line).all()


def test_all_there_is_in_one_bin() -> None:
    assert margin(50, Sides(5, 5, 0), 100) == 0
    bins = binned(np.ones(3), np.ones(3), NOTHING, 1, 1, 10)
    assert np.isnan(smoothed(bins, 2)).all()


def rows(y: Floats, smooth: float, width: int = 60) -> str:
    x = np.arange(1.0, len(y) + 1)
    styled = framed(drawing(x, y, smooth, 1, len(y))._replace(whole=True), width, 20)
    return "\n".join("".join(text for text, _ in row) for row in styled)


@pytest.mark.parametrize("count", [40, 1000, 100_000])
def test_no_spike_is_hidden(count: int) -> None:
    """Whatever is lit without smoothing by the greatest and the least values, is lit with it."""
    y = np.random.default_rng(1).normal(0, 1, count)
    y[count // 3], y[count // 2] = 40.0, -40.0
    for smooth in (count / 40, count / 8):
        plain, smoothed_rows = rows(y, 0).splitlines(), rows(y, smooth).splitlines()
        assert smoothed_rows[1].strip(" ⠀").endswith(plain[1].strip(" ⠀")[-1:])
        for before, after in zip(plain[1:5], smoothed_rows[1:5], strict=True):
            lit = [n for n, c in enumerate(before) if 0x2800 < ord(c) < 0x2900]
            assert all(0x2800 < ord(after[n]) < 0x2900 for n in lit)


def test_the_title_says_how_smooth() -> None:
    y = np.ones(100)
    assert "smooth 50" in rows(y, 50)
    assert "smooth" not in rows(y, 0)
