"""Our braille canvas beside `textual-plot`: CPU time of a frame, one chart at 120x40, 1,000,000 points.

`textual-plot` is no dependency: without it only ours is measured (docs/design/charts.md says how).
"""

import asyncio
import importlib
import importlib.util
import statistics
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from textual.app import App, ComposeResult
from textual.widget import Widget

from benchmarks.measure import machine
from trainwatch.app.tui.chart.bins import binned
from trainwatch.app.tui.chart.frame import GUTTER, Drawing, Marked
from trainwatch.app.tui.chart.metrics import METRICS, Floats
from trainwatch.app.tui.chart.traces import NOTHING, Trace
from trainwatch.app.tui.chart.widget import Chart

POINTS = 1_000_000
SIZE = (120, 40)
_FRAMES = 14
_FIRST = 4  # frames that do not count
_COLOURS = (
    "Chart > .chart--line { color: blue; } Chart { height: 1fr; } PlotWidget { height: 1fr; }"
)
Draw = Callable[[Widget, float, float], None]


class _Bare(App[None]):
    """One widget on the screen, and nothing else."""

    CSS = _COLOURS

    def __init__(self, widget: Widget) -> None:
        super().__init__()
        self._widget = widget

    def compose(self) -> ComposeResult:
        yield self._widget


def main() -> None:
    """Measure, and print a line a way of drawing."""
    x, y = series()
    print(machine())
    _report("ours, binning 1,000,000 points in each frame", Chart(), partial(_ours, Trace(x, y)))
    if importlib.util.find_spec("textual_plot") is None:
        print("textual-plot is not installed here")
        return
    plot = importlib.import_module("textual_plot")
    theirs = partial(_theirs, plot.HiResMode.BRAILLE)
    _report("textual-plot, the same bins", plot.PlotWidget(), partial(theirs, x, y, True))
    few = slice(None, None, POINTS // 100_000)
    _report(
        "textual-plot, 100,000 points", plot.PlotWidget(), partial(theirs, x[few], y[few], False)
    )


def series() -> tuple[Floats, Floats]:
    """A loss: it falls, with noise."""
    x = np.arange(1.0, POINTS + 1)
    return x, 1.9 + 9 * np.exp(-x / 2e4) + np.random.default_rng(0).normal(0, 0.04, POINTS)


def _ours(trace: Trace, widget: Widget, left: float, right: float) -> None:
    assert isinstance(widget, Chart)
    widget.show(Drawing(METRICS[0], trace, Marked(), left, right))


def _theirs(
    mode: Any, x: Floats, y: Floats, bins: bool, widget: Any, left: float, right: float
) -> None:
    if bins:  # the least and the greatest value of each bin, beside each other
        count = 2 * (SIZE[0] - GUTTER)
        made = binned(x, y, NOTHING, left, right, count)
        x = np.repeat(np.linspace(left, right, count), 2)
        y = np.column_stack((made.low, made.high)).ravel()
        x, y = x[np.isfinite(y)], y[np.isfinite(y)]
    widget.clear()
    widget.plot(x, y, hires_mode=mode)
    widget.set_xlimits(left, right)


def _report(what: str, widget: Widget, draw: Draw) -> None:
    times = sorted(asyncio.run(_frames(widget, draw)))
    median, least = statistics.median(times) * 1e3, times[0] * 1e3
    print(f"{what:<48}{median:9.1f} ms a frame (least {least:.1f} ms)")


async def _frames(widget: Widget, draw: Draw) -> list[float]:
    """Panning: CPU time from the wish to the update that is sent."""
    app, times = _Bare(widget), []
    async with app.run_test(size=SIZE) as pilot:
        for number in range(_FRAMES):
            left = 1 + 1000.0 * number
            began = time.process_time()
            draw(widget, left, left + POINTS * 0.9)
            await pilot.pause(0)
            app.screen._compositor.render_update(full=False)
            times.append(time.process_time() - began)
    return times[_FIRST:]


if __name__ == "__main__":
    main()
