"""Driving the screen in tests: wait for what is expected, never for a time."""

from collections.abc import AsyncIterator, Callable
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from typing import Any

from textual.pilot import Pilot
from textual.strip import Strip

from tests.app.tui.sources import FixedSource
from trainwatch.app.tui.app import ScreenApp
from trainwatch.app.tui.chart.group import Charts
from trainwatch.core.model.snapshot import EMPTY, Snapshot

_SAME = 5  # looks at a picture that does not change
_TURNS = 5000  # of 5 ms; what is expected comes within a few, on a machine that is busy within many


async def until(pilot: Pilot[None], true: Callable[[], bool], what: str = "it") -> None:
    """Let the screen work until something is true."""
    for _ in range(_TURNS):
        await pilot.pause()
        if true():
            return
        await pilot.pause(0.005)
    raise AssertionError(f"{what} did not come")


async def settled(pilot: Pilot[None]) -> None:
    """Until the first snapshot is shown with the charts it has, in the size the screen has."""
    app = pilot.app
    assert isinstance(app, ScreenApp)

    def shown() -> bool:
        charts = app.screen_stack[0].query_one(Charts)
        wanted = {metric.key for metric in charts.wanted()}
        drawn = wanted <= charts.traces.keys() or not app.snapshot.history.rows
        return app.snapshot is not EMPTY and drawn

    await until(pilot, shown, "a snapshot")
    await steady(pilot)


@asynccontextmanager
async def _opened(
    source: FixedSource, size: tuple[int, int], options: dict[str, Any]
) -> AsyncIterator[Pilot[None]]:
    app = ScreenApp(source, **options)
    async with app.run_test(size=size) as pilot:
        await settled(pilot)
        yield pilot


async def steady(pilot: Pilot[None]) -> None:
    """Until what is painted stays as it is."""
    before, same = list[Strip](), 0
    for _ in range(_TURNS):
        await pilot.pause(0.01)
        picture = pilot.app.screen._compositor.render_strips()
        same = same + 1 if picture == before else 0
        before = picture
        if same == _SAME:
            return
    raise AssertionError("the screen does not come to rest")


def opened(
    snapshot: Snapshot | FixedSource, size: tuple[int, int] = (120, 40), **options: Any
) -> AbstractAsyncContextManager[Pilot[None]]:
    """The screen on a snapshot, settled."""
    source = snapshot if isinstance(snapshot, FixedSource) else FixedSource(snapshot)
    return _opened(source, size, options)


def text_of(pilot: Pilot[None]) -> str:
    """What stands on the screen."""
    strips = pilot.app.screen._compositor.render_strips()
    return "\n".join("".join(segment.text for segment in strip) for strip in strips)
