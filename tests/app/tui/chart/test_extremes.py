"""Charts of any floats at all, along any axis: nothing fails, and numpy has nothing to warn of."""

from array import array
from typing import get_args

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from msgspec.structs import replace

from tests.app.tui.histories import history
from tests.app.tui.runs import HEALTHY
from trainwatch.app.tui.chart.drawings import Drawings, Scene
from trainwatch.app.tui.chart.frame import framed
from trainwatch.app.tui.chart.look import Look, turned
from trainwatch.app.tui.chart.metrics import METRICS
from trainwatch.app.tui.chart.moving import ends
from trainwatch.app.tui.chart.traces import Traces
from trainwatch.app.tui.chart.view import WHOLE, panned, zoomed
from trainwatch.app.tui.chart.xaxis import Kind
from trainwatch.core.columns import COLUMNS

_MOST = float(np.finfo(np.float64).max)
_ODD = (0.0, -0.0, 1.0, -1.0, np.nan, np.inf, -np.inf, _MOST, -_MOST, 5e-324, 1e17, 1e154, 1e-300)
FLOATS = st.sampled_from(_ODD) | st.floats()
# What the user does: closer, further, to a side; a share of what there is is where the cursor stands.
MOVES = st.lists(st.sampled_from((1.5, 1 / 1.5, 40.0, -0.1, -0.9)), max_size=4)
SHARES = st.none() | st.floats(0, 1)


@st.composite
def tables(draw: st.DrawFn) -> dict[str, "array[float]"]:
    """History whose columns are well-formed, or nothing of the kind."""
    rows = draw(st.integers(0, 30))
    start = draw(st.sampled_from((1, 10**6, 10**15)))
    table = {name: array("d", draw(_column(rows))) for name in COLUMNS}
    if draw(st.booleans()):
        table["iteration"] = array("d", range(start, start + rows))
    return table


def _column(rows: int) -> st.SearchStrategy[list[float]]:
    alike = FLOATS.map(lambda value: [value] * rows)
    rising = st.lists(FLOATS, min_size=rows, max_size=rows).map(sorted)
    tiny = st.just([5e-324 * row for row in range(rows)])  # no float is their slope
    return alike | rising | tiny | st.lists(FLOATS, min_size=rows, max_size=rows)


@pytest.mark.parametrize("kind", get_args(Kind))
@settings(max_examples=60, deadline=None)
@given(tables(), MOVES, st.integers(0, 2), st.booleans(), SHARES)
def test_anything_can_be_drawn(
    kind: Kind,
    table: dict[str, "array[float]"],
    moves: list[float],
    smooth: int,
    odd: bool,
    share: float | None,
) -> None:
    snapshot = replace(HEALTHY, history=history(table))
    traces, drawings = Traces(), Drawings()
    axis = traces.along(snapshot, kind)
    made, parts = traces.of(snapshot, METRICS), traces.parts(snapshot, METRICS)
    marked = drawings.marked(snapshot, axis, traces.batches(snapshot))
    first, last = ends(made.values())
    cursor = None if share is None else first + share * last - share * first
    keys = frozenset(metric.key for metric in METRICS) if odd else frozenset[str]()
    look = Look(WHOLE, cursor, log=keys, whole=keys, axis=kind, smooth=smooth, split=odd)
    for move in (*moves, 1.0):
        left, right = look.view.range(first, last)
        scene = Scene(look, axis, marked, left, right, parts if odd else None)
        for metric in METRICS[:5]:
            rows = framed(drawings.of(metric, made[metric.key], scene, ()), 60, 9)
            assert [sum(len(text) for text, _ in row) for row in rows] == [60] * 9
        moved = panned(look.view, -move, first, last) if move < 0 else None
        look = look._replace(view=moved or zoomed(look.view, move, cursor, first, last, axis.unit))


@settings(max_examples=100, deadline=None)
@given(tables(), MOVES, SHARES)
def test_along_any_axis_the_same_iterations_are_found_on_another(
    table: dict[str, "array[float]"], moves: list[float], share: float | None
) -> None:
    snapshot = replace(HEALTHY, history=history(table))
    seen = {}
    for kind in get_args(Kind):
        traces = Traces()
        axis = traces.along(snapshot, kind)
        seen[kind] = axis, ends(traces.of(snapshot, METRICS).values())
    for axis, (first, last) in seen.values():
        cursor = None if share is None else first + share * last - share * first
        view = WHOLE
        for move in moves:
            moved = panned(view, -move, first, last) if move < 0 else None
            view = moved or zoomed(view, move, cursor, first, last, axis.unit)
        round(axis.iteration(last if cursor is None else cursor))
        for other, (_, end) in seen.values():
            turned(Look(view, cursor), axis, (first, last), other, end)


def test_tokens_between_iterations_that_no_float_divides_are_known_all_the_same() -> None:
    rows = 14
    tiny, none = [5e-324 * row for row in range(rows)], [0.0] * rows
    table = {name: array("d", none) for name in COLUMNS}
    tokens = [*none[2:], np.inf, 1.0]
    table |= {"iteration": array("d", tiny), "consumed_tokens": array("d", tokens)}
    axis = Traces().along(replace(HEALTHY, history=history(table)), "tokens")
    assert list(axis.x) == [*none[2:], 1.0, 1.0]
