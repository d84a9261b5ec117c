"""Attempts apart from each other, and another run, in one chart."""

import numpy as np
import pytest

from tests.app.tui.runs import STATUS
from trainwatch.app.tui.chart.drawing import Drawing, Marked
from trainwatch.app.tui.chart.frame import framed
from trainwatch.app.tui.chart.metrics import METRICS, Table
from trainwatch.app.tui.chart.orders import ordered
from trainwatch.app.tui.chart.overlay import ALONE, Beside, Compared, Overlay, Overlays
from trainwatch.app.tui.chart.parts import Parts, parts_of
from trainwatch.app.tui.chart.traces import Trace

NAN = np.nan
LOSS = METRICS[0]


def table(attempts: tuple[float, ...], iterations: tuple[float, ...]) -> Table:
    count = len(iterations)
    return {
        "attempt": np.array(attempts, float),
        "iteration": np.array(iterations, float),
        "at_s": np.arange(count) * 10.0,
        "loss": np.arange(count) * 1.0,
        "flags": np.zeros(count),
    }


def parts(attempts: tuple[float, ...], iterations: tuple[float, ...]) -> Parts:
    rows = table(attempts, iterations)
    return parts_of((LOSS,), rows, ordered("iteration", rows, STATUS), STATUS)


def stretches(made: Parts) -> list[tuple[int, list[float]]]:
    return [
        (int(number), made.x[start:stop].tolist())
        for number, start, stop in zip(made.attempts, made.starts, made.stops, strict=True)
    ]


def test_each_attempt_is_a_stretch() -> None:
    made = parts((0, 0, 0, 1, 1, 1), (1, 2, 3, 2, 3, 4))
    assert stretches(made) == [(1, [1, 2, 3]), (2, [2, 3, 4])]
    assert made.ys["loss"].tolist() == [0, 1, 2, 3, 4, 5]


def test_one_that_goes_back_within_itself_is_two_and_what_has_no_number_is_left_out() -> None:
    assert stretches(parts((0, 0, 0, 0), (1, 2, 1, 2))) == [(1, [1, 2]), (1, [1, 2])]
    assert stretches(parts((0, 0, 1), (1, NAN, 2))) == [(1, [1]), (2, [2])]
    assert stretches(parts((), ())) == []


def test_along_a_clock() -> None:
    rows = table((0, 0, 1), (1, 2, 2))
    made = parts_of((LOSS,), rows, ordered("time", {**rows}, STATUS), STATUS)
    assert stretches(made) == [(1, [0, 10]), (2, [20])]


def test_the_last_ones_in_view_are_shown() -> None:
    many = parts(tuple(n // 2 for n in range(40)), tuple(float(n) for n in range(1, 41)))
    overlay = Overlays().of("loss", many, None, (1, 40), log=False)
    assert [line.name for line in overlay.lines] == ["16", "17", "18", "19", "20"]
    assert [line.sign for line in overlay.lines] == list("abcde")
    assert (overlay.attempts, overlay.left_out) == (True, 15)
    overlay = Overlays().of("loss", many, None, (2, 5), log=False)
    assert [line.name for line in overlay.lines] == ["1", "2", "3"]


def test_what_is_the_same_is_not_made_again() -> None:
    made, few = Overlays(), parts((0, 0, 1), (1, 2, 2))
    other = Compared("b", {"loss": Trace(np.ones(1), np.ones(1))})
    first = made.of("loss", few, other, (1, 2), log=False)
    assert made.of("loss", few, Compared("b", other.traces), (1.0, 2.0), log=False) is first
    assert made.of("loss", few, other, (1, 2), log=True) is not first
    assert made.of("loss", None, None, (1, 2), log=False) is ALONE


def drawing(other: float, **options: object) -> Drawing:
    x = np.arange(1.0, 101)
    line = Beside("○", "tr12[bold]", "other", x, np.full(100, other))
    trace = Trace(x, np.full(100, 2.0))
    made = Drawing(LOSS, trace, Marked(), 1, 100, overlay=Overlay((line,)))
    return made._replace(**options)  # type: ignore[arg-type]


def text(made: Drawing, width: int = 100) -> str:
    return "\n".join("".join(part for part, _ in row) for row in framed(made, width, 12))


def test_both_values_and_how_far_they_are_apart() -> None:
    title = text(drawing(2.5, cursor=50.0)).splitlines()[0]
    assert "loss  ○ tr12[bold]" in title
    assert " 2  ○ 2.500 (+0.5000) at 50 " in title
    assert "○ 1.500 (-0.5000)" in text(drawing(1.5))


def test_another_run_that_ended_before_has_no_value_here() -> None:
    x = np.arange(1.0, 21)
    line = Beside("○", "b", "other", x, x)
    made = drawing(1)._replace(overlay=Overlay((line,)), cursor=90.0)
    assert "○ – at 90" in text(made)
    assert "(nothing here)" in text(made._replace(left=50, right=100))


@pytest.mark.parametrize("style", ["other", "attempt-a", "attempt-e"])
def test_a_line_has_its_sign_on_it(style: str) -> None:
    sign = "○" if style == "other" else style[-1]
    x = np.arange(1.0, 101)
    line = Beside(sign, "b", style, x, np.full(100, 3.0))
    styled = framed(drawing(1)._replace(overlay=Overlay((line,))), 100, 12)[1:-1]
    signs = [(part, name) for row in styled for part, name in row if sign in part]
    assert sum(part.count(sign) for part, _ in signs) >= 3
    assert {name for _, name in signs} == {style}


def test_the_axis_has_room_for_all() -> None:
    rows = text(drawing(1000.0)).splitlines()[1:-1]
    assert "○" in "".join(rows[:2])
    assert any(0x2800 < ord(c) < 0x2900 for c in "".join(rows[-2:]))
