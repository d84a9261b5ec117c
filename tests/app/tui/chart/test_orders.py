"""Which rows count and where they are: against iterations, tokens and time."""

import numpy as np
import pytest

from tests.app.tui.runs import STATUS
from trainwatch.app.tui.chart.look import Look, turned
from trainwatch.app.tui.chart.metrics import METRICS, Floats, Table
from trainwatch.app.tui.chart.orders import ordered
from trainwatch.app.tui.chart.traces import trace_of
from trainwatch.app.tui.chart.view import WHOLE, View
from trainwatch.app.tui.chart.xaxis import ITERATIONS, Axis, usual_distance
from trainwatch.core.columns import AT_DERIVED, LOSS_NAN

NAN = np.nan
# 1 2 3 4, back to the checkpoint of 2, a loss of NaN, and on
ITERATION = (1, 2, 3, 4, 3, 4, 5)
AT = (10, 20, 30, 40, 100, 110, 120)
LOSS = METRICS[0]


def table(**columns: object) -> Table:
    count = len(ITERATION)
    names = ("consumed_tokens", "consumed_samples", "global_batch_size", "at_s", "flags", "loss")
    made: dict[str, Floats] = {name: np.full(count, NAN) for name in names}
    made["iteration"] = np.array(ITERATION, float)
    made["loss"] = np.array((7, 6, 5, 4, 5.5, NAN, 3))
    made["flags"] = np.array((0, 0, 0, 0, 0, LOSS_NAN, 0), float)
    return {**made, **{n: np.array(c, float) for n, c in columns.items()}}


def test_against_iterations_what_was_trained_again_lies_under_what_replaced_it() -> None:
    trace = trace_of(LOSS, table(), ordered("iteration", table(), STATUS), STATUS)
    assert trace.x.tolist() == [1, 2, 3, 4, 5]
    assert trace.y[:3].tolist() == [7, 6, 5.5]
    assert (trace.old_x.tolist(), trace.old_y.tolist()) == ([3, 4], [5, 4])
    assert trace.bad.tolist() == [4]


def test_on_a_clock_it_stands_apart_and_time_rises() -> None:
    rows = table(at_s=AT)
    order = ordered("time", rows, STATUS)
    trace = trace_of(LOSS, rows, order, STATUS)
    assert trace.x.tolist() == [10, 20, 100, 110, 120]
    assert trace.old_x.tolist() == [30, 40]
    assert trace.bad.tolist() == [110]
    assert order.axis.kind == "time"
    assert order.axis.place(np.array([3.0, 9.0])).tolist() == pytest.approx([100, NAN], nan_ok=True)
    assert order.axis.iteration(105.0) == 3.5


def test_a_clock_that_was_set_back_rises_all_the_same() -> None:
    rows = table(at_s=(10, 20, 30, 40, 15, 110, 120))
    trace = trace_of(LOSS, rows, ordered("time", rows, STATUS), STATUS)
    assert trace.x.tolist() == [10, 15, 20, 110, 120]
    assert trace.y[:3].tolist() == [7, 5.5, 6]


def test_rows_without_a_time_are_not_shown_and_that_is_said() -> None:
    flags = (0, 0, 0, 0, AT_DERIVED, AT_DERIVED, 0)
    order = ordered("time", table(at_s=(10, NAN, NAN, 40, 100, 110, 120), flags=flags), STATUS)
    assert order.x.tolist() == [10, 100, 110, 120]
    assert order.old_x.tolist() == [40]
    assert order.axis.note == (
        "1 without a time are not shown; 50 % of the times are added up since a time stamp"
    )


def test_a_sum_of_step_times_is_no_clock() -> None:
    rows = table(step_time_s=[10.0] * 7)
    order = ordered("time", rows, STATUS)
    assert (order.axis.kind, order.x.tolist()) == ("iteration", [1, 2, 3, 4, 5])
    assert "the log has no clock" in order.axis.trouble


def test_tokens_as_the_log_counts_them() -> None:
    told = (100, 200, 300, 400, 310, 410, 510)
    order = ordered("tokens", table(consumed_tokens=told), STATUS)
    assert order.x.tolist() == [100, 200, 310, 410, 510]
    assert order.old_x.tolist() == [310, 410]
    assert (order.axis.unit, order.axis.note) == (100, "")


def test_tokens_between_those_that_are_known() -> None:
    told = (NAN, 200, 300, 400, NAN, 400, NAN)
    rows = table(consumed_tokens=told)
    order = ordered("tokens", rows, STATUS)
    assert order.x.tolist() == [200, 300, 400]  # before and behind nothing is known
    trace = trace_of(LOSS, rows, order, STATUS)
    assert trace.y[:2].tolist() == [6, 5.5]
    assert order.axis.place(np.array([1.0, 2.5, 5.0])).tolist() == pytest.approx(
        [NAN, 250, NAN], nan_ok=True
    )


def test_tokens_from_samples_and_the_sequence_length() -> None:
    order = ordered("tokens", table(consumed_samples=(8, 16, 24, 32, 24, 32, 40)), STATUS)
    assert order.x.tolist() == [2048.0 * n for n in (8, 16, 24, 32, 40)]


def test_tokens_added_up_from_a_batch_size_that_grows() -> None:
    order = ordered("tokens", table(global_batch_size=(1, 1, 2, 2, 2, 2, 4)), STATUS)
    assert order.x.tolist() == [2048.0 * n for n in (1, 2, 4, 6, 10)]
    assert order.axis.note == "tokens are added up from the batch size"


def test_tokens_of_what_was_before_the_log_are_not_invented() -> None:
    late = {"iteration": [n + 5000 for n in ITERATION]}
    grows = table(global_batch_size=(1, 1, 2, 2, 2, 2, 4), **late)
    assert "not known" in ordered("tokens", grows, STATUS).axis.trouble
    even = ordered("tokens", table(global_batch_size=[2] * 7, **late), STATUS)
    assert even.x[0] == 2 * 2048 * 5001


def test_neither_tokens_nor_samples() -> None:
    order = ordered("tokens", table(), STATUS)
    assert (order.axis.kind, len(order.x)) == ("iteration", 5)
    assert "neither tokens nor samples" in order.axis.trouble


@pytest.mark.parametrize("kind", ["iteration", "tokens", "time"])
def test_nothing_at_all(kind: str) -> None:
    rows = {name: np.empty(0) for name in table()}
    order = ordered(kind, rows, STATUS)  # type: ignore[arg-type]
    assert (order.axis.kind, len(order.x)) == ("iteration", 0)


def test_the_usual_distance() -> None:
    assert usual_distance(np.array([0.0, 5, 10, 15, 9000])) == 5
    assert usual_distance(np.arange(0, 1e6, 2.0)) == 2
    assert usual_distance(np.array([3.0])) == 1


TIME = Axis("time", np.array([1.0, 101.0]), np.array([1000.0, 2000.0]), unit=10.0)


@pytest.mark.parametrize(
    ("look", "expected"),
    [
        (Look(), Look()),
        (Look(cursor=51), Look(cursor=1500)),
        (Look(View(50, 101)), Look(View(500, 2000))),
        (Look(View(50)), Look(View(500))),  # goes along with the newest as before
        (Look(View(2, 51)), Look(WHOLE)),  # too little of it
    ],
)
def test_another_axis_shows_the_same_iterations(look: Look, expected: Look) -> None:
    assert turned(look, ITERATIONS, (1, 101), TIME, 2000) == expected
    if look.view.span != 2:
        assert turned(expected, TIME, (1000, 2000), ITERATIONS, 101) == look
